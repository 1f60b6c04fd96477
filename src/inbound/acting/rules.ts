/** This file says what follows from a report, as far as that needs no look at the database. It is pure. */
import type { MailEvidence, NewFeedback, ProviderReport } from "../../delivery/delivery.ts";
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

export type MatchedCase = Case & { readonly mail: Matched };

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
export function decideWithoutMail(one: Case): Made | undefined {
  const { report, mail, unmatched } = one;
  if (report.kind === "auto_reply")
    return said("ignored", "a machine answered: somebody is away, or has got it");
  if (report.kind === "other") return said("ignored", whyOther(report));
  if (!mail) return said("unmatched", unmatched);
  if (isUnproven(one) && report.kind !== "bounce") return said("ignored", UNPROVEN);
  if (report.kind === "delay") return said("ignored", "it is still being tried, and nothing has failed yet");
  return undefined;
}

function whyOther({ reason }: Report): string {
  return reason
    ? `it is feedback of the type ${reason}, and no complaint`
    : "it is no bounce, no complaint and no unsubscribe";
}

const UNPROVEN = "only a Message-ID names the mail, and anybody can write that into a mail to this mailbox";

/**
 * A mailbox is the account's own, but anybody can write to it: without a MAC of ours a report proves nothing, and who has seen a
 * Message-ID could have others suppressed. A hard bounce then counts as a soft one, of which it takes several.
 */
function isUnproven({ item, mail }: Pick<Case, "item" | "mail">): boolean {
  return item.channel === "mailbox" && mail?.by === "message_id";
}

/**
 * The report as far as it is believed. That another address failed for good, to which somebody's mail is passed on, says little of
 * the address that we know: the return path shows whose mail it was, and not whose mailbox is gone.
 */
export function believed(one: Pick<Case, "item" | "mail" | "report">): Report {
  const { report, mail } = one;
  const isDoubted = isUnproven(one) || mail?.isPassedOn === true;
  return isDoubted && report.class === "hard" ? { ...report, class: "soft" } : report;
}

/** Only a server that has a mail reports on it, and only who has it answers it or leaves by it: whatever is said, the mail had left. */
const EVIDENCE: Readonly<Record<Report["kind"], MailEvidence["by"] | null>> = {
  bounce: "dsn",
  delay: "dsn",
  delivered: "dsn",
  complaint: "dsn",
  auto_reply: "reply",
  unsubscribe: "unsubscribe",
  other: null,
};

export function evidenceOf(one: Case): MailEvidence[] {
  const { item, report, mail } = one;
  const by = EVIDENCE[report.kind];
  if (!mail || !by || isUnproven(one)) return [];
  const { sourceId, contactId } = mail;
  return [{ accountId: item.accountId, sourceId, contactId, by }];
}

/** Returns what a report may say of the provider of the mailbox, and not of the mailbox; of one that proves nothing, nothing. */
export function providerReportOf(one: Case): ProviderReport[] {
  const { report, mail } = one;
  const isAboutSending = report.kind === "delay" || (report.kind === "bounce" && report.class !== "hard");
  if (!mail || mail.isPassedOn || !isAboutSending || isUnproven(one)) return [];
  const { sourceId, contactId, domain } = mail;
  return [{ sourceId, contactId, domain, status: report.status, diagnostic: report.diagnostic }];
}

/** Returns what is counted of a mail that came back; null for what isn't. */
export function feedbackOf({ item, report, mail, at }: Case): NewFeedback | null {
  if (!mail) return null;
  const { sourceId, contactId } = mail;
  const of = { sourceId, contactId, at, itemId: item.id };
  if (report.kind === "complaint") return { ...of, kind: "complaint" };
  return report.kind === "bounce" && report.class ? { ...of, kind: `${report.class}_bounce` } : null;
}
