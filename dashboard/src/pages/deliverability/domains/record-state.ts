/** What the status of a record means for a person: how bad it is, and what the record is for. */
import { CircleCheck, CircleQuestionMark, CircleX, type LucideIcon, TriangleAlert } from "lucide-react";
import type { Domain, DomainRecord } from "../../../api/openapi.ts";

export type Look = { readonly icon: LucideIcon; readonly className: string };

const GOOD: Look = { icon: CircleCheck, className: "c-accent" };
const LATER: Look = { icon: TriangleAlert, className: "c-warn" };
const NOW: Look = { icon: CircleX, className: "c-danger" };
const UNKNOWN: Look = { icon: CircleQuestionMark, className: "dim" };

/** What a mail isn't delivered without is red; what can wait is amber. */
export function lookOf(record: DomainRecord): Look {
  switch (record.status) {
    case "ok":
      return GOOD;
    case "unknown":
      return UNKNOWN;
    case "wrong":
      return record.required ? NOW : LATER;
    default:
      return purposeOf(record) === "dkimStandby" ? LATER : NOW;
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
