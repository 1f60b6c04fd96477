/** This file says what follows from a report, as far as that needs no look at the database. It is pure. */
import type { MailEvidence, NewFeedback } from "../../delivery/delivery.ts";
import type { Matched } from "../matching/match.ts";
import type { InboundItem, Report } from "../types.ts";

/** A report of an item, and the mail that it is about. */
export type Case = {
  readonly item: InboundItem;
  readonly report: Report;
  /** The place of the report in its item. */
  readonly n: number;
  /** When it happened. */
  readonly at: Date;
  readonly mail: Matched | null;
  /** Says why there is no mail. */
  readonly unmatched: string;
};

export type Outcome =
  | "suppressed"
  | "counted"
  | "held"
  | "unsubscribed"
  | "noted"
  | "duplicate"
  | "unmatched"
  | "ignored";

export type Made = { readonly outcome: Outcome; readonly why: string; readonly stormId?: string | null };

export function said(outcome: Outcome, why: string): Made {
  return { outcome, why };
}

/** Returns what is made of reports that change nothing, whoever they are about; undefined for those that may. */
export function decideWithoutMail({ report, mail, unmatched }: Case): Made | undefined {
  if (report.kind === "auto_reply")
    return said("ignored", "a machine answered: somebody is away, or has got it");
  if (report.kind === "other") return said("ignored", whyOther(report));
  if (!mail) return said("unmatched", unmatched);
  if (report.kind === "delay") return said("ignored", "it is still being tried, and nothing has failed yet");
  return undefined;
}

function whyOther({ reason }: Report): string {
  return reason
    ? `it is feedback of the type ${reason}, and no complaint`
    : "it is no bounce, no complaint and no unsubscribe";
}

/** Only a server that has a mail reports on it: whatever it says, the mail had left. */
const FROM_SERVERS: ReadonlySet<Report["kind"]> = new Set(["bounce", "delay", "delivered", "complaint"]);

export function evidenceOf({ item, report, mail }: Case): MailEvidence[] {
  if (!mail || !FROM_SERVERS.has(report.kind)) return [];
  const { sourceId, contactId } = mail;
  return [{ accountId: item.accountId, sourceId, contactId, by: "dsn" }];
}

/** Returns what is counted of a mail that came back; null for what isn't. */
export function feedbackOf({ item, report, mail, at }: Case): NewFeedback | null {
  if (!mail) return null;
  const { sourceId, contactId } = mail;
  const of = { sourceId, contactId, at, itemId: item.id };
  if (report.kind === "complaint") return { ...of, kind: "complaint" };
  return report.kind === "bounce" && report.class ? { ...of, kind: `${report.class}_bounce` } : null;
}
