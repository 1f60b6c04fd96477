/**
 * DMARC (RFC 9989): which policy covers a domain, found by walking up the DNS tree; which domains belong together; and whether
 * a domain may send its reports elsewhere (RFC 9990). A resolver is handed in, and its failures are outcomes.
 */
import { isQueryName, type TxtLookup } from "../dns-lookups.ts";
import {
  type AlignmentMode,
  type DmarcPolicy,
  type DmarcRecord,
  isDmarcRecord,
  parseDmarc,
} from "./record.ts";

export {
  type AlignmentMode,
  addReportAddress,
  type DmarcRecord,
  hasReportAddress,
  hostOfUri,
  parseDmarc,
} from "./record.ts";

/** A name of the walk. More than one record at a name counts as none (RFC 9989 §4.10). */
type WalkStep = {
  /** The domain, without `_dmarc.` before it. */
  readonly domain: string;
  /** The texts that begin as DMARC records do. */
  readonly texts: readonly string[];
  readonly record: DmarcRecord | undefined;
};

export type TreeWalk =
  | { readonly kind: "walked"; readonly steps: readonly WalkStep[]; readonly organizationalDomain: string }
  | {
      readonly kind: "failed";
      readonly domain: string;
      readonly detail: string;
      /** What was found below the name that gave no answer. */
      readonly steps: readonly WalkStep[];
    };

export type PolicyDiscovery =
  | { readonly kind: "failed"; readonly domain: string; readonly detail: string }
  | {
      readonly kind: "none";
      readonly steps: readonly WalkStep[];
      readonly organizationalDomain: string;
    }
  | {
      readonly kind: "found";
      readonly steps: readonly WalkStep[];
      readonly organizationalDomain: string;
      /** The domain whose record it is. */
      readonly domain: string;
      readonly record: DmarcRecord;
      /** What receivers are asked to do with mail from the domain in question, if that exists, tests left out. */
      readonly policy: DmarcPolicy;
      /** The same for names below it that don't exist. */
      readonly absentPolicy: DmarcPolicy;
    };

/** So many labels are left after the first step, and there are at most eight steps (RFC 9989 §4.10). */
const MOST_LABELS = 7;

export async function walkTree(dns: TxtLookup, domain: string): Promise<TreeWalk> {
  const steps: WalkStep[] = [];
  for (const name of walkedDomains(domain)) {
    const query = `_dmarc.${name}`;
    const answer = isQueryName(query) ? await dns.txt(query) : undefined;
    if (answer?.kind === "failed" && !isTopOfFound(name, steps))
      return { kind: "failed", domain: name, detail: answer.detail, steps };
    const texts = answer?.kind === "found" ? answer.values.filter(isDmarcRecord) : [];
    const record = texts.length === 1 ? parseDmarc(texts[0] ?? "") : undefined;
    steps.push({ domain: name, texts, record });
    if (record && record.psd !== "u") break;
  }
  return { kind: "walked", steps, organizationalDomain: organizationalDomainOf(domain, steps) };
}

/** A record of a top-level domain could only name itself as a suffix, which says no more than that the name below it is a domain. */
function isTopOfFound(name: string, steps: readonly WalkStep[]): boolean {
  return !name.includes(".") && steps.some(({ record }) => record !== undefined);
}

/** The domain, then the names above it, down to a single label. */
export function walkedDomains(domain: string): string[] {
  const labels = domain.toLowerCase().split(".");
  const first = labels.length > MOST_LABELS ? labels.length - MOST_LABELS : 1;
  return [labels.join("."), ...labels.slice(first).map((_, at) => labels.slice(first + at).join("."))];
}

/** RFC 9989 §4.10.2. */
function organizationalDomainOf(domain: string, steps: readonly WalkStep[]): string {
  const start = domain.toLowerCase();
  const withRecord = steps.filter(({ record }) => record !== undefined);
  const marked = withRecord.find(({ record }) => record?.psd === "n");
  if (marked) return marked.domain;
  const suffix = withRecord.find(({ record, domain: at }) => record?.psd === "y" && at !== start);
  if (suffix) {
    const below = start.slice(0, -suffix.domain.length - 1).split(".");
    return `${below.at(-1)}.${suffix.domain}`;
  }
  return withRecord.at(-1)?.domain ?? start;
}

/** RFC 9989 §4.10.1: the record of the domain itself, else of its organizational domain, else of the suffix above that. */
export async function discoverPolicy(dns: TxtLookup, domain: string): Promise<PolicyDiscovery> {
  const walk = await walkTree(dns, domain);
  const { steps } = walk;
  // The domain's own record decides, whatever stands above it.
  if (walk.kind === "failed" && !steps[0]?.record) return walk;
  const start = domain.toLowerCase();
  const organizationalDomain = organizationalDomainOf(start, steps);
  const found =
    steps.find((one) => one.record && one.domain === start) ??
    steps.find((one) => one.record && one.domain === organizationalDomain) ??
    steps.find((one) => one.record?.psd === "y");
  if (!found?.record) return { kind: "none", steps, organizationalDomain };
  const { record } = found;
  const below = record.subdomainPolicy ?? record.policy;
  return {
    kind: "found",
    steps,
    organizationalDomain,
    domain: found.domain,
    record,
    policy: found.domain === start ? record.policy : below,
    absentPolicy: record.absentPolicy ?? below,
  };
}

export type Alignment = "aligned" | "not_aligned" | "unknown";

/** Says whether a domain that was proved by SPF or DKIM is that of the author (RFC 9989 §4.4). */
export async function alignmentOf(
  dns: TxtLookup,
  author: string,
  proved: string,
  mode: AlignmentMode,
): Promise<Alignment> {
  const [one, other] = [author.toLowerCase(), proved.toLowerCase()];
  if (one === other) return "aligned";
  if (mode === "strict") return "not_aligned";
  const [ofAuthor, ofProved] = await Promise.all([walkTree(dns, one), walkTree(dns, other)]);
  if (ofAuthor.kind === "failed" || ofProved.kind === "failed") return "unknown";
  return ofAuthor.organizationalDomain === ofProved.organizationalDomain ? "aligned" : "not_aligned";
}

/** The name at which another host says that it takes the reports of a domain (RFC 9990 §4). */
export function reportConsentName(domain: string, host: string): string {
  return `${domain}._report._dmarc.${host}`;
}

/** Reports go to another organization only with its consent. A host of the domain's own needs none. */
export async function reportConsent(
  dns: TxtLookup,
  domain: string,
  host: string,
): Promise<"given" | "missing" | "unknown"> {
  const isOwn = await alignmentOf(dns, domain, host, "relaxed");
  if (isOwn !== "not_aligned") return isOwn === "aligned" ? "given" : "unknown";
  const name = reportConsentName(domain, host);
  if (!isQueryName(name)) return "missing";
  const answer = await dns.txt(name);
  if (answer.kind === "failed") return "unknown";
  return answer.kind === "found" && answer.values.some(isDmarcRecord) ? "given" : "missing";
}
