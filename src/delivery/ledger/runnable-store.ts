/** These statements are about `runnable`, which lists the sources of all accounts that have something to send. */
import { isHeld } from "../../accounts/accounts.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { Stream } from "../types.ts";

export async function addRunnable(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  await tx.execute(sql`
    insert into runnable (account_id, source_id, stream, transport_id)
    select account_id, id, stream, transport_id from sources where account_id = ${accountId} and id = ${sourceId}
    on conflict do nothing`);
}

export async function removeRunnable(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  await tx.execute(sql`delete from runnable where account_id = ${accountId} and source_id = ${sourceId}`);
}

export type Runnable = { account_id: string; source_id: string; stream: Stream; transport_id: string };

/** Holds where the source `of` waits because its account is held. The product's own mail goes on. */
export function waitsForRelease(of: Sql): Sql {
  return sql`(not ${of}.goes_while_held and ${isHeld(sql`${of}.account_id`)})`;
}

/** Reads the sources of all accounts but those that are held. No other statement of a sender looks across accounts. */
export function readRunnable(db: Queryable): Promise<Runnable[]> {
  return db.many<Runnable>(
    prepared(sql`
      select account_id, source_id, stream, transport_id from runnable r
      where not ${isHeld(sql`r.account_id`)} or exists (
        select from sources src where src.account_id = r.account_id and src.id = r.source_id and src.goes_while_held)
      order by account_id, source_id`),
  );
}

export async function hasWork(db: Queryable): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select from runnable) as found`);
  return found;
}
