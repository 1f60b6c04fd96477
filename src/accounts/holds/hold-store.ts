import { prepared, type Queryable, raw, type Sql, sql, type Tx } from "../../platform/db/db.ts";

/**
 * `suspended`: an operator has stopped the account. `deletion`: its owner has asked for its deletion. `standing`: its mail bounces or is
 * complained about too often. `payment_overdue`: what it owes wasn't paid.
 */
export const HOLD_KINDS = ["suspended", "deletion", "standing", "payment_overdue"] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

/** What a hold stops: all mail, or all but transactional mail. */
export const HELD_MAIL = ["all", "campaigns"] as const;
export type HeldMail = (typeof HELD_MAIL)[number];

export type HoldRow = { kind: HoldKind; stops: HeldMail; since: Date; reason: string | null };

/** Returns false where the account is held for this already; the first time and reason stand. */
export async function insertHold(tx: Tx, accountId: string, hold: HoldRow): Promise<boolean> {
  const inserted = await tx.execute(sql`
    insert into account_holds (account_id, kind, stops, since, reason)
    values (${accountId}, ${hold.kind}, ${hold.stops}, ${hold.since}, ${hold.reason})
    on conflict (account_id, kind) do nothing`);
  return inserted === 1;
}

/** Lets a hold stop all mail that stopped campaigns alone until now. Returns false where there is none such. */
export async function widenHold(
  tx: Tx,
  accountId: string,
  kind: HoldKind,
  reason: string | null,
): Promise<boolean> {
  const widened = await tx.execute(sql`
    update account_holds set stops = 'all', reason = ${reason}
    where account_id = ${accountId} and kind = ${kind} and stops = 'campaigns'`);
  return widened === 1;
}

export async function deleteHold(tx: Tx, accountId: string, kind: HoldKind): Promise<boolean> {
  const deleted = await tx.execute(
    sql`delete from account_holds where account_id = ${accountId} and kind = ${kind}`,
  );
  return deleted === 1;
}

export function listHolds(db: Queryable, accountId: string): Promise<HoldRow[]> {
  return db.many<HoldRow>(
    prepared(
      sql`select kind, stops, since, reason from account_holds where account_id = ${accountId} order by since, kind`,
    ),
  );
}

/** The kinds of holds of the account that a row of this table names, as an array, for statements that look up a caller. */
export function holdKindsOf(table: "api_keys" | "users"): Sql {
  return sql`array(select kind from account_holds h where h.account_id = ${raw(table)}.account_id)`;
}

/** Holds where no campaign may leave in the name of the account, by the primary key. */
export function isHeld(accountId: Sql | string): Sql {
  return sql`exists (select from account_holds h where h.account_id = ${accountId})`;
}

/** Holds where no mail of that stream may leave in the name of the account, by the primary key. */
export function isStreamHeld(accountId: Sql, stream: Sql): Sql {
  return sql`exists (select from account_holds h where h.account_id = ${accountId}
    and (h.stops = 'all' or ${stream} <> 'transactional'))`;
}

export function listHoldsOf(
  db: Queryable,
  accountIds: readonly string[],
): Promise<(HoldRow & { account_id: string })[]> {
  return db.many(sql`
    select account_id, kind, stops, since, reason from account_holds
    where account_id = any(${[...accountIds]}::uuid[]) order by since, kind`);
}

/** Holds where the deletion of an account has begun, also once it is gone: nothing more is written for it. By the primary key. */
export function isBeingDeleted(accountId: Sql): Sql {
  return sql`exists (select from account_deletions d where d.account_id = ${accountId} and d.started_at is not null)`;
}

/** Finds those of the accounts whose deletion has begun. */
export async function findBeingDeleted(
  db: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ account_id: string }>(sql`
    select account_id from account_deletions
    where account_id = any(${[...new Set(accountIds)]}::uuid[]) and started_at is not null`);
  return new Set(rows.map(({ account_id }) => account_id));
}
