/** Statements about items while they are stored and read. Those that list them are in `list-store.ts`. */
import { isBeingDeleted } from "../../accounts/accounts.ts";
import { bytesArray, uuidArray } from "../../platform/db/arrays.ts";
import { prepared, type Queryable, type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AddressKind, type InboundItem, namedBy, type Queue } from "../types.ts";

export type NewItemRow = InboundItem & { readonly bytes: number; readonly digest: Buffer };

/** Returns the ids of those that weren't there before, and whose account isn't being deleted. The order keeps two transactions from waiting for each other. */
export async function insertItems(tx: Tx, items: readonly NewItemRow[]): Promise<string[]> {
  const column = <T>(pick: (item: NewItemRow) => T) => items.map(pick);
  const rows = await tx.many<{ id: string }>(
    prepared(sql`
      with given as materialized (
        select * from unnest(
          ${uuidArray(column((one) => one.accountId))}::uuid[], ${uuidArray(column((one) => one.id))}::uuid[],
          ${column((one) => one.channel)}::text[], ${column((one) => one.channelId)}::uuid[],
          ${column((one) => one.provider)}::text[], ${column((one) => one.envelopeFrom)}::text[],
          ${column((one) => one.addressed?.kind ?? null)}::text[],
          ${column((one) => namedBy(one.addressed)?.sourceId ?? null)}::uuid[],
          ${column((one) => namedBy(one.addressed)?.contactId ?? null)}::uuid[],
          ${column((one) => testIdOf(one))}::uuid[],
          ${column((one) => one.session && JSON.stringify(one.session))}::jsonb[],
          ${column((one) => one.bytes)}::int[], ${bytesArray(column((one) => one.raw))}::bytea[],
          ${column((one) => one.receivedAt)}::timestamptz[], ${bytesArray(column((one) => one.digest))}::bytea[]
        ) as one (account_id, id, channel, channel_id, provider, envelope_from, address_kind, source_id, contact_id, test_id,
                  session, bytes, raw, received_at, digest)
        where not ${isBeingDeleted(sql`one.account_id`)}
      ), fresh as (
        insert into inbound_digests (account_id, digest, item_id)
        select account_id, digest, id from given order by account_id, digest
        on conflict do nothing
        returning item_id
      )
      insert into inbound_items (account_id, id, channel, channel_id, provider, envelope_from, address_kind, source_id,
                                 contact_id, test_id, session, bytes, raw, received_at)
      select account_id, id, channel, channel_id, provider, envelope_from, address_kind, source_id, contact_id, test_id, session,
             bytes, raw, received_at
      from given where id in (select item_id from fresh)
      returning id`),
  );
  return rows.map(({ id }) => id);
}

function testIdOf({ addressed }: InboundItem): string | null {
  return addressed?.kind === "mail_test" ? addressed.testId : null;
}

export type ClaimedRow = {
  id: string;
  channel: InboundItem["channel"];
  channel_id: string | null;
  provider: InboundItem["provider"];
  envelope_from: string | null;
  address_kind: AddressKind | null;
  source_id: string | null;
  contact_id: string | null;
  test_id: string | null;
  session: InboundItem["session"];
  raw: Buffer;
  received_at: Date;
  /** Names this claim: whoever has an earlier one may no longer act. */
  attempts: number;
};

/** The condition stands in the statement as it does in the indexes inbound_items_waiting_reports and inbound_items_waiting_others. */
const IN_QUEUE: Readonly<Record<Queue, Sql>> = {
  dmarc_reports: sql`state = 'waiting' and address_kind = 'dmarc_report'`,
  returned: sql`state = 'waiting' and address_kind is distinct from 'dmarc_report'`,
};

type ClaimOptions = {
  readonly queue: Queue;
  readonly now: Date;
  readonly until: Date;
  readonly most: number;
  readonly mostBytes: number;
  /** Whether reading them was begun before, and never ended or went wrong. */
  readonly isRetry: boolean;
};

/** Leases waiting items of a queue, the oldest first, up to a number and a size. */
export function claimItems(
  db: Writable,
  accountId: string,
  { queue, now, until, most, mostBytes, isRetry }: ClaimOptions,
): Promise<ClaimedRow[]> {
  const isDue = sql`${IN_QUEUE[queue]} and (leased_until is null or leased_until <= ${now})
    and ${isRetry ? sql`attempts > 0` : sql`attempts = 0`}`;
  return db.many<ClaimedRow>(sql`
    update inbound_items set attempts = attempts + 1, leased_until = ${until}
    where account_id = ${accountId} and ${isDue} and id in (
      select id from (
        select id, sum(bytes) over (order by id) - bytes as before from (
          select id, bytes from inbound_items where account_id = ${accountId} and ${isDue} order by id limit ${most}
        ) as due
      ) as sized
      where before < ${mostBytes})
    returning id, channel, channel_id, provider, envelope_from, address_kind, source_id, contact_id, test_id, session, raw,
              received_at, attempts`);
}

