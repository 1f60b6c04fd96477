/** These statements add recipients to a given source, close it, and delete the addresses of its recipients. */
import { parseAddress } from "../../mail/addresses.ts";
import type { TxCtx } from "../../platform/context.ts";
import { uuidArray } from "../../platform/db/arrays.ts";
import { prepared, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { GivenRecipient } from "../types.ts";

const BATCH = 500;

/**
 * Adds recipients and returns the contacts that the source had before, which are not added again. The caller has locked the source and its plan, so
 * that nobody else adds any, and names no contact twice. Most sources are given subscribers alone, whose addresses are read when they are mailed:
 * then only their ids travel.
 */
export async function insertGiven(
  tx: Tx,
  accountId: string,
  sourceId: string,
  recipients: readonly GivenRecipient[],
  now: Date,
): Promise<readonly string[]> {
  const contacts = uuidArray(recipients.map(({ contactId }) => contactId));
  const subscribers = uuidArray(recipients.map(({ subscriberId }) => subscriberId));
  const hasStrangers = recipients.some(({ subscriberId }) => subscriberId === null);
  const { known } = await tx.one<{ known: string[] }>(
    prepared(sql`
    with given as materialized (
      select * from unnest(${contacts}::uuid[], ${subscribers}::uuid[]) as one (contact_id, subscriber_id)
    ), known as materialized (
      select contact_id from deliveries
      where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from given))
    ), fresh as materialized (
      select * from given where contact_id not in (select contact_id from known) order by contact_id
    ), src as materialized (
      select stream, transport_id from sources where account_id = ${accountId} and id = ${sourceId}
    ), written as (
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, changed_at,
                              planned_at)
      select ${accountId}, ${sourceId}, contact_id, subscriber_id, stream, transport_id, 'ready', ${now}, ${now}
      from fresh cross join src
    ), ${hasStrangers ? keepAddresses(accountId, sourceId, recipients) : sql``} batched as (
      insert into batches (account_id, source_id, stream, transport_id, contacts)
      select ${accountId}, ${sourceId}, stream, transport_id, contacts from src cross join (
        select array_agg(contact_id) as contacts
        from (select contact_id, (row_number() over () - 1) / ${BATCH}::int as nth from fresh) as numbered group by nth
      ) as batch
    ), counted as (
      update plans set recipients = recipients + (select count(*) from fresh),
        eligible = eligible + (select count(*) from fresh)
      where account_id = ${accountId} and source_id = ${sourceId}
    )
    select array(select contact_id from known) as known`),
  );
  return known;
}

/** Keeps the addresses of those who are no subscribers, and what is filled in for them. */
function keepAddresses(accountId: string, sourceId: string, recipients: readonly GivenRecipient[]): Sql {
  const strangers = recipients.flatMap((one) => (one.subscriberId === null ? [one] : []));
  return sql`kept as (
      insert into given_recipients (account_id, source_id, contact_id, email, email_key, "values")
      select ${accountId}, ${sourceId}, contact_id, email, email_key, "values" from unnest(
        ${strangers.map((one) => one.contactId)}::uuid[], ${strangers.map((one) => one.email)}::text[],
        ${strangers.map((one) => keyOf(one.email))}::text[], ${strangers.map((one) => JSON.stringify(one.values))}::jsonb[]
      ) as one (contact_id, email, email_key, "values")
      where contact_id in (select contact_id from fresh)
    ),`;
}

/** Marks the plan as ended, after which nobody can be added. */
export async function closePlan(tx: Tx, accountId: string, sourceId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update plans set ended_at = ${now}
    where account_id = ${accountId} and source_id = ${sourceId} and ended_at is null`);
}

/** Deletes an address when a person is erased, by given_recipients_by_address. Mail that isn't sent yet is skipped then. */
export async function forgetGiven({ sql: tx, accountId }: TxCtx, addressKey: string): Promise<void> {
  await tx.execute(
    sql`delete from given_recipients where account_id = ${accountId} and email_key = ${addressKey}`,
  );
}

/** Returns the form by which addresses are compared; a text that is no address is compared in lower case. */
function keyOf(email: string): string {
  const parsed = parseAddress(email);
  return parsed.ok ? parsed.key : email.toLowerCase();
}
