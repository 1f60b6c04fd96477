/** Examines who answers for the mail: SPF (RFC 7208), DKIM (RFC 6376), and DMARC (RFC 9989), which binds them to the author. */
import { alignmentOf, discoverPolicy } from "../../../mail/dmarc/dmarc.ts";
import { evaluateSpf, type SpfEvaluation } from "../../../mail/spf/spf.ts";
import type { Dns } from "../../../platform/dns.ts";
import type { ReportItem } from "../schema.ts";
import { item, type Origin } from "./item.ts";
import type { Signature, Signatures } from "./signatures.ts";

export type Claims = {
  /** The domain of the author, in ASCII; null where From names none, or several. */
  readonly author: string | null;
  readonly envelopeFrom: string;
  readonly origin: Origin;
  readonly signatures: Signatures;
};

export async function examineAuthentication(dns: Dns, claims: Claims): Promise<readonly ReportItem[]> {
  const { origin, envelopeFrom, signatures } = claims;
  const spf =
    origin.hiddenBy === null
      ? await evaluateSpf(dns, { ip: origin.ip, sender: envelopeFrom, helo: origin.helo })
      : undefined;
  return [shapeSpf(origin, spf), shapeDkim(signatures), await examineDmarc(dns, claims, spf)];
}

function shapeSpf({ ip, hiddenBy }: Origin, spf: SpfEvaluation | undefined): ReportItem {
  if (!spf)
    return item(
      "spf",
      "unknown",
      "SPF can't be judged",
      `${hiddenBy}, so nobody can say from which address other servers would see it come.`,
    );
  const { result, domain, term, problem, lookups } = spf;
  const evidence = [
    `${result} for ${ip} by the record of ${domain}${term === null ? "" : ` (${term})`}.`,
    ...(problem === null ? [] : [problem]),
    `It costs ${lookups} of 10 look-ups.`,
  ].join("\n");
  const remedy = `Let the SPF record of ${domain} name ${ip}; Domains shows one merged record.`;
  switch (result) {
    case "pass":
      return item("spf", "pass", "SPF passes", evidence);
    case "temperror":
      return item("spf", "unknown", "SPF can't be judged", evidence);
    case "permerror":
      return item("spf", "fail", "The SPF record is broken", evidence, `Correct the record of ${domain}.`);
    case "none":
      return item("spf", "fail", "There is no SPF record", evidence, remedy);
    case "fail":
      return item("spf", "fail", "SPF fails", evidence, remedy);
    case "softfail":
    case "neutral":
      return item("spf", "warn", "SPF doesn't pass", evidence, remedy);
  }
}

const WEAK_BITS = 2_048;

function shapeDkim(signatures: Signatures): ReportItem {
  if (signatures.kind === "failed") return item("dkim", "unknown", "DKIM can't be judged", signatures.detail);
  const { all } = signatures;
  const evidence = all.map(describe).join("\n");
  const sign = "Prove the sender's domain under Domains, so that Postrider signs, or let the relay sign.";
  if (all.length === 0)
    return item("dkim", "fail", "The mail isn't signed", "It has no DKIM signature.", sign);
  const passing = all.filter(({ result }) => result === "pass");
  const isWeak = passing.every(({ keyBits }) => keyBits !== null && keyBits < WEAK_BITS);
  if (passing.length > 0 && isWeak)
    return item(
      "dkim",
      "warn",
      "The key of the signature is short",
      evidence,
      `Use a key of ${WEAK_BITS} bits; some receivers pass over shorter ones.`,
    );
  if (passing.length > 0) return item("dkim", "pass", "A DKIM signature is valid", evidence);
  if (all.some(({ result }) => result === "temperror"))
    return item("dkim", "unknown", "DKIM can't be judged", evidence);
  return item(
    "dkim",
    "fail",
    "No DKIM signature is valid",
    evidence,
    "Where the key isn't found, publish it as Domains shows it. Where the mail was changed after it was signed, look for footers and rewriting in the relay.",
  );
}

function describe({ domain, selector, algorithm, keyBits, result, detail }: Signature): string {
  const key = keyBits === null ? algorithm : `${algorithm}, ${keyBits} bits`;
  return `${domain} (selector ${selector}, ${key}): ${result}${detail === "" ? "" : `, ${detail}`}`;
}

async function examineDmarc(
  dns: Dns,
  { author, signatures }: Claims,
  spf: SpfEvaluation | undefined,
): Promise<ReportItem> {
  if (author === null)
    return item(
      "dmarc",
      "fail",
      "The mail has no single author",
      "Its From field names no address, or more than one.",
      "Send from one address.",
    );
  const found = await discoverPolicy(dns, author);
  if (found.kind === "failed")
    return item("dmarc", "unknown", "DMARC can't be judged", `${found.domain}: ${found.detail}`);
  if (found.kind === "none")
    return item(
      "dmarc",
      "fail",
      "There is no DMARC record",
      `Neither ${author} nor a domain above it has one.`,
      "Publish the record that Domains shows. Gmail, Yahoo and Microsoft ask for one from whoever sends much.",
    );
  const { record, domain, policy } = found;
  const passing =
    signatures.kind === "verified" ? signatures.all.filter(({ result }) => result === "pass") : [];
  const [bySpf, ...byDkim] = await Promise.all([
    spf?.result === "pass"
      ? alignmentOf(dns, author, spf.domain, record.spfAlignment)
      : ("not_aligned" as const),
    ...passing.map((one) => alignmentOf(dns, author, one.domain, record.dkimAlignment)),
  ]);
  const signer = passing[byDkim.indexOf("aligned")]?.domain;
  const evidence = [
    `The author's domain is ${author}; the record is that of ${domain}: ${record.text}`,
    signer === undefined ? "No valid signature is of its domain." : `The signature of ${signer} is aligned.`,
    `SPF ${spf === undefined ? "isn't known" : bySpf === "aligned" ? `of ${spf.domain} is aligned` : "isn't aligned"}.`,
  ].join("\n");
  if (signer !== undefined || bySpf === "aligned")
    return policy === "none"
      ? item("dmarc", "pass", "DMARC passes; its policy asks for nothing yet", evidence)
      : item("dmarc", "pass", `DMARC passes, with the policy ${policy}`, evidence);
  const isOpen =
    bySpf === "unknown" ||
    byDkim.includes("unknown") ||
    spf === undefined ||
    spf.result === "temperror" ||
    signatures.kind === "failed" ||
    signatures.all.some(({ result }) => result === "temperror");
  if (isOpen) return item("dmarc", "unknown", "DMARC can't be judged", evidence);
  return item(
    "dmarc",
    "fail",
    "DMARC fails",
    evidence,
    `The mail must be signed by ${author}, or leave from a return path of it that passes SPF. Prove the domain under Domains.`,
  );
}
