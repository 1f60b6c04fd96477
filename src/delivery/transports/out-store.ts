/** These statements put transports out and bring them back. Each is a compare-and-set, so of two who try it at once one does it. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { OutReason, TransportRow } from "./store.ts";

export type OutRow = Pick<TransportRow, "name" | "host" | "out_tries"> & { readonly out_since: Date };

const returned = sql`returning name, host, out_tries, out_since`;

export function markOut(
  tx: Tx,
  accountId: string,
  id: string,
  found: {
    readonly version: number;
    readonly reason: OutReason;
    readonly detail: string;
    readonly now: Date;
    readonly sameTroubleSince: Date;
  },
): Promise<OutRow | undefined> {
  return tx.maybeOne<OutRow>(sql`
    update transports set out_since = ${found.now}, out_reason = ${found.reason}, out_detail = ${found.detail},
      out_tries = case when back_at > ${found.sameTroubleSince} then out_tries + 1 else 0 end
    where account_id = ${accountId} and id = ${id} and version = ${found.version} and out_since is null ${returned}`);
}

export function markTried(
  tx: Tx,
  accountId: string,
  id: string,
  outSince: Date,
): Promise<OutRow | undefined> {
  return tx.maybeOne<OutRow>(sql`
    update transports set out_tries = out_tries + 1
    where account_id = ${accountId} and id = ${id} and out_since = ${outSince} ${returned}`);
}

export async function setNextTry(tx: Tx, accountId: string, id: string, at: Date): Promise<void> {
  await tx.execute(
    sql`update transports set next_try_at = ${at} where account_id = ${accountId} and id = ${id}`,
  );
}

/** Returns undefined where the account has no such transport. */
export function findTransportState(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<{ isOut: boolean; version: number } | undefined> {
  return db.maybeOne<{ isOut: boolean; version: number }>(sql`
    select out_since is not null as "isOut", version from transports where account_id = ${accountId} and id = ${id}`);
}

/** Lets sources move to a transport again whose server refused them before it was edited. The index is sources_by_transport. */
export async function forgetRefusals(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`
    update sources set refused_by = array_remove(refused_by, ${id}::uuid)
    where account_id = ${accountId} and state in ('running', 'paused') and refused_by @> array[${id}::uuid]`);
}

/** Returns false where it isn't out, or where it was put out at another time than is said. */
export async function markBack(
  tx: Tx,
  accountId: string,
  id: string,
  back: { readonly now: Date; readonly outSince: Date | undefined; readonly keepsTries: boolean },
): Promise<boolean> {
  const since = back.outSince ? sql`and out_since = ${back.outSince}` : sql``;
  const marked = await tx.execute(sql`
    update transports set out_since = null, out_reason = null, out_detail = null, next_try_at = null,
      out_tries = ${back.keepsTries ? sql`out_tries` : sql`0`},
      back_at = ${back.keepsTries ? sql`${back.now}::timestamptz` : sql`null`}
    where account_id = ${accountId} and id = ${id} and out_since is not null ${since}`);
  return marked === 1;
}
