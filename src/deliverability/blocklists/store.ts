/** All statements of blocklists. */
import { textArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { ProofKind } from "./listing-rules.ts";
import type { KindProof, LookedUp } from "./look-up.ts";

export type ProofRow = {
  zone: string;
  kind: ProofKind;
  proved_at: Date | null;
  is_disproved: boolean;
  detail: string | null;
  checked_at: Date;
};

export function readProofs(db: Queryable, zones: readonly string[]): Promise<ProofRow[]> {
  return db.many<ProofRow>(sql`
    select zone, kind, proved_at, is_disproved, detail, checked_at from blocklist_proofs
    where zone = any(${[...zones]}::text[])`);
}

/** Keeps what was found. A list that nobody answered for stays as it was proved before. */
export async function writeProofs(db: Writable, proofs: readonly KindProof[], at: Date): Promise<void> {
  const details = proofs.map(({ proof }) => ("detail" in proof ? proof.detail : null));
  await db.execute(sql`
    insert into blocklist_proofs as x (zone, kind, proved_at, is_disproved, detail, checked_at)
    select zone, kind, case when outcome = 'proved' then ${at}::timestamptz end, outcome = 'disproved', detail, ${at}::timestamptz
    from unnest(${proofs.map(({ zone }) => zone)}::text[], ${proofs.map(({ kind }) => kind)}::text[],
                ${proofs.map(({ proof }) => proof.kind)}::text[], ${textArray(details)}::text[]) as one (zone, kind, outcome, detail)
    order by zone, kind
    on conflict (zone, kind) do update set
      proved_at = coalesce(excluded.proved_at, x.proved_at), checked_at = excluded.checked_at, detail = excluded.detail,
      is_disproved = case when excluded.proved_at is not null then false else x.is_disproved or excluded.is_disproved end`);
}

export type ResultRow = {
  subject: string;
  zone: string;
  status: "clear" | "listed" | "unknown";
  detail: string | null;
  listed_since: Date | null;
  checked_at: Date;
};

export function readResults(db: Queryable, accountId: string): Promise<ResultRow[]> {
  return db.many<ResultRow>(sql`
    select subject, zone, status, detail, listed_since, checked_at from blocklist_results
    where account_id = ${accountId} order by subject, zone`);
}

/** Keeps what was found. Where nobody answered, only what was never known before is written. */
export async function writeResults(
  tx: Tx,
  accountId: string,
  found: readonly LookedUp[],
  at: Date,
): Promise<void> {
  await tx.execute(sql`
    insert into blocklist_results as x (account_id, subject, zone, status, detail, listed_since, checked_at)
    select ${accountId}, subject, zone, status, detail, case when status = 'listed' then ${at}::timestamptz end, ${at}::timestamptz
    from unnest(${found.map(({ subject }) => subject)}::text[], ${found.map(({ zone }) => zone)}::text[],
                ${found.map(({ status }) => status)}::text[], ${textArray(found.map(({ detail }) => detail))}::text[])
      as one (subject, zone, status, detail)
    order by subject, zone
    on conflict (account_id, subject, zone) do update set
      status = excluded.status, detail = excluded.detail, checked_at = excluded.checked_at,
      listed_since = case excluded.status when 'clear' then null when 'listed' then coalesce(x.listed_since, excluded.checked_at)
                                          else x.listed_since end
    where (excluded.subject, excluded.zone) not in (
      select * from unnest(${failed(found).map(({ subject }) => subject)}::text[], ${failed(found).map(({ zone }) => zone)}::text[]))`);
}

function failed(found: readonly LookedUp[]): readonly LookedUp[] {
  return found.filter(({ isFailed }) => isFailed);
}

/** Removes what was found about what is no longer looked up. */
export async function removeOtherResults(
  tx: Tx,
  accountId: string,
  kept: { readonly subjects: readonly string[]; readonly zones: readonly string[] },
): Promise<void> {
  await tx.execute(sql`
    delete from blocklist_results where account_id = ${accountId}
      and not (subject = any(${[...kept.subjects]}::text[]) and zone = any(${[...kept.zones]}::text[]))`);
}

export type CheckRow = { checked_at: Date | null; next_check_at: Date; asked_at: Date | null };

export function readCheck(db: Queryable, accountId: string): Promise<CheckRow | undefined> {
  return db.maybeOne<CheckRow>(sql`
    select checked_at, next_check_at, asked_at from blocklist_checks where account_id = ${accountId}`);
}

export async function noteChecked(tx: Tx, accountId: string, at: Date, next: Date): Promise<void> {
  await tx.execute(sql`
    insert into blocklist_checks (account_id, checked_at, next_check_at) values (${accountId}, ${at}, ${next})
    on conflict (account_id) do update set checked_at = excluded.checked_at, next_check_at = excluded.next_check_at`);
}

/** Notes that somebody asked for a look, unless one was asked for since then. */
export async function claimAsked(tx: Tx, accountId: string, at: Date, since: Date): Promise<boolean> {
  const claimed = await tx.execute(sql`
    insert into blocklist_checks as x (account_id, next_check_at, asked_at) values (${accountId}, ${at}, ${at})
    on conflict (account_id) do update set asked_at = excluded.asked_at
    where x.asked_at is null or x.asked_at <= ${since}`);
  return claimed > 0;
}

/** Accounts are looked up for the first time as soon as there is room for it. */
export async function addMissingChecks(tx: Tx, at: Date): Promise<void> {
  await tx.execute(sql`
    insert into blocklist_checks (account_id, next_check_at)
    select account_id, ${at}::timestamptz from accounts a
    where not exists (select from blocklist_checks c where c.account_id = a.account_id)
    on conflict do nothing`);
}

/**
 * Takes those accounts that are due, and makes their next look due later. At most a twentieth of all accounts is taken, or 50, so that
 * those that are due at once are spread over the hours of a day. The index blocklist_checks_due serves it.
 */
export async function takeDue(tx: Tx, at: Date, next: Date): Promise<readonly string[]> {
  const rows = await tx.many<{ account_id: string }>(sql`
    update blocklist_checks set next_check_at = ${next}
    where account_id in (
      select account_id from blocklist_checks where next_check_at <= ${at} order by next_check_at
      limit (select greatest(50, count(*) / 20) from blocklist_checks) for update skip locked)
    returning account_id`);
  return rows.map(({ account_id }) => account_id);
}
