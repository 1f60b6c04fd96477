/** What the status of a record means for a person: how bad it is, and what the record is for. */
import type { Domain, DomainRecord } from "../../../api/openapi.ts";

export type Urgency = "none" | "later" | "now" | "unknown";

/** What a mail isn't delivered without is to be mended now; the next key and what makes mail better can wait. */
export function urgencyOf(record: DomainRecord): Urgency {
  switch (record.status) {
    case "ok":
      return "none";
    case "unknown":
      return "unknown";
    default:
      return record.required && purposeOf(record) !== "dkimStandby" ? "now" : "later";
  }
}

export type Purpose = DomainRecord["kind"] | "dkimStandby" | "dkimRetiring";

export function purposeOf({ kind, details }: DomainRecord): Purpose {
  const keyState = kind === "dkim" ? details?.["key_state"] : undefined;
  if (keyState === "standby") return "dkimStandby";
  return keyState === "retiring" || keyState === "retired" ? "dkimRetiring" : kind;
}

/** A record whose state isn't known is none to mend. */
export const isToMend = ({ status }: DomainRecord) => status !== "ok" && status !== "unknown";

/** A name for a record that stays while its state changes. */
export const keyOf = ({ kind, type, name, details }: DomainRecord) =>
  `${kind} ${type} ${name} ${details?.["selector"] ?? ""}`;

const RANKS: readonly DomainRecord["status"][] = ["missing", "duplicate", "wrong", "unknown", "ok"];

/** What is to be mended stands first, what proves the domain before the rest. */
export function inOrder(records: readonly DomainRecord[]): readonly DomainRecord[] {
  const rank = (record: DomainRecord) =>
    RANKS.indexOf(record.status) + (record.required && isToMend(record) ? -RANKS.length : 0);
  return records.toSorted((one, other) => rank(one) - rank(other));
}

/** A domain on which all is well needs no look, unless somebody asks for it. */
export function isAtRest({ status, records }: Domain): boolean {
  return status === "verified" && !records.some(isToMend);
}
