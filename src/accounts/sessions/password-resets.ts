/**
 * Takes requests for a link by mail from anybody. Whether the address is a user's is asked later, by a job, so that neither the
 * answer nor its time tells.
 */
import type { ActCtx, TxCtx } from "../../platform/context.ts";
import { networkOf } from "../../platform/http/address.ts";
import { newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type ResetPayload, resetPasswordKind } from "../job-kinds.ts";
import { tooManyAttempts } from "../problems.ts";
import { countAttempt } from "./throttle-store.ts";

/** So many requests a network may make at once; as many are forgotten in an hour. */
const FREE = 20;
const FORGOTTEN_S = 3_600;

/** Counts a request of a network, and throws 429 when it must wait. Addresses are counted by the job. */
export async function countLinkRequest(
  secrets: Secrets,
  ctx: ActCtx,
  what: "reset" | "sign-up",
  ip: string,
): Promise<void> {
  const now = ctx.clock.now();
  const key = secrets.mac("guess", what, networkOf(ip));
  const until = await countAttempt(ctx.sql, [{ key, free: FREE, leakPerSecond: FREE / FORGOTTEN_S }], now);
  if (!until) return;
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
  throw new AppError(tooManyAttempts, `too many requests for a link; try again in ${seconds} s`, {
    headers: { "retry-after": String(seconds) },
  });
}

/** Adds the job that mails the link, whatever the address. */
export async function requestReset(secrets: Secrets, ctx: TxCtx, email: string): Promise<void> {
  const id = newId(ctx.clock);
  const address = secrets.seal("password-reset", email, id).toString("base64");
  await addJob(ctx.sql, resetPasswordKind, { address, occasion_id: id });
}

/** Returns the address that was asked for; undefined where it was sealed under a key that the instance no longer has. */
export function addressOfReset(secrets: Secrets, { address, occasion_id: id }: ResetPayload) {
  return secrets.open("password-reset", Buffer.from(address, "base64"), id);
}
