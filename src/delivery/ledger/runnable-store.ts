/** These statements are about `runnable`, which lists the sources of all accounts that have something to send. */
import { hasUsedUp, isStreamHeld } from "../../accounts/accounts.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { isLimited } from "../allowance/allowance.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import type { Stream } from "../types.ts";
import { isTransportUsedUp } from "../warmup/warmup.ts";

/** Adds a source to those that senders see, unless somebody is to look at it first. */
export async function addRunnable(tx: Tx, accountId: string, sourceId: string): Promise<void> {
  tx.send(sql`
    insert into runnable (account_id, source_id, stream, transport_id)
    select account_id, id, stream, transport_id from sources
    where account_id = ${accountId} and id = ${sourceId} and review is null
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
  /** Whether its account or its transport has used up its mails of that day, so that nothing is leased until the next one. */
  waits: boolean;
  /** Whether its account has an allowance, of which each lease takes its part. */
  is_limited: boolean;
};

/** Holds where the source `of` waits because its account is held. The product's own mail goes on. */
export function waitsForRelease(of: Sql): Sql {
  return sql`(not ${of}.goes_while_held and ${isStreamHeld(sql`${of}.account_id`, sql`${of}.stream`)})`;
}

/**
 * Holds where the source `of` waits for the next day, because its account has sent what it may on this one. What stays in the sandbox
 * isn't counted, nor is the product's own mail.
 */
export function waitsForNextDay(of: Sql, day: string): Sql {
  return sql`(${of}.transport_id <> ${SANDBOX_TRANSPORT} and not ${of}.goes_while_held and ${hasUsedUp(sql`${of}.account_id`, day)})`;
}

/** Holds where mail of the source `of` is taken from its account's allowance: what stays in the sandbox isn't, nor is the product's own mail. */
function takesFromAllowance(of: Sql): Sql {
  return sql`(${of}.transport_id <> ${SANDBOX_TRANSPORT} and ${of}.is_metered and not ${of}.goes_while_held)`;
}

/** Reads the sources of all accounts but those that are held. No other statement of a sender looks across accounts. */
export function readRunnable(db: Queryable, day: string): Promise<Runnable[]> {
  return db.many<Runnable>(
    prepared(sql`
      select r.account_id, r.source_id, r.stream, r.transport_id, ${hasUsedUp(sql`r.account_id`, day)} and exists (
          select from sources src
          where src.account_id = r.account_id and src.id = r.source_id and ${waitsForNextDay(sql`src`, day)})
        or ${isTransportUsedUp(sql`r`, day)} and exists (
          select from sources src
          where src.account_id = r.account_id and src.id = r.source_id and not src.goes_while_held) as waits,
        ${isLimited(sql`r.account_id`)} and exists (
          select from sources src
          where src.account_id = r.account_id and src.id = r.source_id and ${takesFromAllowance(sql`src`)}) as is_limited
      from runnable r
      where not ${isStreamHeld(sql`r.account_id`, sql`r.stream`)} or exists (
        select from sources src where src.account_id = r.account_id and src.id = r.source_id and src.goes_while_held)
      order by r.account_id, r.source_id`),
  );
}

export async function hasWork(db: Queryable): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select from runnable) as found`);
  return found;
}
