/**
 * The SQL of looking into the DNS is in this file. One process at a time looks at a domain: whoever claims it gets a lease with an id
 * of its own, and what it writes asks for that id. Leases end by the database's clock, because those of processes differ.
 */
import { type Queryable, type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { DnsHost, DomainRecord } from "../records/types.ts";
import type { DomainStatus } from "../schema.ts";
import { type DomainRow, type DomainWithKeys, domainColumns, withKeys } from "../store.ts";

export type Lease = Pick<DomainRow, "account_id" | "id" | "version"> & { readonly leased_by: string };

/** A look ends sooner (`looks.ts`), so a lease that has run out is a dead process's. */
const LEASE_SECONDS = 60;

const free = sql`(leased_until is null or leased_until < now())`;
const lease = sql`leased_by = gen_random_uuid(), leased_until = now() + make_interval(secs => ${LEASE_SECONDS})`;

/** All looks of an account that are under way at once, in all processes; two that claim at the same moment may exceed it. */
const MOST_OF_ACCOUNT = 4;
/** So many of those that wait longest are looked through. An account has 200 at most, so that those of several are among them. */
const MOST_CANDIDATES = 2_000;

/** Claims what is due and nobody waits for, over all accounts, by turns. The index domains_due serves it. */
export function claimDue(db: Writable, now: Date, limit: number): Promise<Lease[]> {
  return claim(
    db,
    now,
    limit,
    sql`select account_id, id, next_check_at as waits_since from domains
      where next_check_at <= ${now} and (watched_until is null or watched_until <= ${now}) and ${free}
      order by next_check_at limit ${MOST_CANDIDATES}`,
  );
}

/** Claims what is due and somebody waits for, likewise. The index domains_watched serves it. */
export function claimWatched(db: Writable, now: Date, limit: number): Promise<Lease[]> {
  return claim(
    db,
    now,
    limit,
    sql`select account_id, id, next_check_at as waits_since from domains
      where watched_until > ${now} and next_check_at <= ${now} and ${free} order by watched_until limit ${MOST_CANDIDATES}`,
  );
}

/** The first of every account go before any second one. The index domains_leased counts what is under way. */
function claim(db: Writable, now: Date, limit: number, candidates: Sql): Promise<Lease[]> {
  return db.many<Lease>(sql`
    with candidates as (${candidates}),
    busy as (
      select account_id, (select count(*) from domains d where d.account_id = waiting.account_id and d.leased_until >= now()) as looks
      from (select distinct account_id from candidates) as waiting),
    ranked as (
      select account_id, id, waits_since, busy.looks + row_number() over (partition by account_id order by waits_since, id) as place
      from candidates join busy using (account_id)),
    chosen as (
      select account_id, id from ranked where place <= ${MOST_OF_ACCOUNT} order by place, waits_since limit ${limit}),
    due as (
      select d.account_id, d.id from domains d join chosen using (account_id, id)
      where d.next_check_at <= ${now} and (d.leased_until is null or d.leased_until < now()) for update of d skip locked)
    update domains d set ${lease} from due where d.account_id = due.account_id and d.id = due.id
    returning d.account_id, d.id, d.version, d.leased_by`);
}

/** Claims this domain, due or not. Returns nothing while another looks at it. */
export function claimOne(db: Writable, accountId: string, id: string): Promise<Lease | undefined> {
  return db.maybeOne<Lease>(sql`
    update domains set ${lease} where account_id = ${accountId} and id = ${id} and ${free}
    returning account_id, id, version, leased_by`);
}

/** Locks the row for writing what was found; undefined where the lease is lost. */
export async function lockLeased(
  tx: Tx,
  { account_id, id, leased_by }: Lease,
): Promise<DomainWithKeys | undefined> {
  const row = await tx.maybeOne<DomainRow>(sql`
    select ${domainColumns} from domains d
    where d.account_id = ${account_id} and d.id = ${id} and d.leased_by = ${leased_by} for update of d`);
  return row && (await withKeys(tx, account_id, [row]))[0];
}

export type Finding = {
  readonly status: DomainStatus;
  readonly verified_at: Date | null;
  readonly failing_since: Date | null;
  readonly return_path_ok: boolean;
  readonly tracking_ok: boolean;
  readonly tracking_cname_ok: boolean;
  readonly records: readonly DomainRecord[];
  readonly dns_host: DnsHost | null;
  readonly checked_at: Date;
  readonly looks: number;
  readonly next_check_at: Date;
  /** Whether it matters to whoever sends. */
  readonly isNews: boolean;
};

/** Writes what was found and gives the domain back. */
export async function writeFinding(tx: Tx, { account_id, id }: Lease, found: Finding): Promise<void> {
  await tx.execute(sql`
    update domains set status = ${found.status}, verified_at = ${found.verified_at}, failing_since = ${found.failing_since},
      return_path_ok = ${found.return_path_ok}, tracking_ok = ${found.tracking_ok}, tracking_cname_ok = ${found.tracking_cname_ok},
      records = ${JSON.stringify(found.records)}::json, dns_host = ${found.dns_host && JSON.stringify(found.dns_host)}::json,
      checked_at = ${found.checked_at}, looks = ${found.looks}, next_check_at = ${found.next_check_at},
      keys_version = keys_version + ${found.isNews ? 1 : 0}, leased_by = null, leased_until = null
    where account_id = ${account_id} and id = ${id}`);
}

/** Gives the domain back without a finding: it was edited meanwhile, and its next look is due as the edit said. */
export async function release(db: Writable, { account_id, id, leased_by }: Lease): Promise<void> {
  await db.execute(sql`
    update domains set leased_by = null, leased_until = null
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by}`);
}

export type HeldHosts = { readonly return_path: boolean; readonly tracking_host: boolean };

/**
 * Says which hosts of a domain another one uses, of any account, that is proved. The indexes domains_by_return_path and
 * domains_by_tracking_host serve it.
 */
export function findHeldHosts(
  db: Queryable,
  { account_id, id, return_path, tracking_host }: DomainRow,
): Promise<HeldHosts> {
  const byOther = sql`status in ('verified', 'failing') and (account_id, id) <> (${account_id}::uuid, ${id}::uuid)`;
  return db.one<HeldHosts>(sql`
    select exists (select from domains where return_path = ${return_path} and return_path_ok and ${byOther}) as return_path,
      exists (select from domains where tracking_host = ${tracking_host} and tracking_ok and ${byOther}) as tracking_host`);
}

/** Whether a look ended after `since`, or the domain is gone. */
export async function wasLookedAt(
  db: Queryable,
  accountId: string,
  id: string,
  since: Date,
): Promise<boolean> {
  const row = await db.maybeOne<{ is_new: boolean }>(sql`
    select coalesce(checked_at >= ${since}, false) as is_new from domains where account_id = ${accountId} and id = ${id}`);
  return row?.is_new ?? true;
}
