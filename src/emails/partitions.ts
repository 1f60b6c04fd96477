/** Mails are kept for a time that a setting says, by partitions that are dropped whole. */
import type { PartitionedTable } from "../platform/db/partitions.ts";

const DAY_MS = 24 * 3_600_000;
/** A mail may wait so long for its time, and is kept from then on. */
const LONGEST_WAIT_MS = 31 * DAY_MS;

/** The id of a content has the time at which the mail leaves; that of the mail itself when it was accepted. */
export function emailPartitions(keptDays: number): readonly PartitionedTable[] {
  const keepMs = keptDays * DAY_MS;
  const ofMails = { every: "week", keepMs: keepMs + LONGEST_WAIT_MS, ahead: 2 } as const;
  return [
    { table: "email_contents", uuidColumn: "id", every: "day", keepMs, ahead: 2 },
    { table: "emails", uuidColumn: "id", ...ofMails },
    { table: "email_terms", uuidColumn: "email_id", ...ofMails },
  ];
}
