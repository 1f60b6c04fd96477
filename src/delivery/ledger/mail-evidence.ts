/** Evidence that a mail arrived, and how statements are given it. */
import { textArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Sql, sql } from "../../platform/db/db.ts";

export type MailEvidence = {
  readonly accountId: string;
  readonly sourceId: string;
  /** As the ledger has it. */
  readonly contactId: string;
  /** `acceptance` is a 250 that a sender heard after it was given up. */
  readonly by: "dsn" | "open" | "click" | "reply" | "unsubscribe" | "acceptance";
};

/** Names the row of the ledger that it is about. */
export function keyOf(one: Omit<MailEvidence, "by">): string {
  return `${one.accountId} ${one.sourceId} ${one.contactId}`;
}

/** Each row is among the evidence once, with the first kind that is given for it. */
export function given(evidence: readonly MailEvidence[]): Sql {
  const first = new Map<string, MailEvidence>();
  for (const one of evidence) {
    const key = keyOf(one);
    if (!first.has(key)) first.set(key, one);
  }
  const rows = [...first.values()];
  return sql`unnest(${uuidArray(rows.map((one) => one.accountId))}::uuid[], ${uuidArray(rows.map((one) => one.sourceId))}::uuid[],
    ${uuidArray(rows.map((one) => one.contactId))}::uuid[], ${textArray(rows.map((one) => one.by))}::text[])
    as g (account_id, source_id, contact_id, by)`;
}
