/** Settles rows of the ledger by evidence, and keeps the counts by domain in step with them. */
import type { Clock } from "../../platform/clock.ts";
import { textArray, uuidArray } from "../../platform/db/arrays.ts";
import { sql, type Tx } from "../../platform/db/db.ts";
import { type MailEvidence, settleRows } from "../ledger/ledger.ts";
import { readRecipientDomains } from "./mailed.ts";

/** Turns those rows into `sent` of which a server is known by the evidence to have taken them, as `settleRows` says. Returns how many. */
export async function settleByEvidence(
  tx: Tx,
  clock: Clock,
  evidence: readonly MailEvidence[],
  looks?: number,
): Promise<number> {
  const settled = await settleRows(tx, clock, evidence, looks);
  if (settled.length === 0) return 0;
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
  return settled.length;
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
