/** These statements add recipients to a given source, close it, and delete the addresses of its recipients. */
import { parseAddress } from "../../mail/addresses.ts";
import type { TxCtx } from "../../platform/context.ts";
import { prepared, sql, type Tx } from "../../platform/db/db.ts";
import type { GivenRecipient } from "../types.ts";

const BATCH = 500;

/** Adds recipients and returns the contacts that are new to the source. The caller has locked the source and its plan. */
export async function insertGiven(
  tx: Tx,
  accountId: string,
  sourceId: string,
  recipients: readonly GivenRecipient[],
  now: Date,
): Promise<readonly string[]> {
  const given = recipients.map((one) =>
    one.subscriberId === null ? one : { ...one, email: null, values: null },
  );
  const { added } = await tx.one<{ added: string[] }>(
    prepared(sql`
    with given as materialized (
      select distinct on (contact_id) * from unnest(
        ${given.map((one) => one.contactId)}::uuid[], ${given.map((one) => one.subscriberId)}::uuid[],
        ${given.map((one) => one.email)}::text[], ${given.map((one) => one.email && keyOf(one.email))}::text[],
        ${given.map((one) => one.values && JSON.stringify(one.values))}::jsonb[]
      ) as one (contact_id, subscriber_id, email, email_key, "values") order by contact_id
    ), src as materialized (
      select stream, transport_id from sources where account_id = ${accountId} and id = ${sourceId}
    ), written as (
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, changed_at,
                              planned_at)
      select ${accountId}, ${sourceId}, contact_id, subscriber_id, stream, transport_id, 'ready', ${now}, ${now}
      from given cross join src
      on conflict do nothing returning contact_id
    ), kept as (
      insert into given_recipients (account_id, source_id, contact_id, email, email_key, "values")
      select ${accountId}, ${sourceId}, contact_id, email, email_key, "values" from given
      where subscriber_id is null and contact_id in (select contact_id from written)
    ), batched as (
      insert into batches (account_id, source_id, stream, transport_id, contacts)
      select ${accountId}, ${sourceId}, stream, transport_id, contacts from src cross join (
        select array_agg(contact_id) as contacts
        from (select contact_id, (row_number() over () - 1) / ${BATCH}::int as nth from written) as numbered group by nth
      ) as batch
    ), counted as (
      update plans set recipients = recipients + (select count(*) from written),
        eligible = eligible + (select count(*) from written)
      where account_id = ${accountId} and source_id = ${sourceId}
    )
    select coalesce(array_agg(contact_id), '{}') as added from written`),
  );
  return added;
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
