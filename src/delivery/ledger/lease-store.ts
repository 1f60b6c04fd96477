/** By these statements senders lease batches. A lease is for a whole batch, until it is done or its worker is dead. */
import { type Db, prepared, type Queryable, type Sql, sql, type Writable } from "../../platform/db/db.ts";
import { type FoundRecipient, lookUpRecipient } from "../../subscribers/subscribers.ts";
import type { RecipientStatus } from "../types.ts";
import { usedUpProviders } from "../warmup/warmup.ts";

/** The worker that holds a lease, and in whose name everything about it is written. */
export type Holder = { readonly id: string; readonly epoch: number };

export type Lease = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly n: number;
  readonly contacts: readonly string[];
  /** How many senders died while they held this batch. */
  readonly deaths: number;
  /** What was being composed alone when a sender died, and how many senders in a row died at it. */
  readonly suspect: string | null;
  readonly suspectDeaths: number;
  /** The provider for which it was held back; null for every other batch. */
  readonly provider: string | null;
  /** When the allowance ends that it is taken from: what isn't begun by then needs another lease. Unset for what has no limit. */
  readonly until?: Date;
};

type Leased = Pick<Lease, "n" | "contacts" | "deaths" | "suspect" | "suspectDeaths" | "provider">;

/**
 * Holds when nobody will write as that worker and epoch any more. It is `not in` because `not exists` would become a join, and
 * a row that changed while its lock was waited for would be compared with the join's old partner.
 */
export function isDead(of: Sql): Sql {
  return sql`(${of}.worker_id, ${of}.epoch) not in (select id, epoch from workers)`;
}

/**
 * Holds when a batch is leased by nobody, by a worker that was taken over or has ended, or by this worker without its knowing,
 * because the answer to an earlier COMMIT got lost.
 */
function isFree(holder: Holder, held: readonly number[]): Sql {
  return sql`(b.worker_id is null or ${isDead(sql`b`)} or b.worker_id = ${holder.id} and b.epoch = ${holder.epoch})
    and b.n <> all(${[...held]}::bigint[])`;
}
/** Holds when the batch's worker was taken over. A worker that was stopped in order has no row any more, and didn't die. */
const diedWithIt = sql`exists (select from workers w where w.id = b.worker_id and w.epoch > b.epoch)`;
const diedComposing = sql`(b.composing is not null and ${diedWithIt})`;

export type FreeBatches = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly now: Date;
  readonly held: readonly number[];
  readonly way: Way | undefined;
};

export type Way = { readonly transportId: string; readonly isUrgent: boolean; readonly day: string };

/** The subquery runs once, and only if there is a batch that was held back. */
function isGoingToday(accountId: string, { transportId, isUrgent, day }: Way): Sql {
  return sql`(b.provider is null or b.provider <> all(array(
    ${usedUpProviders(sql`${accountId}`, sql`${transportId}`, sql`${isUrgent}::boolean`, day)})))`;
}

/** After so many batches that another sender leased first, this one stops trying until its next turn. */
export const LEASE_ATTEMPTS = 5;

/**
 * Leases the next free batch in two statements. If another sender leased the row after the first one's snapshot, PostgreSQL
 * reads that row again, but not the workers that were added since. The second has a younger snapshot, and the row is locked.
 */
export async function leaseBatch(
  db: Db,
  holder: Holder,
  accountId: string,
  sourceId: string,
  now: Date,
  /** The batches that this sender has under way. A sender asks for one lease at a time. */
  held: readonly number[],
  /** What its mail leaves by on which day: batches of providers that are used up stay where they are. Without it, nothing is held back. */
  way?: Way,
): Promise<Lease | undefined> {
  for (let attempt = 0; attempt < LEASE_ATTEMPTS; attempt++) {
    const found = await db.transaction(async (tx) => {
      const candidate = await findFree(tx, holder, { accountId, sourceId, now, held, way });
      return candidate && (await takeBatch(tx, holder, accountId, sourceId, candidate.n, held));
    });
    if (found !== "taken") return found && { accountId, sourceId, ...found };
  }
  return undefined;
}

/** Finds the next batch that nobody has, and locks it. `more` holds for those of `batches b` that are wanted. */
export function findFree<Found extends { n: number }>(
  tx: Queryable,
  holder: Holder,
  { accountId, sourceId, now, held, way }: FreeBatches,
  more?: { readonly columns: Sql; readonly where: Sql },
): Promise<Found | undefined> {
  return tx.maybeOne<Found>(
    prepared(sql`
      select b.n ${more ? sql`, ${more.columns}` : sql``} from batches b
      where b.account_id = ${accountId} and b.source_id = ${sourceId}
        and (b.not_before is null or b.not_before <= ${now}) and ${isFree(holder, held)}
        ${way ? sql`and ${isGoingToday(accountId, way)}` : sql``} ${more ? sql`and ${more.where}` : sql``}
      order by b.n limit 1 for update of b skip locked`),
  );
}

