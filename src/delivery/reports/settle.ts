/** Settles rows of the ledger by evidence, and keeps the counts by domain in step with them. */
import type { Clock } from "../../platform/clock.ts";
import { textArray, uuidArray } from "../../platform/db/arrays.ts";
import { sql, type Tx } from "../../platform/db/db.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { keepDomainsKind } from "../job-kinds.ts";
import { type MailEvidence, type SettledRow, settleRows } from "../ledger/ledger.ts";
import { readRecipientDomains } from "./mailed.ts";

/** Turns those rows into `sent` of which a server is known by the evidence to have taken them, as `settleRows` says. Returns how many. */
export async function settleByEvidence(
  tx: Tx,
  clock: Clock,
  evidence: readonly MailEvidence[],
  looks?: number,
): Promise<number> {
  const rows = await settleRows(tx, clock, evidence, looks);
  const { back = [], own = [] } = Object.groupBy(rows, ({ takenFrom }) => (takenFrom ? "back" : "own"));
  if (own.length > 0) await addToDomains(tx, own);
  if (back.length > 0) await countDomainsAnew(tx, back);
  return rows.length;
}

/** Has the counts of both sources made again where a row went from one to the other, which is too rare for anything quicker. */
async function countDomainsAnew(tx: Tx, back: readonly SettledRow[]): Promise<void> {
  const ids = [
    ...new Set(back.flatMap(({ sourceId, takenFrom = sourceId }) => [sourceId, takenFrom])),
  ].sort();
  const accounts = [...new Set(back.map(({ accountId }) => accountId))];
  await holdDomains(tx, ids, "alone");
  const kept = await tx.many<{ account_id: string; source_id: string }>(sql`
    with gone as (
      delete from source_domains where account_id = any(${accounts}::uuid[]) and source_id = any(${ids}::uuid[])
      returning account_id, source_id
    ) select distinct account_id, source_id from gone`);
  for (const one of kept) await addJob(tx, keepDomainsKind, one, { key: `domains ${one.source_id}` });
}

async function addToDomains(tx: Tx, settled: readonly SettledRow[]): Promise<void> {
  await holdDomains(tx, [...new Set(settled.map(({ sourceId }) => sourceId))].sort(), "share");
  const domains = await readRecipientDomains(tx, settled);
  await tx.execute(sql`
    update source_domains k set sent = k.sent + s.count, unknown = k.unknown - s.unknown, deferred = k.deferred - s.deferred
    from (
      select account_id, source_id, domain, count(*) as count, count(*) filter (where was = 'unknown') as unknown,
             count(*) filter (where was = 'deferred') as deferred
      from unnest(${uuidArray(settled.map((one) => one.accountId))}::uuid[], ${uuidArray(settled.map((one) => one.sourceId))}::uuid[],
                  ${textArray(domains.map(({ domain, isLarge }) => (isLarge ? domain : "")))}::text[],
                  ${textArray(settled.map((one) => one.was))}::text[]) as one (account_id, source_id, domain, was)
      group by account_id, source_id, domain) as s
    where k.account_id = s.account_id and k.source_id = s.source_id and k.domain = s.domain`);
}

/**
 * Keeps the count by domain that is kept when a source has ended apart from whoever settles rows of it: either the count sees the
 * rows as they are settled, or whoever settles sees the count.
 */
export async function holdDomains(
  tx: Tx,
  sourceIds: readonly string[],
  how: "share" | "alone",
): Promise<void> {
  const lock = how === "share" ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await tx.execute(sql`
    select ${lock}(hashtextextended('domains ' || id, 0)) from unnest(${[...sourceIds]}::text[]) as one (id)`);
}
