/**
 * What the large mailbox providers say when it is about the sender and not about a recipient, and for how long nothing is sent to them then.
 * Gathered in November 2026 from the providers' own pages (`source`) and, where they have none, from replies that senders have published. A
 * reply is recognised by the provider's own code or by a few of its words, since whole sentences change every year.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Whom a reply is about. `transport`: the addresses from which mail leaves. `from_domain`: the domain in From, with whatever server. `by_words`:
 * the domain where the reply speaks of a domain, and else the transport.
 */
type TableScope = "transport" | "from_domain" | "by_words";

/** The kinds of reasons. A client may know them by name, so a name never changes. */
export const REPLY_REASONS = [
  "rate",
  "reputation",
  "blocked",
  "authentication",
  "reverse_dns",
  "tls",
] as const;
export type ReplyReason = (typeof REPLY_REASONS)[number];

export type ReplyRule = {
  readonly providers: readonly string[];
  readonly matches: RegExp;
  readonly reason: ReplyReason;
  /** 0 where mail goes on at once, but slowly. */
  readonly closeMs: number;
  readonly scope: TableScope;
  /** Whether somebody has to do something about it. */
  readonly alerts: boolean;
  readonly source?: string;
};

const rate = { reason: "rate", scope: "transport", alerts: false } as const;
const reputation = { reason: "reputation", scope: "transport", alerts: true } as const;
const blocked = { reason: "blocked", scope: "transport", alerts: true } as const;

/*
 * What stands here was read in November 2026. "Whole" is a copy of the whole page, made on the day that follows; "in part" is the beginning of
 * such a copy, and the codes further down are taken from replies that senders have published. Where no source stands, all are.
 */

/** Whole, of 2026-02-15. */
const GMAIL = "https://support.google.com/a/answer/3726730";
/** Whole, of 2026-02-15: it explains TS* and PH* and lists no single code. What each is for, senders have published. */
const YAHOO = "https://senders.yahooinc.com/smtp-error-codes/";
/** Whole, of 2026-05-04. */
const EXCHANGE_ONLINE =
  "https://learn.microsoft.com/troubleshoot/exchange/email-delivery/ndr/non-delivery-reports-in-exchange-online";
/** Whole, of 2026-06-15: RP, SC, DY and OU. It tells nothing of S3150 and its like. */
const OUTLOOK = "https://postmaster.live.com/pm/troubleshooting.aspx";
/** In part: a reply of Microsoft's staff, of 2026-02-20. */
const OUTLOOK_BLOCKS = "https://www.mail-archive.com/mailop@mailop.org/msg26053.html";
/** In part: 4.7.651, as a sender had it on 2023-10-12. */
const OUTLOOK_RATES = "https://github.com/ActiveCampaign/smtp-field-manual/pull/89";
/** In part. Apple's own page (support.apple.com/102322), whole, of 2025-02-26, tells of no codes. */
const APPLE = "https://smtp.codes/icloud";
/** In part, to BL000111. */
const COMCAST = "https://postmaster.comcast.net/mail-error-codes.html";
/** In part. */
const GMX = "https://postmaster.gmx.com/en/error-messages";
/** In part: only that too much in too short a time is put off for some hours, and none of the words. */
const WEB_DE = "https://postmaster.web.de/de/fehlermeldungen";
/** In part, of 2020: the page of T-Online itself was read no further than its contents. */
const TELEKOM = "https://www.spamresource.com/2020/06/whoops-t-onlinede-not-accepting-mail.html";

/**
 * Cox's mailboxes moved to Yahoo's servers on 2024-10-01 (www.suped.com, "when did cox.net change their MX records"), AT&T's in 2025, and
 * Comcast's are moving: nobody else writes codes like theirs.
 */
const BY_YAHOO = ["yahoo", "att", "comcast", "cox"];