/** This many batches of a wave are leased as one. */
const GATHERED = 200;
/** Who runs through automations comes a few at a time, or by the hundred, and a lease is to be no larger than a campaign's. */
export const GATHERED_MAILS = 500;

/**
 * Leases batches that no sender has had yet, together as one new batch: a mail of a wave is a batch of its own, and a lease for
 * each would cost it a dozen statements. Batches that were leased before stay as they are, since poison is looked for in them.
 */
export async function leaseGathered(
  db: Writable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  now: Date,
  /** The most mails that it may have; without it, so many batches, however many mails they have. */
  most?: number,
): Promise<Lease | undefined> {
  const wanted = sql`
    select b.n, b.contacts from batches b
    where b.account_id = ${accountId} and b.source_id = ${sourceId} and b.epoch is null
      and (b.not_before is null or b.not_before <= ${now})
    order by b.n limit ${Math.min(GATHERED, most ?? GATHERED)} for update of b skip locked`;
  const leased = await db.maybeOne<Leased>(
    prepared(sql`
      with ${
        most === undefined
          ? sql`fresh as materialized (${wanted})`
          : sql`
      wanted as materialized (${wanted}), fresh as materialized (
        select n, contacts from (
          select n, contacts, sum(cardinality(contacts)) over (order by n) as mails from wanted) as one
        where mails <= ${most})`
      }, gone as (
        delete from batches where account_id = ${accountId} and source_id = ${sourceId}
          and n = any(array(select n from fresh))
      )
      insert into batches (account_id, source_id, stream, transport_id, contacts, worker_id, epoch)
      select src.account_id, src.id, src.stream, src.transport_id, c.contacts, ${holder.id}::uuid, ${holder.epoch}::int
      from sources src cross join (
        select array(select unnest(contacts) from fresh order by n) as contacts where exists (select from fresh)) as c
      where src.account_id = ${accountId} and src.id = ${sourceId}
      returning n, contacts, deaths, suspect, suspect_deaths as "suspectDeaths", provider`),
  );
  return leased && { accountId, sourceId, ...leased };
}

export async function takeBatch(
  tx: Queryable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  n: number,
  held: readonly number[],
): Promise<Leased | "taken"> {
  const leased = await tx.maybeOne<Leased>(
    prepared(sql`
      update batches b set worker_id = ${holder.id}, epoch = ${holder.epoch}, composing = null,
        deaths = b.deaths + (${diedWithIt})::int,
        suspect = case when ${diedComposing} then b.composing else b.suspect end,
        suspect_deaths = case when not ${diedComposing} then b.suspect_deaths
                              when b.composing = b.suspect then b.suspect_deaths + 1 else 1 end
      where b.account_id = ${accountId} and b.source_id = ${sourceId} and b.n = ${n} and ${isFree(holder, held)}
      returning b.n, b.contacts, b.deaths, b.suspect, b.suspect_deaths as "suspectDeaths", b.provider`),
  );
  return leased ?? "taken";
}

const RETRIES_A_BATCH = 500;

/** Leases retries that are due, as a new batch. It uses the index retries_due. */
export async function leaseRetries(
  db: Writable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  now: Date,
  most = RETRIES_A_BATCH,
): Promise<Lease | undefined> {
  const leased = await db.maybeOne<Leased>(
    prepared(sql`
      with due as (
        select contact_id from retries
        where account_id = ${accountId} and source_id = ${sourceId} and not claimed and due_at <= ${now}
        order by due_at limit ${Math.min(most, RETRIES_A_BATCH)} for update skip locked
      ), batch as (
        insert into batches (account_id, source_id, stream, transport_id, contacts, worker_id, epoch)
        select src.account_id, src.id, src.stream, src.transport_id, c.contacts, ${holder.id}::uuid, ${holder.epoch}::int
        from sources src cross join (select array_agg(contact_id) as contacts from due) as c
        where src.account_id = ${accountId} and src.id = ${sourceId} and c.contacts is not null
        returning n, contacts, deaths, suspect, suspect_deaths, provider
      ), claimed as (
        update retries set claimed = true, batch = (select n from batch)
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from due))
      )
      select n, contacts, deaths, suspect, suspect_deaths as "suspectDeaths", provider from batch`),
  );
  return leased && { accountId, sourceId, ...leased };
}

/** Notes which part of a batch is being composed alone. Returns false when this worker was taken over. */
export async function beginComposing(
  db: Writable,
  holder: Holder,
  lease: Lease,
  what: string,
): Promise<boolean> {
  const begun = await db.execute(
    prepared(sql`update batches set composing = ${what} where ${isHeld(holder, lease)}`),
  );
  return begun === 1;
}

/** Notes that composing ended, well or with an error, without the death of a sender, so it is no longer suspected. */
export async function endComposing(db: Writable, holder: Holder, lease: Lease, what: string): Promise<void> {
  await db.execute(
    prepared(sql`
      update batches set composing = null, suspect = nullif(suspect, ${what}),
        suspect_deaths = case when suspect = ${what} then 0 else suspect_deaths end
      where ${isHeld(holder, lease)}`),
  );
}

