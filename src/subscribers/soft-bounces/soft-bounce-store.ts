/** All statements of soft bounces: each mail that bounced, and when a mail last reached its address. */
import { timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";

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
