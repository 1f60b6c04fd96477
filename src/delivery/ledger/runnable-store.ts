/** These statements are about `runnable`, which lists the sources of all accounts that have something to send. */
import { hasUsedUp } from "../../accounts/accounts.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
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

export type Runnable = {
  account_id: string;
  source_id: string;
  stream: Stream;
  transport_id: string;
  /** Whether its account has used up its mails of that day, so that nothing is leased until the next one. */
  waits: boolean;
};

/** Reads the sources of all accounts. No other statement of a sender looks across accounts. */
export function readRunnable(db: Queryable, day: string): Promise<Runnable[]> {
  return db.many<Runnable>(
    prepared(sql`
      select r.account_id, r.source_id, r.stream, r.transport_id,
        r.transport_id <> ${SANDBOX_TRANSPORT} and ${hasUsedUp(sql`r.account_id`, day)} as waits
      from runnable r order by r.account_id, r.source_id`),
  );
}

export async function hasWork(db: Queryable): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select from runnable) as found`);
  return found;
}
