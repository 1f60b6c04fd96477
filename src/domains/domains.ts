/**
 * Sender domains of an account: who may send from them, the keys that sign their mail, and the records in their DNS. What proves a
 * domain is the account's own key in its DNS, which is looked at again and again. Other folders use this file alone.
 */
import { type Db, prepared, type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import type { Secrets } from "../platform/secrets.ts";
import { listSealedKeys, replaceSealedKey, type SealedKey } from "./keys/key-store.ts";
import { resealDomainKey } from "./keys/keys.ts";
import { namesAbove } from "./names.ts";
import type { DomainRecord } from "./records/types.ts";
import type { DomainStatus } from "./schema.ts";

export { type DomainTools, domainZone, makeDomain, rotateDomain, verifyDomain } from "./commands.ts";
export type { InstanceKey } from "./keys/instance-keys.ts";
export {
  createSigningKeys,
  type SenderFacts,
  type SenderIdentity,
  type SigningKeys,
} from "./keys/signing.ts";
export { startDomainWatching } from "./looks/watching.ts";
export { createFetchTracking } from "./records/records.ts";
export { mountTlsAsk } from "./tls-ask.ts";
export { createTrackingHosts, type TrackingHosts } from "./tracking-hosts.ts";

export type SenderDomain = {
  readonly id: string;
  readonly name: string;
  readonly status: DomainStatus;
  /** Each is null unless its record is right. */
  readonly returnPath: string | null;
  readonly trackingHost: string | null;
};

/**
 * Finds the domain by which an account sends from an address: the nearest that it has proved, of the address's own and those above it;
 * else its own that isn't proved. Proof of a domain holds for what is below it, and never for what is above. `fromDomain` is in
 * lower case and A-labels. The index domains_by_name serves it.
 */
export function findSenderDomain(
  db: Queryable,
  accountId: string,
  fromDomain: string,
): Promise<SenderDomain | undefined> {
  return db.maybeOne<SenderDomain>(
    prepared(sql`
      select id, name, status, case when return_path_ok then return_path end as "returnPath",
        case when tracking_ok then tracking_host end as "trackingHost"
      from domains where account_id = ${accountId} and name = any(${namesAbove(fromDomain)}::text[])
        and (status in ('verified', 'failing') or name = ${fromDomain})
      order by status in ('verified', 'failing') desc, length(name) desc limit 1`),
  );
}

/** Lists the ids of the account's domains that an address's domain is or is below, whether they are proved or not. */
export function listDomainsAbove(db: Queryable, accountId: string, fromDomain: string): Promise<string[]> {
  return idsAbove(db, accountId, fromDomain, sql``);
}

/**
 * Does the same, and keeps them from being deleted until the transaction ends: whoever deletes one waits, and then finds the campaign
 * that was launched. It waits for nobody who only changes them.
 */
export function holdDomainsAbove(tx: Tx, accountId: string, fromDomain: string): Promise<string[]> {
  return idsAbove(tx, accountId, fromDomain, sql`for key share`);
}

async function idsAbove(
  db: Queryable,
  accountId: string,
  fromDomain: string,
  locking: Sql,
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select id from domains where account_id = ${accountId} and name = any(${namesAbove(fromDomain)}::text[])
    order by id ${locking}`);
  return rows.map(({ id }) => id);
}

/** Says whether an account's mail leaves from this host, which is in lower case. The index is domains_by_return_path. */
export async function isReturnPathOf(db: Queryable, accountId: string, host: string): Promise<boolean> {
  const found = await db.maybeOne(
    prepared(sql`
      select 1 as found from domains
      where account_id = ${accountId} and return_path = ${host} and return_path_ok and status in ('verified', 'failing')`),
  );
  return found !== undefined;
}

const MOST_LISTED = 100;

/** Lists what the last looks found, the newest domains first. The index domains_by_age serves it. */
export function listDomainRecords(
  db: Queryable,
  accountId: string,
): Promise<
  {
    id: string;
    name: string;
    status: DomainStatus;
    records: readonly DomainRecord[];
    checkedAt: Date | null;
  }[]
> {
  return db.many(sql`
    select id, name, status, records, checked_at as "checkedAt" from domains where account_id = ${accountId}
    order by created_at desc, id desc limit ${MOST_LISTED}`);
}

const SEALED_AT_ONCE = 100;

/** Seals all keys under the new SECRET_KEY after its rotation, so that the old one can go. */
export async function resealDomainKeys(db: Db, secrets: Secrets): Promise<number> {
  let count = 0;
  let last: SealedKey | undefined;
  do {
    const some: readonly SealedKey[] = await listSealedKeys(db, last, SEALED_AT_ONCE);
    for (const row of some) {
      const anew = resealDomainKey(secrets, row, row.private_key);
      if (anew) await replaceSealedKey(db, row, anew);
      count += anew ? 1 : 0;
    }
    last = some.at(-1);
  } while (last);
  return count;
}
