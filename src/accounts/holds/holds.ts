/**
 * A hold stops an account: no mail leaves in its name, or none but transactional mail, and what was under way goes on after the release. One that is
 * suspended or about to be deleted changes nothing either; it is read and exported as before, and what recipients do goes on.
 */
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { type Listener, notify } from "../../platform/db/listen.ts";
import type { Principal } from "../../platform/http/route.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError } from "../../platform/problems.ts";
import { accountReleasedKind } from "../job-kinds.ts";
import { accountSuspended, deletionPending, sendingStopped } from "../problems.ts";
import {
  deleteHold,
  findBeingDeleted,
  type HeldMail,
  type HoldKind,
  type HoldRow,
  insertHold,
  listHolds,
  listHoldsOf,
  widenHold,
} from "./hold-store.ts";

export {
  findBeingDeleted,
  HELD_MAIL,
  type HeldMail,
  HOLD_KINDS,
  type HoldKind,
  type HoldRow,
  holdKindsOf,
  isBeingDeleted,
  isHeld,
  isStreamHeld,
} from "./hold-store.ts";

const HOLDS_CHANGED = "account_holds_changed";

/** Calls back once the holds of some account have changed, in whichever process. */
export function watchHolds(listener: Pick<Listener, "listen">, onChange: () => void): void {
  listener.listen(HOLDS_CHANGED, onChange);
}

/**
 * Holds an account. Senders look with each message, sessions with each request, and keys within a second. Returns false where it is
 * held for this already, as far as that. `reason` is shown to the people of the account.
 */
export async function holdAccount(
  { sql, accountId, clock }: Pick<TxCtx, "sql" | "accountId" | "clock">,
  kind: HoldKind,
  reason: string | null,
  stops: HeldMail = "all",
): Promise<boolean> {
  const isNew =
    (await insertHold(sql, accountId, { kind, stops, since: clock.now(), reason })) ||
    (stops === "all" && (await widenHold(sql, accountId, kind, reason)));
  if (isNew) await notify(sql, HOLDS_CHANGED);
  return isNew;
}

/** Takes a hold away; the others stand. Returns false where there was none of this kind. */
export async function releaseAccount(
  { sql, accountId }: Pick<TxCtx, "sql" | "accountId">,
  kind: HoldKind,
): Promise<boolean> {
  if (!(await deleteHold(sql, accountId, kind))) return false;
  await notify(sql, HOLDS_CHANGED);
  await addJob(sql, accountReleasedKind, { account_id: accountId });
  return true;
}

/** Lists what an account is held for, the oldest first. */
export function findHolds(db: Queryable, accountId: string): Promise<HoldRow[]> {
  return listHolds(db, accountId);
}

/** Does the same for several accounts at once. */
export async function findHoldsOf(
  db: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, readonly HoldRow[]>> {
  return Map.groupBy(await listHoldsOf(db, accountIds), ({ account_id }) => account_id);
}

/** Whether the deletion of an account has begun. Nobody can join it from then on, however they were invited. */
export async function hasDeletionBegun(db: Queryable, accountId: string): Promise<boolean> {
  return (await findBeingDeleted(db, [accountId])).size > 0;
}

/** Says by which refusal changes are answered; undefined where they are done. Where there are two, the operator's word comes first. */
export function writesRefusedBy(kinds: readonly HoldKind[]): Principal["writesRefused"] {
  if (kinds.includes("suspended"))
    return { problem: accountSuspended, detail: "this account is suspended; GET /v1/account says why" };
  if (kinds.includes("deletion"))
    return { problem: deletionPending, detail: "this account is about to be deleted; take that back first" };
  return undefined;
}

/** Whether the account takes no changes, and so no sign-ups either. */
export async function isReadOnly(db: Queryable, accountId: string): Promise<boolean> {
  const holds = await listHolds(db, accountId);
  return writesRefusedBy(holds.map(({ kind }) => kind)) !== undefined;
}

/** Whoever launches calls this in the transaction of the launch. */
export async function refuseWhileHeld({
  sql,
  accountId,
}: {
  sql: Queryable;
  accountId: string;
}): Promise<void> {
  const [hold] = await listHolds(sql, accountId);
  if (!hold) return;
  throw new AppError(sendingStopped, "this account may not send at present; GET /v1/account says why", {
    members: { hold: hold.kind },
  });
}

/** Nobody joins an account that takes no changes, or whose deletion has begun, which removes its holds on the way. */
export async function takesNobody(db: Queryable, accountId: string): Promise<boolean> {
  return (await hasDeletionBegun(db, accountId)) || (await isReadOnly(db, accountId));
}
