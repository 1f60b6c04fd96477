/** How a verb begins: with the rows it is about mustLockSubscriber, or a refusal. */
import type { TxCtx } from "../platform/context.ts";
import { DbError } from "../platform/db/errors.ts";
import { AppError, missing } from "../platform/problems.ts";
import type { SubscriberRow } from "./columns.ts";
import { invalidState } from "./problems.ts";
import type { Status } from "./status.ts";
import { findSubscriber, lockSubscriber } from "./subscriber-store.ts";
import { lockOfContact } from "./write-store.ts";

export async function mustLockSubscriber(ctx: TxCtx, id: string): Promise<SubscriberRow> {
  const row = await lockSubscriber(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("subscriber");
  return row;
}

/** One that was there a moment ago: if it went since, look again, in a new transaction. */
export async function lockSubscriberOrRetry(ctx: TxCtx, id: string): Promise<SubscriberRow> {
  const row = await lockSubscriber(ctx.sql, ctx.accountId, id);
  if (!row) throw new DbError("conflict", "the subscriber went away");
  return row;
}

/** With the same address's subscribers on other lists, all locked in one order: two at once can't wait in a ring. */
export async function lockSubscriberWithOthers(ctx: TxCtx, id: string): Promise<SubscriberRow[]> {
  const found = await findSubscriber(ctx.sql, ctx.accountId, id);
  if (!found) throw missing("subscriber");
  const rows = await lockOfContact(ctx.sql, ctx.accountId, found.contact_id);
  // It got another address, or was deleted, before we had the lock: look again, in a new transaction.
  if (!rows.some((row) => row.id === id)) throw new DbError("conflict", "the subscriber moved away");
  return rows;
}

export function refusal(why: string, status: Status): AppError {
  return new AppError(invalidState, why, { members: { current_status: status } });
}
