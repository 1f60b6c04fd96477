/** Reads the TXT record of a public key (RFC 6376 §3.6.1), in whatever order and with whatever blanks it was written. */
export type KeyRecord = {
  readonly keyType: string;
  /** The key itself; empty where it was revoked. */
  readonly key: Buffer;
  /** Receivers may treat the mail as if it weren't signed (t=y). */
  readonly isTesting: boolean;
  /** It may be used for mail, and with SHA-256. */
  readonly isForMail: boolean;
};

/** Undefined is no key: no `p`, another version, a tag twice, or bytes that are no Base64. */
export function parseKeyRecord(text: string): KeyRecord | undefined {
  const tags = new Map<string, string>();
  for (const [index, part] of text.split(";").entries()) {
    if (part.trim() === "") continue;
    const [, name, value = ""] = /^\s*([a-z][a-z0-9_]*)\s*=\s*(.*?)\s*$/is.exec(part) ?? [];
    // A version is there at the beginning or not at all.
    if (name === undefined || tags.has(name) || (name === "v" && index > 0)) return undefined;
    tags.set(name, value);
  }
  const version = tags.get("v");
  const encoded = tags.get("p")?.replaceAll(/\s/g, "");
  if (encoded === undefined || (version !== undefined && version !== "DKIM1")) return undefined;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined;
  return {
    keyType: tags.get("k")?.toLowerCase() ?? "rsa",
    key: Buffer.from(encoded, "base64"),
    isTesting: listOf(tags.get("t")).includes("y"),
    isForMail:
      (!tags.has("h") || listOf(tags.get("h")).includes("sha256")) &&
      (!tags.has("s") || listOf(tags.get("s")).some((one) => one === "*" || one === "email")),
  };
}

function listOf(value: string | undefined): string[] {
  return (value ?? "").split(":").map((one) => one.trim().toLowerCase());
}

/** Compares keys as bytes, so that blanks, the order of tags and a missing version make no difference. */
export function isSameKey(one: KeyRecord, other: KeyRecord): boolean {
  return one.keyType === other.keyType && one.key.equals(other.key);
}
