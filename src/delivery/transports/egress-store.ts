/**
 * From which addresses a transport's mail reaches other servers. A relay's own name says nothing of it, so mail tests find it out:
 * SPF records, blocklists and DMARC reports are about these addresses.
 */
import { type Queryable, sql, type Writable } from "../../platform/db/db.ts";

export type EgressAddress = {
  /** Is null for the instance's own server. */
  readonly transportId: string | null;
  readonly address: string;
  /** The name that it gave when it was last seen. */
  readonly helo: string;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
};

/** An account's relays have few addresses; a large provider's pool shows one more with each test. */
const MOST_LISTED = 200;

/** A provider gives its addresses to others in time, so what wasn't seen for so long says nothing of the account's mail. */
const SEEN_FOR = sql`interval '90 days'`;

/** Lists those that were seen of late, the last first. The unique index over all of an account's serves it. */
export function listEgressAddresses(db: Queryable, accountId: string): Promise<EgressAddress[]> {
  return db.many<EgressAddress>(sql`
    select transport_id as "transportId", address, helo, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"
    from transport_addresses where account_id = ${accountId} and last_seen_at > now() - ${SEEN_FOR} order by last_seen_at desc, address limit ${MOST_LISTED}`);
}

/** Notes that a transport's mail came from this address. A transport that is gone by now is noted no more. */
export async function recordEgressAddress(
  db: Writable,
  accountId: string,
  seen: Pick<EgressAddress, "transportId" | "address" | "helo"> & { readonly at: Date },
): Promise<void> {
  const { transportId, address, helo, at } = seen;
  await db.execute(sql`
    insert into transport_addresses as a (account_id, transport_id, address, helo, first_seen_at, last_seen_at)
    select ${accountId}, ${transportId}::uuid, ${address}, ${helo}, ${at}, ${at}
    where ${transportId}::uuid is null
       or exists (select from transports t where t.account_id = ${accountId} and t.id = ${transportId})
    on conflict (account_id, transport_id, address) do update
      set helo = excluded.helo, last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at)`);
}

/** Deletes those that count no more. The index is transport_addresses_by_age. */
export async function removeOldEgressAddresses(db: Writable): Promise<void> {
  await db.execute(sql`delete from transport_addresses where last_seen_at <= now() - ${SEEN_FOR}`);
}
