/** These pure rules say what follows for a mailbox provider from one reply of its servers, in the session or in a report that comes later. */
import { MAILBOX_PROVIDERS } from "../../mail/mailbox-providers/mailbox-providers.ts";
import { AUTHENTICATION_MS, REPLY_RULES, type ReplyReason, type ReplyRule } from "./reply-table.ts";

export type ProviderReply = {
  /** The key of the provider to whose mailbox the mail went. */
  readonly provider: string;
  readonly code: number | null;
  /** The enhanced status, such as 4.7.28. */
  readonly enhanced: string | null;
  readonly text: string;
  /** Where in the session it was said, or that a report told it. */
  readonly phase: string;
};

export type ReplyMeaning = {
  readonly reason: ReplyReason;
  /** For how long nothing is sent to the provider; 0 where mail goes on at once. */
  readonly closeMs: number;
  /** Whether mail begins with few and is doubled, once it goes on. */
  readonly slow: boolean;
  readonly scope: "transport" | "from_domain";
  /** Whether somebody has to do something, and is to be told. */
  readonly alert: boolean;
  /** At so many recipient domains it must have been said before it is believed. */
  readonly domains: number;
};

/** Where each customer has a policy of its own, one customer's word says nothing of the others. */
const SEVERAL_DOMAINS = 3;
/** The providers that hold mailboxes, or filter mail, for other people's domains alone. */
const HOSTS = new Set(MAILBOX_PROVIDERS.filter(({ domains }) => domains.length === 0).map(({ key }) => key));

/** What is said before a recipient is named is said by our own relay, to mail for anybody. */
const FROM_PROVIDER: ReadonlySet<string> = new Set(["rcpt", "data", "body", "dot", "report"]);

/** Replies are cut: no rule looks further, and a stranger may write what he likes into a report. */
const MOST_UNITS = 2_000;

/** Returns undefined for a reply that says nothing about us, which is nearly every one. */
export function readProviderReply(reply: ProviderReply): ReplyMeaning | undefined {
  if (!FROM_PROVIDER.has(reply.phase)) return undefined;
  const text = `${reply.code ?? ""} ${reply.enhanced ?? ""} ${reply.text}`.slice(0, MOST_UNITS);
  const rule = rulesOf.get(reply.provider)?.find(({ matches }) => matches.test(text));
  if (rule) {
    const { reason, closeMs, alerts } = rule;
    return { reason, closeMs, slow: true, scope: scopeOf(rule, text), alert: alerts, domains: 1 };
  }
  return readAuthentication(reply, text);
}

const rulesOf = new Map<string, readonly ReplyRule[]>();
for (const rule of REPLY_RULES)
  for (const provider of rule.providers) rulesOf.set(provider, [...(rulesOf.get(provider) ?? []), rule]);

/** Gmail says whether it means the address, its network, or a domain of SPF, DKIM or links. */
const ABOUT_DOMAIN = /\b(?:dkim|spf|url|sending|from|your) domains?\b|\bdomain has been|\bmail with the url/i;

function scopeOf({ scope }: ReplyRule, text: string): ReplyMeaning["scope"] {
  if (scope !== "by_words") return scope;
  return ABOUT_DOMAIN.test(text) ? "from_domain" : "transport";
}

/**
 * The codes of RFC 7372 for what SPF, DKIM and reverse DNS say, as Gmail has extended them (23 to 32, and 40 for a missing DMARC record), and
 * Microsoft's 5.7.509 and 515 (support.microsoft.com/topic/34cfe8f8-6fbf-457e-9e8b-9e4dbaf4e0ef). 28 is no such code.
 */
const AUTHENTICATION = /^(?:4\.7\.(?:2[34567]|29|3[0-2]|40)|5\.7\.(?:2[3-7]|29|3[0-2]|40|509|515))$/;
const AUTHENTICATION_IN_TEXT = /(?<![\d.])[45]\.7\.(?:2[3-7]|29|3[0-2]|40|509|515)(?![\d.])/;

/** Any provider that we know may say it: another server's policy closes nothing, since its code may be about one mailbox. */
function readAuthentication({ provider, enhanced }: ProviderReply, text: string): ReplyMeaning | undefined {
  if (provider === OTHER) return undefined;
  const status = enhanced ?? AUTHENTICATION_IN_TEXT.exec(text)?.[0] ?? "";
  if (!AUTHENTICATION.test(status)) return undefined;
  const domains = HOSTS.has(provider) ? SEVERAL_DOMAINS : 1;
  const all = { closeMs: AUTHENTICATION_MS, slow: true, alert: true, domains } as const;
  const detail = status.slice(4);
  if (detail === "25" || /\bptr\b|\breverse dns\b|\bforward dns\b/i.test(text))
    return { ...all, reason: "reverse_dns", scope: "transport" };
  if (detail === "29" && !/\barc\b/i.test(text)) return { ...all, reason: "tls", scope: "transport" };
  return { ...all, reason: "authentication", scope: "from_domain" };
}

/** As `recipient-domains` calls all mailboxes that are of no known provider. */
const OTHER = "other";