/** Gives claims back that nothing was done with. */
export async function releaseItems(
  db: Writable,
  accountId: string,
  claims: readonly Pick<ClaimedRow, "id" | "attempts">[],
): Promise<void> {
  await db.execute(sql`
    update inbound_items i set attempts = i.attempts - 1, leased_until = null
    from unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ attempts }) => attempts)}::int[]) as c (id, attempts)
    where i.account_id = ${accountId} and i.id = c.id and i.attempts = c.attempts and i.state = 'waiting'`);
}

/** Marks an item read, and says whether the claim still held. */
export async function markRead(
  tx: Tx,
  accountId: string,
  { id, attempts }: Pick<ClaimedRow, "id" | "attempts">,
  now: Date,
): Promise<boolean> {
  const marked = await tx.execute(sql`
    update inbound_items set state = 'read', read_at = ${now}, leased_until = null, failure = null
    where account_id = ${accountId} and id = ${id} and state = 'waiting' and attempts = ${attempts}`);
  return marked > 0;
}

export type Summary = {
  readonly kind: string | null;
  readonly outcome: string | null;
  /** Is null where it is about no mail at all. */
  readonly isMatched: boolean | null;
  /** Says why, where there is no report to say it. */
  readonly why: string | null;
};

export async function writeSummary(tx: Tx, accountId: string, id: string, summary: Summary): Promise<void> {
  await tx.execute(sql`
    update inbound_items set kind = ${summary.kind}, outcome = ${summary.outcome}, is_matched = ${summary.isMatched},
           why = ${summary.why}
    where account_id = ${accountId} and id = ${id}`);
}

/** Notes what went wrong with a claimed item: it is tried again from then on, or never where `again` is null. */
export async function noteFailure(
  db: Writable,
  accountId: string,
  { id, attempts }: Pick<ClaimedRow, "id" | "attempts">,
  failure: string,
  again: Date | null,
): Promise<void> {
  await db.execute(sql`
    update inbound_items set failure = ${failure}, leased_until = ${again}, state = ${again ? "waiting" : "failed"}
    where account_id = ${accountId} and id = ${id} and state = 'waiting' and attempts = ${attempts}`);
}

/** Gives those up whose reading was begun so many times and never ended. Returns how many there were. */
export function giveUp(
  db: Writable,
  accountId: string,
  options: { readonly queue: Queue; readonly now: Date; readonly attempts: number; readonly failure: string },
): Promise<number> {
  const { queue, now, attempts, failure } = options;
  return db.execute(sql`
    update inbound_items set state = 'failed', failure = coalesce(failure, ${failure}), leased_until = null
    where account_id = ${accountId} and ${IN_QUEUE[queue]} and attempts >= ${attempts} and leased_until <= ${now}`);
}

/** Says when the next waiting item of a queue may be read; undefined where none waits. */
export async function nextDueAt(db: Queryable, accountId: string, queue: Queue): Promise<Date | undefined> {
  const { due } = await db.one<{ due: Date | null }>(sql`
    select min(coalesce(leased_until, received_at)) as due from inbound_items
    where account_id = ${accountId} and ${IN_QUEUE[queue]}`);
  return due ?? undefined;
}

/** Makes an item wait again, as if it had just come. One that waits is left alone, since it may be being read. */
export async function waitAgain(db: Writable, accountId: string, id: string): Promise<void> {
  await db.execute(sql`
    update inbound_items set state = 'waiting', attempts = 0, leased_until = null, failure = null
    where account_id = ${accountId} and id = ${id} and state <> 'waiting'`);
}

/** Deletes items that came to an address of one of these, or that were found to be about them. */
export async function deleteItems(
  db: Writable,
  accountId: string,
  { contactIds, itemIds }: { readonly contactIds: readonly string[]; readonly itemIds: readonly string[] },
): Promise<void> {
  await db.execute(sql`
    delete from inbound_items where account_id = ${accountId} and contact_id = any(${[...contactIds]}::uuid[])`);
  if (itemIds.length === 0) return;
  await db.execute(sql`
    delete from inbound_items where account_id = ${accountId} and id = any(${[...itemIds]}::uuid[])`);
}

/** Forgets digests of items that are no longer kept, of all accounts. The index is inbound_digests_by_age. */
export async function removeOldDigests(db: Writable, before: string): Promise<void> {
  await db.execute(sql`delete from inbound_digests where item_id < ${before}`);
}
