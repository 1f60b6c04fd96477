/** Judges by the DNS, by mail tests and by DMARC reports whether mail says truly whom it is from. */
import { isFreeMail } from "../../content/content.ts";
import {
  count,
  decided,
  type Evidence,
  fromTests,
  gravest,
  type Judgement,
  judged,
  type KnownDomain,
  type KnownRecord,
  pass,
  percent,
  RUN_A_TEST,
} from "./evidence.ts";
import { providerOf } from "./providers.ts";

const ADD_DOMAIN = "Add the domain you send from under Domains, and publish the records that its page shows.";
/** Of so many reported mails, some few may have been forwarded, which breaks SPF and at times DKIM. */
const ENOUGH_ALIGNED = 0.98;
const SOME_ALIGNED = 0.9;
const LEAST_REPORTED = 100;

export function judgeSpf(evidence: Evidence): Judgement {
  const tested = fromTests(evidence, ["spf"], "Publish the SPF record that the page of your domain shows.");
  return decided(tested, bySender(evidence, spfOf));
}

export function judgeDkim(evidence: Evidence): Judgement {
  const remedy = "Publish the DKIM record that the page of your domain shows.";
  return decided(fromTests(evidence, ["dkim"], remedy), bySender(evidence, dkimOf));
}

export function judgeDmarcRecord(evidence: Evidence): Judgement {
  const tested = fromTests(evidence, ["dmarc"], "Publish a DMARC record, with p=none at least.");
  const byRecords = bySender(evidence, dmarcOf);
  return byRecords.status === "unknown" && tested?.status === "pass" ? tested : byRecords;
}

export function judgeAlignment(evidence: Evidence): Judgement {
  const remedy = "See under DMARC which sources fail, and let each sign with your domain.";
  const { reported } = evidence;
  if (reported && reported.messages >= LEAST_REPORTED) {
    const share = reported.aligned / reported.messages;
    const said = `Receivers reported ${count(reported.messages, "mail", "mails")} of the last 30 days that left by your transports, of which ${percent(share)} were aligned (DKIM ${percent(reported.dkimAligned / reported.messages)}, SPF ${percent(reported.spfAligned / reported.messages)}).`;
    if (share >= ENOUGH_ALIGNED) return pass(said);
    return judged(share >= SOME_ALIGNED ? "warn" : "fail", said, remedy);
  }
  const tested = fromTests(evidence, ["dmarc"], remedy);
  const few = reported
    ? `Receivers reported only ${count(reported.messages, "mail", "mails")} by your transports`
    : "No DMARC report tells of mail by your transports";
  return tested ?? judged("unknown", `${few}, and no mail test was run.`, RUN_A_TEST);
}

export function judgeFrom({ senders }: Evidence): Judgement {
  const domains = domainsOf(senders.map(({ from }) => from));
  if (domains.length === 0)
    return judged("unknown", "The account has no sender yet.", "Set the sender of the account.");
  const free = domains.filter((domain) => isFreeMail(domain) || providerOf(domain) !== undefined);
  if (free.length > 0)
    return judged(
      "fail",
      `Mail is from ${free.join(", ")}, whose owners refuse mail in their name from other servers.`,
      "Send from an address of a domain that you own.",
    );
  return pass(`Mail is from ${domains.join(", ")}.`);
}

export function judgeArc(): Judgement {
  return pass("Postrider forwards no mail. Where another server of yours does, it isn't seen here.");
}

export function domainsOf(addresses: readonly string[]): string[] {
  const domains = addresses.map((address) => address.slice(address.lastIndexOf("@") + 1).toLowerCase());
  return [...new Set(domains)].filter((domain) => domain !== "").sort();
}

type Judge = (domain: KnownDomain) => Judgement | undefined;

