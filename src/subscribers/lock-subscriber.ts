/** Every verb begins here: it gets the rows that it is about, locked, or a refusal. */
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

/** The row was there a moment ago; if it has gone since, the whole transaction begins again. */
export async function lockSubscriberOrRetry(ctx: TxCtx, id: string): Promise<SubscriberRow> {
  const row = await lockSubscriber(ctx.sql, ctx.accountId, id);
  if (!row) throw new DbError("conflict", "the subscriber went away");
  return row;
}

/** Locks the address's subscribers on other lists too, always in one order, so that two transactions can't deadlock. */
export async function lockSubscriberWithOthers(ctx: TxCtx, id: string): Promise<SubscriberRow[]> {
  const found = await findSubscriber(ctx.sql, ctx.accountId, id);
  if (!found) throw missing("subscriber");
  const rows = await lockOfContact(ctx.sql, ctx.accountId, found.contact_id);
  // It got another address, or was deleted, before we had the lock: the whole transaction begins again.
  if (!rows.some((row) => row.id === id)) throw new DbError("conflict", "the subscriber moved away");
  return rows;
}

export function refusal(why: string, status: Status): AppError {
  return new AppError(invalidState, why, { members: { current_status: status } });
}
