/**
 * Judges an address by what is known without writing to it: its form, its domain's records in the DNS, and lists of domains and names. No
 * server is asked whether it knows the recipient: most lie, and those that ask are taken for spammers.
 */
import { disposableEmailBlocklistSet } from "disposable-email-domains-js";
import roles from "role-based-email-addresses";
import { parseAddress } from "../addresses.ts";
import { providerOfDomain } from "../mailbox-providers/mailbox-providers.ts";
import { suggestDomain } from "./suggestions.ts";

/** What the DNS says of a domain as one that takes mail. */
export type DomainState =
  | "mx"
  /** There is no MX record, but an address, to which mail may be delivered as well (RFC 5321 §5.1). */
  | "no_mx"
  /** It says that it takes no mail (RFC 7505). */
  | "null_mx"
  /** It has records, but none by which mail could reach it. */
  | "no_mail_server"
  | "no_such_domain"
  /** Its servers are inside somebody's network. */
  | "internal_mail_server"
  /** Nobody answered. */
  | "unknown";

export const ADDRESS_REASONS = [
  "syntax",
  "no_such_domain",
  "null_mx",
  "no_mail_server",
  "internal_mail_server",
  "reserved_domain",
  "no_mx",
  "disposable",
  "role",
  "typo",
  "dns_failed",
] as const;
export type AddressReason = (typeof ADDRESS_REASONS)[number];
export type AddressVerdict = "ok" | "risky" | "bad" | "unknown";

const WEIGHT: Readonly<Record<AddressReason, Exclude<AddressVerdict, "ok">>> = {
  syntax: "bad",
  no_such_domain: "bad",
  null_mx: "bad",
  no_mail_server: "bad",
  internal_mail_server: "bad",
  reserved_domain: "bad",
  no_mx: "risky",
  disposable: "risky",
  role: "risky",
  typo: "risky",
  dns_failed: "unknown",
};

const OF_STATE: Readonly<Record<DomainState, AddressReason | undefined>> = {
  mx: undefined,
  no_mx: "no_mx",
  null_mx: "null_mx",
  no_mail_server: "no_mail_server",
  no_such_domain: "no_such_domain",
  internal_mail_server: "internal_mail_server",
  unknown: "dns_failed",
};

export type AddressCheck = {
  readonly verdict: AddressVerdict;
  readonly reasons: readonly AddressReason[];
  /** The address that may have been meant. Nobody is mailed by it unless somebody says so. */
  readonly suggestion: string | null;
};

/** Nobody can have a mailbox at these (RFC 2606, RFC 6761). */
const RESERVED =
  /(?:^|\.)(?:example|invalid|localhost|test|local|internal|onion|alt|arpa|example\.(?:com|net|org))$/;

const DISPOSABLE: ReadonlySet<string> = disposableEmailBlocklistSet();
const ROLES = new Set<string>(roles.map((one) => one.toLowerCase()));

/** The domain to look up, as the DNS writes it; undefined where there is none to ask for. */
export function domainToLookUp(address: string): string | undefined {
  const parsed = parseAddress(address);
  return parsed.ok && !RESERVED.test(parsed.asciiDomain) ? parsed.asciiDomain : undefined;
}

/** `state` is what the DNS says of `domainToLookUp`; it isn't asked where that is undefined. */
export function checkAddress(address: string, state: DomainState | undefined): AddressCheck {
  const parsed = parseAddress(address);
  if (!parsed.ok) return judge(["syntax"], null);
  return checkAt(parsed.local, checkDomain(parsed.asciiDomain, state));
}

/** What is wrong with every address of a domain, for whoever has many of them. */
export type DomainCheck = {
  readonly reasons: readonly AddressReason[];
  /** The domain that may have been meant. */
  readonly meant: string | undefined;
};

export function checkDomain(domain: string, state: DomainState | undefined): DomainCheck {
  const meant = suggestDomain(domain, (one) => providerOfDomain(one) !== undefined);
  const ofDns = RESERVED.test(domain) ? "reserved_domain" : OF_STATE[state ?? "unknown"];
  return {
    reasons: [...(ofDns ? [ofDns] : []), ...(isDisposable(domain) ? (["disposable"] as const) : [])],
    meant,
  };
}

/** Judges an address by what stands before its @ and by its domain. */
export function checkAt(local: string, { reasons: ofDomain, meant }: DomainCheck): AddressCheck {
  const reasons: AddressReason[] = [
    ...ofDomain,
    ...(ROLES.has(local.toLowerCase().replace(/\+.*$/, "")) ? (["role"] as const) : []),
    ...(meant ? (["typo"] as const) : []),
  ];
  return judge(reasons, meant ? `${local}@${meant}` : null);
}

/** The list names domains; those below one are the same service's. */
function isDisposable(domain: string): boolean {
  const labels = domain.split(".");
  return labels.some((_, at) => at < labels.length - 1 && DISPOSABLE.has(labels.slice(at).join(".")));
}

function judge(reasons: readonly AddressReason[], suggestion: string | null): AddressCheck {
  const weights = new Set(reasons.map((one) => WEIGHT[one]));
  const verdict = (["bad", "risky", "unknown"] as const).find((one) => weights.has(one)) ?? "ok";
  return { verdict, reasons, suggestion };
}
