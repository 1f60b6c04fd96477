/** Messages on trial: to a few addresses of the author's choice, in no ledger, by the way that their stream would take. */
import { createSmtpPool, type SmtpOptions, type SmtpOutcome } from "../../mail/smtp/smtp.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { addJobs, type JobCtx } from "../../platform/jobs/jobs.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import { sendTestKind, type TestPayload } from "../job-kinds.ts";
import { catchMessages } from "../sandbox/sandbox.ts";
import { readTransport, type TransportTools, toAsciiDomain, transportFor } from "../transports/transports.ts";

import type { Stream, TestMessage } from "../types.ts";

/** By which mail can leave. */
export type WaysOut = TransportTools & {
  /** The instance's own server; undefined: the sandbox. */
  readonly relay: SmtpOptions | undefined;
};

/** By the account's transport, else the instance's, each as a job of its own; straight into the sandbox where there is neither. */
export async function sendTestMessages(
  ctx: TxCtx,
  messages: readonly TestMessage[],
  { stream, hasRelay }: { readonly stream: Stream; readonly hasRelay: boolean },
): Promise<void> {
  const { id: transportId } = await transportFor(ctx.sql, ctx.accountId, stream, hasRelay);
  if (transportId === INSTANCE_TRANSPORT && !hasRelay) return catchMessages(ctx, messages);
  const payloads = messages.map(({ from, to, message }) => ({
    account_id: ctx.accountId,
    transport_id: transportId,
    from,
    to,
    message: message.toString("base64"),
  }));
  await addJobs(ctx.sql, sendTestKind, payloads);
}

/** Short, because its author is waiting; and all of them together are within the job's own time. */
const TIMEOUTS = {
  connectMs: 20_000,
  tlsMs: 20_000,
  greetingMs: 30_000,
  commandMs: 20_000,
  mailMs: 20_000,
  rcptMs: 20_000,
  dataMs: 20_000,
  dotMs: 60_000,
};

/** Ends in any case with its payload gone: a job that fails for the last time would be kept with the address in it. */
export async function sendTest(ctx: JobCtx, ways: WaysOut, payload: TestPayload): Promise<void> {
  const { account_id: accountId, transport_id: transportId, from, to } = payload;
  const message = Buffer.from(payload.message, "base64");
  const isInstance = transportId === INSTANCE_TRANSPORT;
  const smtp = isInstance
    ? ways.relay
    : (await readTransport(ctx.db, ways.secrets, accountId, transportId, ways.internalHosts))?.smtp;
  if (!smtp && isInstance) {
    // The relay was taken away since.
    const { clock, log } = ctx;
    return ctx.db.transaction((tx) =>
      catchMessages(systemCtx({ clock, log }, tx, accountId), [{ from, to, message }]),
    );
  }
  if (!smtp) return void ctx.log.warn({ transport: transportId }, "a test message's transport is gone");
  const outcome = await sendOnce(smtp, { from, to, message }, ctx.signal);
  if (outcome.kind === "accepted") return;
  const { kind, phase, code } = outcome;
  const mayTryAgain =
    ["deferred", "unreachable", "withdrawn"].includes(kind) && ctx.attempt < sendTestKind.maxAttempts;
  if (mayTryAgain) throw new Error(`a test message was ${kind} at ${phase} (${code ?? "no reply"})`);
  ctx.log.warn({ transport: transportId, kind, phase, code }, "a test message was not delivered");
}

async function sendOnce(smtp: SmtpOptions, one: TestMessage, signal: AbortSignal): Promise<SmtpOutcome> {
  const pool = createSmtpPool({ ...smtp, maxConnections: 1, timeouts: TIMEOUTS });
  try {
    const envelope = { from: toAsciiDomain(one.from), to: [toAsciiDomain(one.to)] };
    return await pool.send({ envelope, body: one.message, signal });
  } finally {
    await pool.drain();
  }
}
