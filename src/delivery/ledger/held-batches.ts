/** What is held back for a provider that may be given no more today stands in batches of its own, which nobody leases meanwhile. */
import { prepared, sql, type Writable } from "../../platform/db/db.ts";
import type { Holder, Lease } from "./lease-store.ts";

/**
 * Moves contacts of a leased batch to a batch of their own for each provider. The ledger's rows aren't written to, so that a row that is held costs
 * a part of one write, however many days it waits. It may be run twice: what isn't in the batch any more isn't moved.
 */
export async function holdBack(
  db: Writable,
  holder: Holder,
  { accountId, sourceId, n }: Lease,
  contactsOf: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const contacts = [...contactsOf.values()].flat();
  const providers = [...contactsOf].flatMap(([provider, own]) => own.map(() => provider));
  await db.execute(
    prepared(sql`
      with own as materialized (
        select contacts, stream, transport_id, variant, epoch, deaths, suspect, suspect_deaths from batches
        where account_id = ${accountId} and source_id = ${sourceId} and n = ${n}
          and worker_id = ${holder.id} and epoch = ${holder.epoch} for update
      ), given as materialized (
        select g.contact_id, g.provider from unnest(${contacts}::uuid[], ${providers}::text[]) as g (contact_id, provider)
        where g.contact_id = any((select contacts from own)::uuid[])
      ), kept as (
        update batches b set contacts = array(
          select c from unnest(b.contacts) with ordinality as one (c, at)
          where c not in (select contact_id from given) order by at)
        where b.account_id = ${accountId} and b.source_id = ${sourceId} and b.n = ${n} and exists (select from given)
      )
      insert into batches (account_id, source_id, stream, transport_id, variant, contacts, epoch, deaths, suspect, suspect_deaths, provider)
      select ${accountId}, ${sourceId}, own.stream, own.transport_id, own.variant, g.contacts, own.epoch, own.deaths, own.suspect,
        own.suspect_deaths, g.provider
      from own cross join (select provider, array_agg(contact_id) as contacts from given group by provider) as g`),
  );
}
