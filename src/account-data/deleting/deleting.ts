/**
 * The deletion of an account. Its owner asks for it; for 14 days nothing is sent and nothing is changed, and the deletion can be taken back. Then a
 * job shuts everybody out and removes everything, table by table. It may stop anywhere, and goes on from there.
 */
import {
  type AccountRow,
  holdAccount,
  lockAccount,
  releaseAccount,
  shutOut,
} from "../../accounts/accounts.ts";
import { endPayments, lookAtDeletion } from "../../billing/billing.ts";
import { recordEvent } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { TxCtx } from "../../platform/context.ts";
import { type Db, sql } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import { deletionStarted } from "../problems.ts";
import { TABLES } from "../tables/tables.ts";
import {
  type DeletionRow,
  findDeletion,
  insertDeletion,
  listDue,
  listUnswept,
  markDeleted,
  markStarted,
  markSwept,
  removeUnstarted,
} from "./deletion-store.ts";
import { hasRows, removeJobs, removeRows } from "./remove-rows.ts";

export { type DeletionRow, findDeletion } from "./deletion-store.ts";

const DAY_MS = 24 * 3_600_000;
export const GRACE_DAYS = 14;
/** Whatever wrote for an account that was there a moment ago has ended by then, also what had to wait on a disk. */
const SWEPT_AFTER_MS = DAY_MS;
const PEOPLE_AT_ONCE = 100;
/** Rows may come while others are removed; more rounds than this mean that something keeps on writing. */
const MOST_ROUNDS = 10;

/** This table outlives the account, as the only trace of it. The account itself comes last, by itself. */
const OUTLIVING = "account_deletions";
/**
 * Anybody who has a mail of the account writes hits, as fast as they like. They don't keep the account: counting throws hits of accounts away whose
 * deletion has begun.
 */
const EMPTIED_LATER = "hits";
/** Whoever belongs to no other account goes with their membership, so these rows are removed by shutting out alone. */
const SHUT_OUT = "users";
const EMPTIED = TABLES.map(({ table }) => table)
  .filter((table) => table !== OUTLIVING && table !== "accounts")
  .reverse();

/** Asks for the deletion of the account whose name is repeated. One that was asked for before stands as it is. */
export async function requestDeletion(
  ctx: TxCtx,
  name: string,
): Promise<{ deletion: DeletionRow; isNew: boolean }> {
  const { sql: tx, accountId, clock, actor } = ctx;
  const account = await lockAccount(tx, accountId);
  refuseOtherName(account, name);
  const earlier = await findDeletion(tx, accountId);
  if (earlier) return { deletion: earlier, isNew: false };
  const now = clock.now();
  const dueAt = new Date(now.getTime() + GRACE_DAYS * DAY_MS);
  await holdAccount(ctx, "deletion", null);
  const data = { due_at: dueAt.toISOString() };
  await recordEvent(ctx, { type: "account.deletion_requested", data, isNoticed: true });
  const deletion = await insertDeletion(tx, {
    account_id: accountId,
    requested_at: now,
    requested_by: actor.id,
    due_at: dueAt,
  });
  await lookAtDeletion(ctx);
  return { deletion, isNew: true };
}

function refuseOtherName({ name }: AccountRow, given: string): void {
  if (given.trim() === name.trim()) return;
  const detail = "this isn't the name of the account; write it as the settings show it";
  throw invalid({ pointer: "/name", code: "other_name", detail });
}

export async function cancelDeletion(ctx: TxCtx): Promise<void> {
  const { sql: tx, accountId } = ctx;
  await lockAccount(tx, accountId);
  if (!(await removeUnstarted(tx, accountId))) {
    if (!(await findDeletion(tx, accountId))) throw missing("deletion");
    throw new AppError(deletionStarted, "the account is being deleted by now");
  }
  await releaseAccount(ctx, "deletion");
  await lookAtDeletion(ctx);
  await recordEvent(ctx, { type: "account.deletion_canceled", data: {}, isNoticed: true });
}

export type Deleting = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Fires when the work should end at its next safe point. */
  readonly signal: AbortSignal;
};

/** Deletes what is due, and goes on with what an earlier run had to leave. */
export async function deleteDueAccounts(deleting: Deleting): Promise<void> {
  try {
    await deleteAndSweep(deleting);
  } catch (error) {
    // The next run goes on.
    if (!deleting.signal.aborted) throw error;
  }
}

async function deleteAndSweep(deleting: Deleting): Promise<void> {
  const { db, clock } = deleting;
  const due = await listDue(db, clock.now());
  const failures = await eachByItself(deleting, due, (accountId) => deleteAccount(deleting, accountId));
  const goneBefore = new Date(clock.now().getTime() - SWEPT_AFTER_MS);
  const unswept = await listUnswept(db, goneBefore);
  const more = await eachByItself(deleting, unswept, async (accountId) => {
    await emptyTables(deleting, accountId);
    await markSwept(db, accountId, clock.now());
  });
  const [first] = [...failures, ...more];
  if (first) throw first;
}

/** Goes on with the others where one fails, or it would keep them all waiting for ever. Returns what went wrong. */
async function eachByItself(
  { log, signal }: Deleting,
  accountIds: readonly string[],
  work: (accountId: string) => Promise<void>,
): Promise<readonly Error[]> {
  const failures: Error[] = [];
  for (const accountId of accountIds) {
    try {
      await work(accountId);
    } catch (error) {
      signal.throwIfAborted();
      log.error(
        { err: error, account_id: accountId },
        "an account could not be deleted; the next run tries again",
      );
      failures.push(error as Error);
    }
  }
  return failures;
}

async function deleteAccount(deleting: Deleting, accountId: string): Promise<void> {
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    // It was taken back just before.
    if (!(await begin(deleting, accountId))) return;
    await emptyTables(deleting, accountId);
    if (!(await removeAccount(deleting, accountId))) continue;
    deleting.log.info({ account_id: accountId }, "an account was deleted, as its owner asked");
    return;
  }
  throw new Error("rows of an account came as fast as they were removed; the deletion goes on later");
}

/** Says that the deletion has begun, after which nobody can join, and shuts out whoever is in. Returns false where it was taken back. */
async function begin({ db, clock, signal }: Deleting, accountId: string): Promise<boolean> {
  for (let isLeft = true; isLeft; ) {
    signal.throwIfAborted();
    const left = await db.transaction(async (tx) => {
      await tx.many(sql`select from accounts where account_id = ${accountId} for update`);
      if (!(await markStarted(tx, accountId, clock.now()))) return undefined;
      await endPayments(tx, accountId, clock.now());
      return shutOut(tx, accountId, PEOPLE_AT_ONCE);
    });
    if (left === undefined) return false;
    isLeft = left;
  }
  return true;
}

async function emptyTables({ db, signal }: Deleting, accountId: string): Promise<void> {
  await removeJobs(db, accountId);
  // The account refers to its logo, which is among the files.
  await db.execute(sql`
    update accounts set logo_file_id = null where account_id = ${accountId} and logo_file_id is not null`);
  for (const table of EMPTIED) if (table !== SHUT_OUT) await removeRows(db, table, accountId, signal);
}

/** Removes the account itself, which is locked against whatever refers to it. Returns false where rows came meanwhile. */
function removeAccount({ db, clock }: Deleting, accountId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.many(sql`select from accounts where account_id = ${accountId} for update`);
    for (const table of EMPTIED)
      if (table !== EMPTIED_LATER && (await hasRows(tx, table, accountId))) return false;
    await tx.execute(sql`delete from accounts where account_id = ${accountId}`);
    await markDeleted(tx, accountId, clock.now());
    return true;
  });
}
