/** Judges by the DNS, by mail tests and by DMARC reports whether mail says truly whom it is from. */
import {
  count,
  type Evidence,
  fromTests,
  gravest,
  type Judgement,
  judged,
  type KnownDomain,
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
  return tested ?? byRecords(evidence, "spf") ?? nothingKnown(evidence);
}

export function judgeDkim(evidence: Evidence): Judgement {
  const remedy = "Publish the DKIM record that the page of your domain shows.";
  return fromTests(evidence, ["dkim"], remedy) ?? byRecords(evidence, "dkim") ?? nothingKnown(evidence);
}

export function judgeDmarcRecord(evidence: Evidence): Judgement {
  return byRecords(evidence, "dmarc") ?? byTestedDmarc(evidence) ?? nothingKnown(evidence);
}

function byTestedDmarc(evidence: Evidence): Judgement | undefined {
  const found = fromTests(evidence, ["dmarc"], "Publish a DMARC record, with p=none at least.");
  return found?.status === "pass" ? found : undefined;
}

export function judgeAlignment(evidence: Evidence): Judgement {
  const remedy = "See under DMARC which sources fail, and let each sign with your domain.";
  const { reported } = evidence;
  if (reported && reported.messages >= LEAST_REPORTED) {
    const share = reported.aligned / reported.messages;
    const said = `Receivers reported ${count(reported.messages, "mail", "mails")} of the last 30 days, of which ${percent(share)} were aligned (DKIM ${percent(reported.dkimAligned / reported.messages)}, SPF ${percent(reported.spfAligned / reported.messages)}).`;
    if (share >= ENOUGH_ALIGNED) return pass(said);
    return judged(share >= SOME_ALIGNED ? "warn" : "fail", said, remedy);
  }
  const tested = fromTests(evidence, ["dmarc"], remedy);
  return tested ?? judged("unknown", "No DMARC reports have come, and no mail test was run.", RUN_A_TEST);
}

export function judgeFrom({ senders }: Evidence): Judgement {
  const domains = domainsOf(senders.map(({ from }) => from));
  if (domains.length === 0)
    return judged("unknown", "The account has no sender yet.", "Set the sender of the account.");
  const free = domains.filter((domain) => providerOf(domain) !== undefined);
  if (free.length > 0)
    return judged(
      "fail",
      `Mail is from ${free.join(", ")}, whose owners refuse mail in their name from other servers.`,
      "Send from an address of a domain that you own.",
    );
  return pass(`Mail is from ${domains.join(", ")}.`);
}

export function judgeArc(): Judgement {
  return pass("Postrider forwards no mail, so there is nothing to seal.");
}

export function domainsOf(addresses: readonly string[]): string[] {
  const domains = addresses.map((address) => address.slice(address.lastIndexOf("@") + 1).toLowerCase());
  return [...new Set(domains)].filter((domain) => domain !== "").sort();
}

type Kind = "spf" | "dkim" | "dmarc";

/** Judges by the records of those domains that mail is from; of all domains where mail is from none of them. */
function byRecords(evidence: Evidence, kind: Kind): Judgement | undefined {
  const from = domainsOf(evidence.senders.map((sender) => sender.from));
  const isUsed = ({ name }: KnownDomain) => from.some((one) => one === name || one.endsWith(`.${name}`));
  const used = evidence.domains.filter(isUsed);
  const missing = from.filter(
    (one) => !evidence.domains.some(({ name }) => one === name || one.endsWith(`.${name}`)),
  );
  const found = (used.length > 0 ? used : evidence.domains).flatMap((domain) => {
    const own = domain.records.filter((record) => record.kind === kind && isNeeded(record));
    return own.map((record) => ofRecord(domain, kind, record.status));
  });
  if (used.length > 0 && missing.length > 0)
    found.push(
      judged("warn", `Mail is also from ${missing.join(", ")}, which isn't among the domains.`, ADD_DOMAIN),
    );
  return gravest(found);
}

/** The record of a key that waits or is over isn't needed today. */
function isNeeded({ details }: KnownDomain["records"][number]): boolean {
  return details?.key_state === undefined || details.key_state === "active";
}

function ofRecord({ name }: KnownDomain, kind: Kind, status: string): Judgement {
  const record = `The ${kind.toUpperCase()} record of ${name}`;
  if (status === "ok") return pass(`${record} is right.`);
  const remedy = `Publish the record that the page of ${name} shows.`;
  if (status === "unknown") return judged("unknown", `${record} could not be looked up.`, remedy);
  const said = { missing: "is missing", wrong: "is wrong", duplicate: "stands there more than once" }[status];
  return judged("fail", `${record} ${said ?? status}.`, remedy);
}

function nothingKnown({ domains }: Evidence): Judgement {
  return domains.length === 0
    ? judged("unknown", "No domain is known, and no mail test was run.", ADD_DOMAIN)
    : judged("unknown", "The domain's records were not looked up yet.", RUN_A_TEST);
}
