/** The SQL of domains as an account edits them is in this file; that of looking into the DNS is in `look-store.ts`. */
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../accounts/accounts.ts";
import type { Actor } from "../platform/context.ts";
import { type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import type { DnsHost, DomainRecord } from "./records/types.ts";
import type { DomainStatus, KeyAlgorithm, KeyState } from "./schema.ts";

export type DomainRow = {
  readonly account_id: string;
  readonly id: string;
  readonly name: string;
  readonly status: DomainStatus;
  readonly return_path: string | null;
  readonly tracking_host: string | null;
  readonly return_path_ok: boolean;
  readonly tracking_ok: boolean;
  readonly tracking_cname_ok: boolean;
  readonly ed25519: boolean;
  readonly version: number;
  readonly verified_at: Date | null;
  readonly failing_since: Date | null;
  readonly records: readonly DomainRecord[];
  readonly dns_host: DnsHost | null;
  readonly checked_at: Date | null;
  readonly looks: number;
  readonly next_check_at: Date;
  readonly watched_until: Date | null;
  readonly verify_asked_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly updated_by: UpdatedByRow;
};

/** Without the private key, which only whoever signs reads. */
export type KeyRow = {
  readonly account_id: string;
  readonly domain_id: string;
  readonly id: string;
  readonly algorithm: KeyAlgorithm;
  readonly selector: string;
  readonly state: KeyState;
  readonly public_record: string;
  readonly seen_at: Date | null;
  readonly activated_at: Date | null;
  readonly retiring_since: Date | null;
  readonly created_at: Date;
};

export type DomainWithKeys = DomainRow & { readonly keys: readonly KeyRow[] };

export const domainColumns = sql`d.account_id, d.id, d.name, d.status, d.return_path, d.tracking_host, d.return_path_ok, d.tracking_ok,
  d.tracking_cname_ok, d.ed25519, d.version, d.verified_at, d.failing_since, d.records, d.dns_host, d.checked_at, d.looks,
  d.next_check_at, d.watched_until, d.verify_asked_at, d.created_at, d.updated_at, ${updatedByOf("d")}`;

/** The account must not have the name yet, and must be locked (`lockAndCount`). */
export function insertDomain(tx: Tx, row: Unsigned<DomainRow>, actor: Actor): Promise<DomainRow> {
  return tx.one<DomainRow>(sql`
    insert into domains as d (account_id, id, name, status, return_path, tracking_host, return_path_ok, tracking_ok, tracking_cname_ok,
      ed25519, version, keys_version, records, dns_host, looks, next_check_at, created_at, updated_at, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.status}, ${row.return_path}, ${row.tracking_host}, ${row.return_path_ok},
      ${row.tracking_ok}, ${row.tracking_cname_ok}, ${row.ed25519}, ${row.version}, 1, ${JSON.stringify(row.records)}::json, null,
      ${row.looks}, ${row.next_check_at}, ${row.created_at}, ${row.updated_at}, ${signing(actor)})
    returning ${domainColumns}`);
}

/**
 * Says whether another domain has one of these hosts: one of the account, or one of anybody's that is proved. The indexes
 * domains_by_return_path and domains_by_tracking_host serve it.
 */
export async function areHostsTaken(
  tx: Tx,
  accountId: string,
  { id, return_path, tracking_host }: Pick<DomainRow, "id" | "return_path" | "tracking_host">,
): Promise<boolean> {
  const holds = sql`(account_id = ${accountId} or status in ('verified', 'failing')) and id <> ${id}`;
  const { is_taken } = await tx.one<{ is_taken: boolean }>(sql`
    select exists (select from domains where return_path = ${return_path} and ${holds})
      or exists (select from domains where tracking_host = ${tracking_host} and ${holds}) as is_taken`);
  return is_taken;
}

export async function findDomain(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<DomainWithKeys | undefined> {
  const row = await db.maybeOne<DomainRow>(
    sql`select ${domainColumns} from domains d where d.account_id = ${accountId} and d.id = ${id}`,
  );
  return row && (await withKeys(db, accountId, [row]))[0];
}

export async function findDomainId(
  db: Queryable,
  accountId: string,
  name: string,
): Promise<string | undefined> {
  const row = await db.maybeOne<{ id: string }>(
    sql`select id from domains where account_id = ${accountId} and name = ${name}`,
  );
  return row?.id;
}

export async function lockDomain(tx: Tx, accountId: string, id: string): Promise<DomainWithKeys | undefined> {
  const row = await tx.maybeOne<DomainRow>(
    sql`select ${domainColumns} from domains d where d.account_id = ${accountId} and d.id = ${id} for update of d`,
  );
  return row && (await withKeys(tx, accountId, [row]))[0];
}

/** The index domains_by_age serves it; an account has few domains of any status. */
export async function listDomains(
  db: Queryable,
  accountId: string,
  status: DomainStatus | undefined,
  page: AgePage,
): Promise<DomainWithKeys[]> {
  const rows = await db.many<DomainRow>(sql`
    select ${domainColumns} from domains d where d.account_id = ${accountId} ${ofStatus(status)} ${newestFirst(page, "d")}`);
  return withKeys(db, accountId, rows);
}

export async function countDomains(
  db: Queryable,
  accountId: string,
  status: DomainStatus | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from domains d where d.account_id = ${accountId} ${ofStatus(status)}`,
  );
  return count;
}

function ofStatus(status: DomainStatus | undefined) {
  return status === undefined ? sql`` : sql`and d.status = ${status}`;
}

/** Counts them while no other request can add one, since a lock on the account keeps two such counts apart. */
export async function lockAndCount(tx: Tx, accountId: string): Promise<number> {
  await lockAccount(tx, accountId);
  return countDomains(tx, accountId, undefined);
}

/** Adds the keys of all rows by one statement, those in use first. The primary key of domain_keys serves it. */
export async function withKeys(
  db: Queryable,
  accountId: string,
  rows: readonly DomainRow[],
): Promise<DomainWithKeys[]> {
  if (rows.length === 0) return [];
  const keys = await db.many<KeyRow>(sql`
    select account_id, domain_id, id, algorithm, selector, state, public_record, seen_at, activated_at, retiring_since, created_at
    from domain_keys where account_id = ${accountId} and domain_id = any(${rows.map(({ id }) => id)}::uuid[])
    order by array_position(array['active', 'standby', 'retiring', 'retired'], state), algorithm desc, id desc`);
  const byDomain = Map.groupBy(keys, ({ domain_id }) => domain_id);
  return rows.map((row) => ({ ...row, keys: byDomain.get(row.id) ?? [] }));
}

/** Writes what a client may change, with what follows from it; the row must be locked. */
export async function updateDomainRow(tx: Tx, row: DomainRow, actor: Actor): Promise<DomainRow> {
  return tx.one<DomainRow>(sql`
    update domains d set return_path = ${row.return_path}, tracking_host = ${row.tracking_host}, return_path_ok = ${row.return_path_ok},
      tracking_ok = ${row.tracking_ok}, tracking_cname_ok = ${row.tracking_cname_ok}, ed25519 = ${row.ed25519},
      version = ${row.version}, keys_version = keys_version + 1, records = ${JSON.stringify(row.records)}::json, looks = ${row.looks},
      next_check_at = ${row.next_check_at}, updated_at = ${row.updated_at}, ${signedBy(actor)}
    where d.account_id = ${row.account_id} and d.id = ${row.id} returning ${domainColumns}`);
}

export async function removeDomain(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from domains where account_id = ${accountId} and id = ${id}`);
}

/** Somebody reads the domain, so the next look is due soon. At most one of several reads within seconds writes. */
export async function markWatched(
  db: Writable,
  accountId: string,
  id: string,
  times: { readonly now: Date; readonly until: Date; readonly rewriteBefore: Date; readonly everyMs: number },
): Promise<void> {
  await db.execute(sql`
    update domains set watched_until = ${times.until}, next_check_at = least(next_check_at,
      greatest(${times.now}::timestamptz, checked_at + make_interval(secs => ${times.everyMs / 1_000})))
    where account_id = ${accountId} and id = ${id} and (watched_until is null or watched_until < ${times.rewriteBefore})`);
}

/** What a client may ask for: once in so long for each domain, and in the same time for so many domains of an account. */
export type AskLimits = { readonly now: Date; readonly everyMs: number; readonly most: number };

/**
 * Notes that a client asks for a look. Returns false where one did so for this domain within that time, or for too many others. The
 * account is locked meanwhile, since two that ask at once would count alike. Whoever had the lock first may have read the clock last, or
 * that of another machine: so a moment ahead of ours counts too, unless it is as far ahead as only a clock that was wrong can be.
 */
export async function noteAsked(
  tx: Tx,
  accountId: string,
  id: string,
  { now, everyMs, most }: AskLimits,
): Promise<boolean> {
  await lockAccount(tx, accountId);
  const [since, until] = [new Date(now.getTime() - everyMs), new Date(now.getTime() + everyMs)];
  const isLately = sql`coalesce(verify_asked_at > ${since} and verify_asked_at < ${until}, false)`;
  const touched = await tx.execute(sql`
    update domains set verify_asked_at = ${now} where account_id = ${accountId} and id = ${id} and not ${isLately}
      and (select count(*) from domains where account_id = ${accountId} and ${isLately}) < ${most}`);
  return touched === 1;
}

async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
}
