/** DMARC records (RFC 9989 §4.6): tags and their values. What can't be understood in one is passed over, as receivers do. */
const POLICIES = ["none", "quarantine", "reject"] as const;
export type DmarcPolicy = (typeof POLICIES)[number];
export type AlignmentMode = "relaxed" | "strict";

export type DmarcRecord = {
  /** As it stands in the DNS. */
  readonly text: string;
  /** A record without a policy counts as one that asks for nothing (RFC 9989 §4.7). */
  readonly policy: DmarcPolicy;
  /** False where receivers do nothing by it: it has no policy that can be read, and names nobody to report to (RFC 9989 §4.10.1). */
  readonly isApplied: boolean;
  /** For names below the domain, and for names below it that don't exist; undefined where they are as the domain. */
  readonly subdomainPolicy: DmarcPolicy | undefined;
  readonly absentPolicy: DmarcPolicy | undefined;
  readonly dkimAlignment: AlignmentMode;
  readonly spfAlignment: AlignmentMode;
  /** URIs that aggregate and failure reports go to. */
  readonly rua: readonly string[];
  readonly ruf: readonly string[];
  readonly failureOptions: readonly string[];
  /** `y` is a public suffix, `n` an organizational domain; `u` leaves it to the tree walk. */
  readonly psd: "y" | "n" | "u";
  /** Receivers apply the next milder policy. */
  readonly isTesting: boolean;
  /** Tags that can't be read, for people to look at. */
  readonly faults: readonly string[];
};

/** Whoever reads a name's TXT records passes over all others (RFC 9989 §4.10). The version is in capital letters. */
export function isDmarcRecord(text: string): boolean {
  return /^[ \t]*v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text);
}

/** The value is everything up to the next semicolon, blanks around it left out. */
const TAG = /^[ \t]*([a-z][a-z0-9_]*)[ \t]*=[ \t]*(.*?)[ \t]*$/is;

/** Undefined is no DMARC record. */
export function parseDmarc(text: string): DmarcRecord | undefined {
  if (!isDmarcRecord(text)) return undefined;
  const faults: string[] = [];
  const tags = new Map<string, string>();
  for (const part of text.split(";").slice(1)) {
    const [, name = "", value = ""] = TAG.exec(part) ?? [];
    if (part.trim() === "") continue;
    if (name === "" || tags.has(name.toLowerCase())) faults.push(part.trim());
    else tags.set(name.toLowerCase(), value);
  }
  const oneOf = <T extends string>(name: string, choices: readonly T[]): T | undefined => {
    const value = tags.get(name);
    const found = choices.find((choice) => choice === value?.toLowerCase());
    if (value !== undefined && found === undefined) faults.push(`${name}=${value}`);
    return found;
  };
  const rua = readUris(tags.get("rua"));
  const policies = { p: oneOf("p", POLICIES), sp: oneOf("sp", POLICIES), np: oneOf("np", POLICIES) };
  // One policy that can't be read makes the whole record one of p=none, the others in it too (RFC 9989 §4.10.1).
  const isReadable = (["p", "sp", "np"] as const).every((name) => policies[name] || !tags.has(name));
  return {
    text,
    policy: (isReadable && policies.p) || "none",
    isApplied: (isReadable && policies.p !== undefined) || rua.length > 0,
    subdomainPolicy: isReadable ? policies.sp : undefined,
    absentPolicy: isReadable ? policies.np : undefined,
    dkimAlignment: oneOf("adkim", ["r", "s"]) === "s" ? "strict" : "relaxed",
    spfAlignment: oneOf("aspf", ["r", "s"]) === "s" ? "strict" : "relaxed",
    rua,
    ruf: readUris(tags.get("ruf")),
    failureOptions: (tags.get("fo") ?? "0").split(":").map((one) => one.trim().toLowerCase()),
    psd: oneOf("psd", ["y", "n", "u"]) ?? "u",
    isTesting: oneOf("t", ["y", "n"]) === "y",
    faults,
  };
}

function readUris(value: string | undefined): string[] {
  return (value ?? "")
    .split(",")
    .map((uri) => uri.trim())
    .filter((uri) => /^[a-z][a-z0-9+.-]*:[^\s,;]+$/i.test(uri));
}

/** The address of a mailto: URI, without the size limit that older records write after an exclamation mark. */
function mailboxOf(uri: string): string | undefined {
  const [, mailbox] = /^mailto:([^!?\s]+@[^!?\s]+)/i.exec(uri) ?? [];
  return mailbox;
}

/** The domain to which reports for this URI go, in lower case. */
export function hostOfUri(uri: string): string | undefined {
  const mailbox = mailboxOf(uri);
  return mailbox?.slice(mailbox.lastIndexOf("@") + 1).toLowerCase();
}

export function hasReportAddress(record: DmarcRecord, address: string): boolean {
  return record.rua.some((uri) => mailboxOf(uri)?.toLowerCase() === address.toLowerCase());
}

/** Adds an address for aggregate reports to a record, of which everything else stays as it is, to the last blank. */
export function addReportAddress(text: string, address: string): string {
  const record = parseDmarc(text);
  if (record && hasReportAddress(record, address)) return text;
  const uri = `mailto:${address}`;
  const parts = text.split(";");
  const at = parts.findIndex((part) => /^[ \t]*rua[ \t]*=/i.test(part));
  if (at < 0) return `${text.replace(/[ \t]*;?[ \t]*$/, "")}; rua=${uri}`;
  const [, head = "", value = "", tail = ""] =
    /^([ \t]*rua[ \t]*=[ \t]*)(.*?)([ \t,]*)$/is.exec(parts[at] ?? "") ?? [];
  return parts
    .with(at, `${head}${value === "" ? uri : `${value},${uri}`}${tail.replaceAll(",", "")}`)
    .join(";");
}