/** Judges the domains that mail is from. Others say nothing about it. */
function bySender({ senders, domains }: Evidence, judge: Judge): Judgement {
  const from = domainsOf(senders.map((sender) => sender.from));
  if (from.length === 0)
    return judged("unknown", "The account has no sender yet.", "Set the sender of the account.");
  const isAbove = ({ name }: KnownDomain, one: string) => one === name || one.endsWith(`.${name}`);
  const used = domains.filter((domain) => from.some((one) => isAbove(domain, one)));
  const missing = from.filter((one) => !domains.some((domain) => isAbove(domain, one)));
  if (used.length === 0)
    return judged(
      "unknown",
      `Mail is from ${missing.join(", ")}, which isn't among the domains.`,
      ADD_DOMAIN,
    );
  const also = `Mail is also from ${missing.join(", ")}, which isn't among the domains.`;
  const found = used.map(
    (domain) =>
      judge(domain) ?? judged("unknown", `The records of ${domain.name} were not looked up yet.`, RUN_A_TEST),
  );
  return gravest(missing.length > 0 ? [...found, judged("warn", also, ADD_DOMAIN)] : found);
}

/**
 * SPF is about the domain that bounces come to (RFC 7208 §2.4): the return path, where it is published. Without one that is the
 * instance's own domain, unless no mail comes in at all, and then it is the domain of the From.
 */
function spfOf(domain: KnownDomain): Judgement | undefined {
  const path = domain.records.find(({ kind, status }) => kind === "return_path" && status === "ok");
  if (path) return ofReturnPath(path);
  const own = domain.records.find(({ kind }) => kind === "spf");
  if (own && !own.required)
    return judged(
      "unknown",
      `Bounces of mail from ${domain.name} come to the domain of this instance, so the SPF record of that one counts.`,
      "Give the domain a return path of its own, or run a mail test.",
    );
  return own && ofRecord(domain, own);
}

function ofReturnPath({ name, details }: KnownRecord): Judgement {
  const addresses = details?.addresses ?? [];
  if (addresses.length === 0)
    return judged(
      "unknown",
      `The addresses that mail leaves by aren't known, so SPF of ${name} can't be judged.`,
      RUN_A_TEST,
    );
  const failing = addresses.filter(({ result }) => result !== "pass");
  if (failing.length === 0)
    return pass(
      `SPF of the return path ${name} passes for ${count(addresses.length, "address", "addresses")} that mail leaves by.`,
    );
  const said = failing.map(({ address, result }) => `${address} (${result})`).join(", ");
  return judged(
    failing.every(({ result }) => result === "temperror") ? "unknown" : "fail",
    `SPF of the return path ${name} doesn't pass for ${said}.`,
    `Publish the records that the page of the domain shows for ${name}.`,
  );
}

/** The key that signs today counts. An Ed25519 key is one more, which a receiver may leave unread. */
function dkimOf(domain: KnownDomain): Judgement | undefined {
  const keys = domain.records.filter(
    ({ kind, expected, details }) =>
      kind === "dkim" && details?.key_state === "active" && !/\bk=ed25519\b/.test(expected ?? ""),
  );
  return keys.length > 0 ? gravest(keys.map((record) => ofRecord(domain, record))) : undefined;
}

function dmarcOf(domain: KnownDomain): Judgement | undefined {
  const records = domain.records.filter(({ kind, required }) => kind === "dmarc" && required);
  return records.length > 0 ? gravest(records.map((record) => ofRecord(domain, record))) : undefined;
}

function ofRecord({ name }: KnownDomain, { kind, status }: KnownRecord): Judgement {
  const record = `The ${kind.toUpperCase()} record of ${name}`;
  if (status === "ok") return pass(`${record} is right.`);
  const remedy = `Publish the record that the page of ${name} shows.`;
  if (status === "unknown") return judged("unknown", `${record} could not be looked up.`, remedy);
  const said = { missing: "is missing", wrong: "is wrong", duplicate: "stands there more than once" }[status];
  return judged("fail", `${record} ${said ?? status}.`, remedy);
}
