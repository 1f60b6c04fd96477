/** What is held back for a provider that may be given nothing for now stands in batches of its own, which nobody leases meanwhile. */
import { prepared, sql, type Writable } from "../../platform/db/db.ts";
import type { Holder, Lease, LedgerRow } from "./lease-store.ts";

/** Rows that wait for the same provider. */
export type HeldBack = {
  readonly rows: Pick<LedgerRow, "contact_id" | "state">[];
  /** When they may be leased, at the earliest; null where the day's cap alone says that. */
  notBefore: Date | null;
};

/**
 * Notes that a row of a batch is to be held back. A batch that was held back for the same provider before needs not be written anew, unless its time
 * is another.
 */
export function hold(
  { lease, heldBack }: { readonly lease: Pick<Lease, "provider">; readonly heldBack: Map<string, HeldBack> },
  provider: string,
  row: LedgerRow,
  notBefore: Date | null,
): void {
  if (lease.provider === provider && !notBefore) return;
  const held = heldBack.get(provider) ?? { rows: [], notBefore };
  held.rows.push(row);
  if (notBefore && (!held.notBefore || notBefore > held.notBefore)) held.notBefore = notBefore;
  heldBack.set(provider, held);
}

/**
 * Moves contacts of a leased batch to a batch of their own for each provider. The ledger's rows aren't written to, so that a row that is held costs
 * a part of one write, however many days it waits; only one that was put off for some other reason is made ready again. It may be run twice: what
 * isn't in the batch any more isn't moved.
 */
export async function holdBack(
  db: Writable,
  holder: Holder,
  { accountId, sourceId, n }: Lease,
  heldBack: ReadonlyMap<string, HeldBack>,
  /** By which transport the batch was to leave: where its source has moved since, nothing says that the provider is closed. */
  transportId: string,
  now: Date,
): Promise<void> {
  const held = [...heldBack].flatMap(([provider, { rows, notBefore }]) =>
    rows.map(({ contact_id: contactId, state }) => ({ provider, notBefore, contactId, state })),
  );
  const contacts = held.map(({ contactId }) => contactId);
  const providers = held.map(({ provider }) => provider);
  const times = held.map(({ notBefore }) => notBefore);
  const deferred = held.filter(({ state }) => state === "deferred").map(({ contactId }) => contactId);
  await db.execute(
    prepared(sql`
      with own as materialized (
        select contacts, stream, transport_id, variant, epoch, deaths, suspect, suspect_deaths from batches
        where account_id = ${accountId} and source_id = ${sourceId} and n = ${n}
          and worker_id = ${holder.id} and epoch = ${holder.epoch} for update
      ), here as (
        select from sources where account_id = ${accountId} and id = ${sourceId} and transport_id = ${transportId}
      ), given as materialized (
        select g.contact_id, g.provider, g.not_before
        from unnest(${contacts}::uuid[], ${providers}::text[], ${times}::timestamptz[]) as g (contact_id, provider, not_before)
        where g.contact_id = any((select contacts from own)::uuid[])
      ), kept as (
        update batches b set contacts = array(
          select c from unnest(b.contacts) with ordinality as one (c, at)
          where c not in (select contact_id from given) order by at)
        where b.account_id = ${accountId} and b.source_id = ${sourceId} and b.n = ${n} and exists (select from given)
      ), untried as (
        update deliveries set state = 'ready', changed_at = ${now}
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(${deferred}::uuid[])
          and contact_id = any(array(select contact_id from given)) and state = 'deferred' and attempt = 0
        returning contact_id
      ), undue as (
        delete from retries
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from untried))
      )
      insert into batches (account_id, source_id, stream, transport_id, variant, not_before, contacts, epoch, deaths, suspect, suspect_deaths,
                           provider)
      select ${accountId}, ${sourceId}, own.stream, own.transport_id, own.variant, case when exists (select from here) then g.not_before end,
        g.contacts, own.epoch, own.deaths, own.suspect, own.suspect_deaths, g.provider
      from own cross join (
        select provider, max(not_before) as not_before, array_agg(contact_id) as contacts from given group by provider) as g`),
  );
}
