/** All statements of soft bounces: each mail that bounced, and when a mail last reached its address. */
import { BOUNCE_LIMITS } from "../../accounts/accounts.ts";
import { timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";

export type SoftBounce = {
  /** The address that bounced. */
  readonly contactId: string;
  readonly sourceId: string;
  /** The message, by the id that its row of the ledger has. */
  readonly messageId: string;
  readonly at: Date;
};

/** The same mail counts once, at the earliest time that is told of it. */
export async function insertSoftBounces(
  tx: Tx,
  accountId: string,
  bounces: readonly SoftBounce[],
): Promise<void> {
  await tx.execute(sql`
    insert into soft_bounces as known (account_id, contact_id, source_id, message_id, at)
    select ${accountId}, contact_id, source_id, message_id, min(at)
    from unnest(${uuidArray(bounces.map((one) => one.contactId))}::uuid[], ${uuidArray(bounces.map((one) => one.sourceId))}::uuid[],
                ${uuidArray(bounces.map((one) => one.messageId))}::uuid[], ${timeArray(bounces.map((one) => one.at))}::timestamptz[])
      as new (contact_id, source_id, message_id, at)
    group by contact_id, source_id, message_id order by contact_id, source_id, message_id
    on conflict (account_id, contact_id, source_id, message_id) do update set at = excluded.at where excluded.at < known.at`);
}

type AddressHistory = { readonly contactId: string; readonly times: Date[]; readonly reachedAt: Date | null };

/** Reads the soft bounces of these addresses, and when a report last said that a mail reached them. */
export function readHistories(
  db: Queryable,
  accountId: string,
  contactIds: readonly string[],
): Promise<AddressHistory[]> {
  return db.many<AddressHistory>(sql`
    select b.contact_id as "contactId", array_agg(b.at) as times, (
      select r.at from reached_addresses r where r.account_id = ${accountId} and r.contact_id = b.contact_id) as "reachedAt"
    from soft_bounces b
    where b.account_id = ${accountId} and b.contact_id = any(${[...contactIds]}::uuid[])
    group by b.contact_id`);
}

export async function upsertReached(
  tx: Tx,
  accountId: string,
  reached: readonly { readonly contactId: string; readonly at: Date }[],
): Promise<void> {
  await tx.execute(sql`
    insert into reached_addresses as known (account_id, contact_id, at)
    select ${accountId}, contact_id, max(at)
    from unnest(${uuidArray(reached.map((one) => one.contactId))}::uuid[], ${timeArray(reached.map((one) => one.at))}::timestamptz[])
      as new (contact_id, at)
    group by contact_id order by contact_id
    on conflict (account_id, contact_id) do update set at = excluded.at where excluded.at > known.at`);
}

/** After so many half-lives of its account a bounce weighs less than half a hundredth, and is forgotten. */
const HALF_LIVES = 8;
const { default: USUAL, minimum: LEAST } = BOUNCE_LIMITS.soft_half_life_days;
/** No report comes later than this of a mail that bounced before another one arrived. */
const REACHED_DAYS = 90;

/** Deletes what weighs nothing any more. The indexes are soft_bounces_by_age and reached_addresses_by_age. */
export async function removeOldSoftBounces(db: Writable, now: Date): Promise<void> {
  const daysAgo = (days: Sql | number) => sql`${now}::timestamptz - make_interval(days => (${days})::int)`;
  const halfLife = sql`coalesce((a.bounces ->> 'soft_half_life_days')::float8, ${USUAL})`;
  await db.execute(sql`
    delete from soft_bounces b using accounts a
    where b.at < ${daysAgo(HALF_LIVES * LEAST)} and a.account_id = b.account_id
      and b.at < ${daysAgo(sql`${HALF_LIVES} * ${halfLife}`)}`);
  // What an address bounced before it was reached counts for nothing only while that is known.
  await db.execute(sql`
    delete from reached_addresses r where r.at < ${daysAgo(REACHED_DAYS)} and not exists (
      select from soft_bounces b where b.account_id = r.account_id and b.contact_id = r.contact_id)`);
}
