/**
 * The SQL of the poller is in this file. One process at a time has a mailbox: whoever claims it gets a lease with an id of its
 * own, and all that it writes asks for that id, so a process that was taken over can't store anything twice. Times are the
 * database's own, because processes' clocks differ.
 */
import { type Db, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { Failure } from "./failures.ts";
import type { MailboxRow } from "./store.ts";

export type Lease = Pick<MailboxRow, "account_id" | "id"> & { readonly leased_by: string };

export type LeasedMailbox = Lease &
  Pick<
    MailboxRow,
    | "host"
    | "port"
    | "tls"
    | "username"
    | "password"
    | "folder"
    | "after"
    | "version"
    | "is_failing"
    | "error_code"
  > & {
    uid_validity: number | null;
    last_uid: number;
    restarted_at: Date | null;
    to_settle: readonly number[];
    failures: number;
  };

/** A lease is renewed every five seconds, and free for others after this many. */
const LEASE_SECONDS = 60;

/** The index mailboxes_due serves it. */
export function claimDue(db: Writable, limit: number): Promise<LeasedMailbox[]> {
  return db.many<LeasedMailbox>(sql`
    with due as (
      select account_id, id from mailboxes
      where not is_paused and next_check_at <= now() and (leased_until is null or leased_until < now())
      order by next_check_at limit ${limit} for update skip locked)
    update mailboxes m set leased_by = gen_random_uuid(), leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from due where m.account_id = due.account_id and m.id = due.id
    returning m.account_id, m.id, m.leased_by, m.host, m.port, m.tls, m.username, m.password, m.folder, m.after, m.version,
      m.is_failing, m.error_code, m.uid_validity, m.last_uid, m.restarted_at, m.to_settle::float8[] as to_settle, m.failures`);
}

/** Returns the leases that still hold, of mailboxes that are as they were when they were claimed. */
export async function renewLeases(
  db: Writable,
  held: readonly LeasedMailbox[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ leased_by: string }>(sql`
    update mailboxes m set leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from unnest(${held.map((one) => one.account_id)}::uuid[], ${held.map((one) => one.id)}::uuid[],
                ${held.map((one) => one.leased_by)}::uuid[], ${held.map((one) => one.version)}::int[])
      as held (account_id, id, leased_by, version)
    where m.account_id = held.account_id and m.id = held.id and m.leased_by = held.leased_by and m.version = held.version
      and not m.is_paused
    returning m.leased_by`);
  return new Set(rows.map(({ leased_by }) => leased_by));
}

/** Says how far the folder was read, for the same transaction as the mails that were in it. False: the lease is lost. */
export async function moveOn(
  tx: Tx,
  { account_id, id, leased_by }: Lease,
  to: {
    readonly lastUid: number;
    readonly toSettle: readonly number[];
    readonly taken: number;
    readonly left: number;
    readonly cut: number;
  },
): Promise<boolean> {
  const touched = await tx.execute(sql`
    update mailboxes set last_uid = ${to.lastUid}, to_settle = to_settle || ${to.toSettle}::bigint[],
      count_taken = count_taken + ${to.taken}, count_left = count_left + ${to.left}, count_cut = count_cut + ${to.cut}
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by}`);
  return touched === 1;
}

/** Begins anew, because the numbers of the server's mails are others than they were. */
export async function beginAnew(
  db: Writable,
  { account_id, id, leased_by }: Lease,
  to: { readonly uidValidity: number; readonly lastUid: number },
): Promise<boolean> {
  const touched = await db.execute(sql`
    update mailboxes set uid_validity = ${to.uidValidity}, last_uid = ${to.lastUid}, restarted_at = now(), to_settle = '{}'
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by}`);
  return touched === 1;
}

/** Takes mails off the list of those that `after` is to be done to. */
export async function noteSettled(
  db: Db,
  { account_id, id, leased_by }: Lease,
  uids: readonly number[],
): Promise<void> {
  await db.execute(sql`
    update mailboxes set to_settle = array(
      select uid from unnest(to_settle) as uid where uid <> all(${uids}::bigint[]) order by uid)
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by}`);
}

/** Returns whether the mailbox was failing until now; undefined where the lease is lost. */
export async function noteSuccess(tx: Tx, lease: Lease, now: Date): Promise<boolean | undefined> {
  const row = await lockLeased(tx, lease);
  if (!row) return undefined;
  await tx.execute(sql`
    update mailboxes set last_checked_at = ${now}, failures = 0, is_failing = false, error_code = null, error_text = null,
      error_at = null
    where account_id = ${lease.account_id} and id = ${lease.id}`);
  return row.is_failing;
}

/** Writes down what went wrong. */
export async function noteFailure(
  tx: Tx,
  { account_id, id }: Lease,
  now: Date,
  { code, text }: Failure,
  { failures, isFailing }: { readonly failures: number; readonly isFailing: boolean },
): Promise<void> {
  await tx.execute(sql`
    update mailboxes set failures = ${failures}, is_failing = ${isFailing}, error_code = ${code}, error_text = ${text},
      error_at = ${now}
    where account_id = ${account_id} and id = ${id}`);
}

export function lockLeased(
  tx: Tx,
  { account_id, id, leased_by }: Lease,
): Promise<{ is_failing: boolean; failures: number } | undefined> {
  return tx.maybeOne(sql`
    select is_failing, failures from mailboxes
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by} for update`);
}

/** Gives the mailbox back. An edit that came meanwhile has made the next look due at once, and that stays. */
export async function release(
  db: Writable,
  { account_id, id, leased_by, version }: LeasedMailbox,
  afterMs: number,
): Promise<void> {
  await db.execute(sql`
    update mailboxes set leased_by = null, leased_until = null, next_check_at = case when version = ${version}
      then now() + make_interval(secs => ${afterMs / 1_000}) else next_check_at end
    where account_id = ${account_id} and id = ${id} and leased_by = ${leased_by}`);
}
