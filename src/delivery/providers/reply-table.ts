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

/** Copies of the pages of Google, Yahoo, Comcast and GMX were read in November 2026; the addresses of Microsoft's and Apple's are unchecked. */
const GMAIL = "https://support.google.com/a/answer/3726730";
const OUTLOOK = "https://sendersupport.olc.protection.outlook.com/pm/troubleshooting.aspx";
const YAHOO = "https://senders.yahooinc.com/smtp-error-codes/";
const APPLE = "https://support.apple.com/102322";
const COMCAST = "https://postmaster.comcast.net/";
const GMX = "https://postmaster.gmx.net/";

/** The first rule that matches counts. */
export const REPLY_RULES: readonly ReplyRule[] = [
  {
    providers: ["google"],
    matches: /\b4\.7\.28\b|unusual rate of unsolicited/i,
    ...rate,
    closeMs: 10 * MINUTE_MS,
    scope: "by_words",
    source: GMAIL,
  },
  {
    providers: ["google"],
    matches: /\b5\.7\.28\b|unusual amount of unsolicited|very low reputation of the sending/i,
    ...reputation,
    closeMs: 2 * HOUR_MS,
    scope: "by_words",
    source: GMAIL,
  },
  { providers: ["yahoo", "att"], matches: /\[TSS0[1-9]\]/i, ...rate, closeMs: 2 * HOUR_MS, source: YAHOO },
  { providers: ["yahoo", "att"], matches: /\[TS0[12]\]/i, ...rate, closeMs: 2 * HOUR_MS, source: YAHOO },
  {
    providers: ["yahoo", "att"],
    matches: /\[TS0[3-9]\]/i,
    ...reputation,
    closeMs: 4 * HOUR_MS,
    source: YAHOO,
  },
  {
    providers: ["yahoo", "att"],
    matches: /\[(?:IPTS|BL)[0-9]{2}\]/i,
    ...blocked,
    closeMs: 4 * HOUR_MS,
    source: YAHOO,
  },
  // These are about one connection, and it is enough to slow down.
  { providers: ["yahoo", "att"], matches: /\[(?:GL01|TSRL|RL)[0-9]*\]/i, ...rate, closeMs: 0, source: YAHOO },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\(?\bA?S31[0-9]{2}\b|on our block list|\bbanned sending IP\b|\b5\.7\.606\b/i,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: OUTLOOK,
  },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\bRP-00[1-3]\b|\b4\.7\.650\b|\b4\.7\.651\b|\bS77[57]B?\b/i,
    ...rate,
    closeMs: HOUR_MS,
    source: OUTLOOK,
  },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\bOutboundSpam|\b5\.7\.(?:501|502|503|508|511)\b|\b5\.1\.8\b.*\boutbound/i,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source:
      "https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online",
  },
  {
    providers: ["microsoft", "microsoft365"],
    matches: /\b4\.7\.5[0-9]{2}\b|\b4\.3\.2\b.*STOREDRV|\bServer busy\b/i,
    ...rate,
    closeMs: 10 * MINUTE_MS,
    source: OUTLOOK,
  },
  {
    providers: ["microsoft"],
    matches: /\b(?:SC|DY)-00[1-9]\b/,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: OUTLOOK,
  },
  {
    providers: ["apple"],
    matches: /\[CS0[12]\]/i,
    ...reputation,
    closeMs: 2 * HOUR_MS,
    scope: "from_domain",
    source: APPLE,
  },
  { providers: ["apple"], matches: /\[HM0[78]\]/i, ...blocked, closeMs: 2 * HOUR_MS, source: APPLE },
  {
    providers: ["apple"],
    matches: /\b4[25]1\b.*\btoo many (?:messages|connections)|\btemporarily rate limited/i,
    ...rate,
    closeMs: 30 * MINUTE_MS,
    source: APPLE,
  },
  { providers: ["comcast"], matches: /\bRL0000[0-9]{2}\b/, ...rate, closeMs: HOUR_MS, source: COMCAST },
  {
    providers: ["comcast"],
    matches: /\b(?:BL|PBL|HVU)0000[0-9]{2}\b/,
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
    matches: /\bIP address is (?:block|black)listed|\bbad dns ptr|\breject due to policy restrictions/i,
    ...blocked,
    closeMs: 2 * HOUR_MS,
    source: GMX,
  },
  {
    providers: ["gmx", "ionos"],
    matches:
      /\bnemesis\b.*\b(?:service not available|try again later|rate)|\btoo many (?:connections|messages|recipients)/i,
    ...rate,
    closeMs: 30 * MINUTE_MS,
    source: GMX,
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
    source: "https://postmaster.t-online.de/",
  },
  {
    providers: ["mailru"],
    matches: /\bratelimit exceeded|\bwe have limited messages from (?:this|your)/i,
    ...rate,
    closeMs: HOUR_MS,
    source: "https://postmaster.mail.ru/",
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