/** The first rule that matches counts. */
export const REPLY_RULES: readonly ReplyRule[] = [
  {
    providers: ["google"],
    matches: /\b4\.7\.28\b/,
    ...rate,
    closeMs: 10 * MINUTE_MS,
    scope: "by_words",
    source: GMAIL,
  },
  // "There is an unusual rate of unsolicited email …, email sent from your IP address has been blocked": 5.7.28, and 5.7.1 until 2023.
  {
    providers: ["google"],
    matches:
      /\b5\.7\.28\b|\b5\.7\.1\b.*\bunusual rate of\b|unusual amount of unsolicited|very low reputation of the sending/is,
    ...reputation,
    closeMs: 2 * HOUR_MS,
    scope: "by_words",
    source: GMAIL,
  },
  // As 4.7.0 until 2023. In a report the code stands before each line, and so between these words too.
  {
    providers: ["google"],
    matches: /\bunusual rate of\b.{0,20}\b(?:unsolicited|e?mail)\b/is,
    ...rate,
    closeMs: 10 * MINUTE_MS,
    scope: "by_words",
    source: GMAIL,
  },
  {
    providers: ["google"],
    matches:
      /\b(?:4\.7\.0|5\.7\.1)\b.*\b(?:does not|doesn't) have a PTR record|\bguidelines regarding PTR records/is,
    reason: "reverse_dns",
    closeMs: HOUR_MS,
    scope: "transport",
    alerts: true,
    source: GMAIL,
  },
  { providers: BY_YAHOO, matches: /\[TSS0[1-9]\]/i, ...rate, closeMs: 2 * HOUR_MS, source: YAHOO },
  { providers: BY_YAHOO, matches: /\[TS0[12]\]/i, ...rate, closeMs: 2 * HOUR_MS, source: YAHOO },
  {
    providers: BY_YAHOO,
    matches: /\[TS0[3-9]\]/i,
    ...reputation,
    closeMs: 4 * HOUR_MS,
    source: YAHOO,
  },
  {
    providers: BY_YAHOO,
    matches: /\[(?:IPTS|BL)[0-9]{2}\]/i,
    ...blocked,
    closeMs: 4 * HOUR_MS,
    source: YAHOO,
  },
  // These are about one connection, and it is enough to slow down.
  { providers: BY_YAHOO, matches: /\[(?:GL01|TSRL|RL)[0-9]*\]/i, ...rate, closeMs: 0, source: YAHOO },
  // These come before the blocks, since the codes in brackets are those of blocks too: "rate limited due to IP reputation (S3113)".
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\bRP-00[1-3]\b|\b4\.7\.65[0-9]\b|\bS77[57]B?\b/i,
    ...rate,
    closeMs: HOUR_MS,
    source: OUTLOOK_RATES,
  },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\b5\.7\.508\b/,
    ...rate,
    closeMs: HOUR_MS,
    source: EXCHANGE_ONLINE,
  },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\(A?S31[0-9]{2}\)|\bpart of their network is on our block list\b/i,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: OUTLOOK_BLOCKS,
  },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\bbanned sending IP\b|\b5\.7\.(?:60[6-9]|6[1-4][0-9]|511)\b/i,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: EXCHANGE_ONLINE,
  },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\bOutboundSpam|\b5\.7\.50[123]\b|\b5\.1\.8\b.*\boutbound/i,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: EXCHANGE_ONLINE,
  },
  // "This restriction is lifted shortly." What is throttled with 432 4.3.2 is one mailbox, and must close nothing.
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\b4\.7\.(?:[56][0-9]{2}|8[5-9][0-9])\b|\bServer busy\b/i,
    ...rate,
    closeMs: 10 * MINUTE_MS,
    source: EXCHANGE_ONLINE,
  },
  {
    providers: ["microsoft"],
    matches: /\b(?:SC|DY|OU)-00[1-9]\b/,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: OUTLOOK,
  },
  // What they say of these codes is contents as often as reputation, so that mail from other domains goes on.
  {
    providers: ["apple"],
    matches: /\[CS0[12]\]|\[HM0[78]\]/i,
    ...reputation,
    closeMs: 2 * HOUR_MS,
    scope: "from_domain",
    source: APPLE,
  },
  // "Messages to (an address) deferred due to excessive volume" is about that mailbox.
  {
    providers: ["apple"],
    matches: /\b4[25]1\b.*\btoo many (?:messages|connections)|\btemporarily rate limited/i,
    ...rate,
    closeMs: 30 * MINUTE_MS,
  },
  { providers: ["comcast"], matches: /\bRL[0-9]{6}\b/, ...rate, closeMs: HOUR_MS, source: COMCAST },
  // Each digit of BL stands for a list that the address is on; ES is for addresses that look like those of homes.
  {
    providers: ["comcast"],
    matches: /\b(?:BL|PBL|HVU|ES)[0-9]{6}\b/,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: COMCAST,
  },
  {
    providers: ["charter", "cox"],
    matches: /\bAUP#(?:I-?)?(?:1[0-9]{3}|[0-9]{3})\b|\bCX(?:BL|MJ|SNDR)\b|\bIPBL[0-9]{4}\b/,
    ...blocked,
    closeMs: 2 * HOUR_MS,
  },
  {
    providers: ["gmx", "ionos"],
    matches: /\bIP address is (?:block|black)[ -]?listed|\bbad dns ptr|\breject due to policy restrictions/i,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: GMX,
  },
  {
    providers: ["gmx", "ionos"],
    matches:
      /\bnemesis\b.*\b(?:service not available|try again later|rate)|\btoo many (?:connections|messages|recipients)/i,
    ...rate,
    closeMs: HOUR_MS,
    source: WEB_DE,
  },
  // At Orange 104 to 109 are about rates; 4xx are about recipients, and must close nothing.
  {
    providers: ["orange"],
    matches: /\bOFR_?(?:004_)?10[3-9]\b|\bToo many connections, slow down/i,
    ...rate,
    closeMs: HOUR_MS,
  },
  {
    providers: ["orange"],
    matches: /\bOFR_?(?:00[0-9]_)?(?:5[0-9]{2}|999)\b/,
    ...blocked,
    closeMs: 2 * HOUR_MS,
  },
  { providers: ["laposte"], matches: /\bLPN007_[0-9]+/, ...rate, closeMs: HOUR_MS },
  { providers: ["sfr"], matches: /\bLPN105_4/, ...blocked, closeMs: 2 * HOUR_MS },
  {
    providers: ["free"],
    matches: /\btoo many (?:connections|errors) from your|\bspam detected, contact/i,
    ...rate,
    closeMs: HOUR_MS,
  },
  {
    providers: ["telekom"],
    matches: /\bIP=[0-9a-f.:]+ - (?:A problem|Dialup\/transient)|\bNone\/bad reputation/i,
    ...blocked,
    closeMs: 4 * HOUR_MS,
    source: TELEKOM,
  },
  {
    providers: ["mailru"],
    matches: /\bratelimit exceeded|\bwe have limited messages from (?:this|your)/i,
    ...rate,
    closeMs: HOUR_MS,
  },
  {
    providers: ["yandex"],
    matches: /\bsending limit|\btry again later\b.*\bpolicy/i,
    ...rate,
    closeMs: HOUR_MS,
  },
  {
    providers: ["qq"],
    matches:
      /\b(?:connection|message|sending) frequency limited|\bmail content denied|\bsuspected (?:bounce attacks|spam ip)/i,
    ...rate,
    closeMs: HOUR_MS,
  },
  {
    providers: ["netease"],
    matches: /\b(?:HL:(?:REP|ICC|IFC|MEP)|MI:(?:DMC|SFQ|SPB))\b/,
    ...rate,
    closeMs: HOUR_MS,
  },
  {
    providers: ["netease"],
    matches: /\b(?:DT:(?:SPM|RBL)|HL:IPB|WM:BLI)\b/,
    ...blocked,
    closeMs: 2 * HOUR_MS,
  },
];

/** A closing for authentication lasts this long: somebody has to change a record of the DNS, and opens by hand when that is done. */
export const AUTHENTICATION_MS = HOUR_MS;