function isHeld(holder: Holder, { accountId, sourceId, n }: Lease): Sql {
  return sql`account_id = ${accountId} and source_id = ${sourceId} and n = ${n}
    and worker_id = ${holder.id} and epoch = ${holder.epoch}
    and exists (select from workers where id = ${holder.id} and epoch = ${holder.epoch})`;
}

/** Counts by the first columns of delivery_errors' primary key. It is called only after a row has failed in this way. */
export async function countFailedWith(
  db: Queryable,
  accountId: string,
  sourceId: string,
  reply: string,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from delivery_errors
    where account_id = ${accountId} and source_id = ${sourceId} and state = 'failed' and why = 'unrenderable'
      and reply = ${reply}`);
  return count;
}

/** Every member of `FoundRecipient` is null once the subscriber is deleted. */
export type LedgerRow = FoundRecipient & {
  contact_id: string;
  /** null for a recipient who is no subscriber; of the subscriber's data, only the address is set then. */
  subscriber_id: string | null;
  state: RecipientStatus;
  attempt: number;
  dated_at: Date | null;
  /** The time at which it was to be sent; null for rows of long ago. */
  planned_at: Date | null;
  /** The values that came with the recipient of a given source. */
  values?: Record<string, unknown> | null;
  /** The contact, where `contact_id` names a recipient of one mail in a wave. */
  person_id?: string | null;
};

/**
 * Holds for a deferred row that this batch leased as a due retry. In any other batch, such as a dead sender's, a deferred row
 * waits for its time. The subquery runs once, by the primary key, and only if there is a deferred row.
 */
function isDue({ accountId, sourceId, n, contacts }: Lease): Sql {
  return sql`contact_id = any(array(
    select contact_id from retries where account_id = ${accountId} and source_id = ${sourceId}
      and contact_id = any(${[...contacts]}::uuid[]) and claimed and batch = ${n}))`;
}

/**
 * Reads the rows of a batch that are still to be sent, with their recipients. Contacts are passed as an array and subscribers
 * are looked up one by one, because right after planning the server has no statistics and would join by a scan.
 */
export async function readRows(
  db: Queryable,
  lease: Lease,
  { needsTags, is_given: isGiven }: { readonly needsTags: boolean; readonly is_given: boolean },
): Promise<LedgerRow[]> {
  const rows = await db.many<LedgerRow & { given_email?: string | null }>(
    prepared(sql`
      with wanted as materialized (
        select contact_id, subscriber_id, state, attempt, dated_at, planned_at from deliveries
        where account_id = ${lease.accountId} and source_id = ${lease.sourceId}
          and contact_id = any(${[...lease.contacts]}::uuid[])
          and (state in ('ready', 'inflight') or state = 'deferred' and ${isDue(lease)})
      )
      select wanted.*, s.* ${isGiven ? sql`, g.email as given_email, g."values", g.person_id` : sql``}
      from wanted ${isGiven ? givenOf(lease) : sql``}
      left join lateral ${lookUpRecipient(lease.accountId, sql`wanted.subscriber_id`, needsTags)} as s on true`),
  );
  if (!isGiven) return rows;
  return rows.map(({ given_email = null, ...row }) => ({ ...row, email: row.email ?? given_email }));
}

function givenOf({ accountId, sourceId }: Lease): Sql {
  return sql`left join lateral (
    select r.email, r."values", r.person_id from given_recipients r
    where r.account_id = ${accountId} and r.source_id = ${sourceId} and r.contact_id = wanted.contact_id offset 0
  ) as g on true`;
}

/**
 * Deletes a batch with nothing left to send, or else releases it with the rows that are left. The ledger decides what is left,
 * not the sender's memory, so the next sender finds what this one missed. Its epoch stays, and shows that it was leased.
 */
export async function giveBack(db: Writable, holder: Holder, lease: Lease): Promise<{ left: number }> {
  const { accountId, sourceId, n } = lease;
  const given = await db.maybeOne<{ left: number }>(
    prepared(sql`
      with own as materialized (
        select contacts from batches
        where account_id = ${accountId} and source_id = ${sourceId} and n = ${n}
          and worker_id = ${holder.id} and epoch = ${holder.epoch} for update
      ), open as materialized (
        select array(
          select contact_id from deliveries
          where account_id = ${accountId} and source_id = ${sourceId}
            and contact_id = any((select contacts from own)::uuid[]) and state in ('ready', 'inflight')) as contacts
        from own
      ), unclaimed as (
        update retries set claimed = false, batch = null
        where account_id = ${accountId} and source_id = ${sourceId} and claimed and batch = ${n}
          and contact_id = any((select contacts from own)::uuid[])
      ), removed as (
        delete from batches using open
        where account_id = ${accountId} and source_id = ${sourceId} and n = ${n} and cardinality(open.contacts) = 0
      ), kept as (
        update batches set contacts = open.contacts, worker_id = null from open
        where account_id = ${accountId} and source_id = ${sourceId} and n = ${n} and cardinality(open.contacts) > 0
      )
      select cardinality(contacts) as left from open`),
  );
  return given ?? { left: 0 };
}
