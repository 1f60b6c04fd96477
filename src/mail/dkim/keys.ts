/** Reads signing keys from PEM once, to be used for every message, and writes their DNS records. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { parseAddress } from "../addresses.ts";

export type DkimKey = {
  /** The domain in A-labels. */
  readonly domain: string;
  readonly selector: string;
  readonly algorithm: "rsa-sha256" | "ed25519-sha256";
  readonly privateKey: KeyObject;
};

type DkimKeyInput = { readonly domain: string; readonly selector: string; readonly pem: string };

type DkimKeyFault = {
  readonly ok: false;
  readonly reason: DkimKeyFaultReason;
  /** Says what is wrong and what to do, and quotes nothing of the key. */
  readonly detail: string;
};

type DkimKeyFaultReason = keyof typeof keyFaults;

const keyFaults = {
  bad_domain: "The domain isn't a domain name with a dot in it. Give one such as example.org.",
  bad_selector: "A selector is made of letters, digits, hyphens and dots between them. Correct it.",
  name_too_long: "The selector and the domain together make a name longer than the 253 octets of the DNS.",
  not_pem: "This isn't a key in PEM, which begins with -----BEGIN PRIVATE KEY-----. Give the whole file.",
  encrypted: "The key is protected by a passphrase. Give it without one: openssl pkey -in key.pem",
  not_private: "There is no private key here, only a public key or a certificate. Give the private key.",
  openssh: "This is a key of OpenSSH. Make one for mail: openssl genrsa 2048",
  unreadable: "The key is cut off or damaged. Copy the whole file again.",
  wrong_type: "The key is neither RSA nor Ed25519, and DKIM knows no other. Make one: openssl genrsa 2048",
  too_short: "The RSA key has less than 1024 bits, and receivers ignore it. Make one: openssl genrsa 2048",
  too_long:
    "The RSA key has more than 4096 bits, and receivers need not take it. Make one: openssl genrsa 2048",
} as const;

/**
 * Signers must not go below this, and verifiers need not go above the other limit (RFC 8301 §3.2, which recommends 2048).
 */
const MIN_RSA_BITS = 1024;
const MAX_RSA_BITS = 4096;
/** A 4096-bit key takes 3,300 characters; a file may hold its certificates too. */
const MAX_PEM_CHARACTERS = 65_536;
const MAX_NAME_OCTETS = 253; // RFC 1035 §2.3.4 sets this limit, without the length octets.

export function loadDkimKey({
  domain,
  selector,
  pem,
}: DkimKeyInput): { ok: true; key: DkimKey } | DkimKeyFault {
  const address = parseAddress(`a@${domain}`);
  if (!address.ok) return fault("bad_domain");
  if (!isSelector(selector)) return fault("bad_selector");
  const name = `${selector}._domainkey.${address.asciiDomain}`;
  if (name.length > MAX_NAME_OCTETS) return fault("name_too_long");
  const privateKey = readPrivateKey(pem);
  if ("reason" in privateKey) return privateKey;
  const algorithm = algorithmOf(privateKey);
  if (typeof algorithm !== "string") return algorithm;
  if (!signsWell(privateKey, algorithm)) return fault("unreadable");
  return { ok: true, key: { domain: address.asciiDomain, selector, algorithm, privateKey } };
}

/** Returns the value of the TXT record at selector._domainkey.domain (RFC 6376 §3.6.1, RFC 8463 §4). */
export function publicKeyRecord(key: DkimKey): string {
  const spki = createPublicKey(key.privateKey).export({ type: "spki", format: "der" });
  if (key.algorithm === "rsa-sha256") return `v=DKIM1; k=rsa; p=${spki.toString("base64")}`;
  // The key is the last 32 octets, behind the name of the algorithm (RFC 8410 §4).
  return `v=DKIM1; k=ed25519; p=${spki.subarray(-32).toString("base64")}`;
}

/** A selector has labels as a host name does (RFC 6376 §3.1). */
function isSelector(selector: string): boolean {
  return /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i.test(selector);
}

function readPrivateKey(pem: string): KeyObject | DkimKeyFault {
  const text = pem.slice(0, MAX_PEM_CHARACTERS);
  const labels = [...text.matchAll(/-----BEGIN ([A-Z\d ]+)-----/g)];
  const found = labels.find(([, label]) => label?.endsWith("PRIVATE KEY"));
  if (!found) return fault(labels.length > 0 ? "not_private" : "not_pem");
  const label = found[1];
  const block = text.slice(found.index).split(`-----END ${label}-----`, 1)[0] ?? "";
  if (label === "ENCRYPTED PRIVATE KEY" || block.includes("Proc-Type: 4,ENCRYPTED"))
    return fault("encrypted");
  if (label === "OPENSSH PRIVATE KEY") return fault("openssh");
  try {
    return createPrivateKey(`${block}-----END ${label}-----\n`);
  } catch {
    return fault("unreadable");
  }
}

function algorithmOf(privateKey: KeyObject): DkimKey["algorithm"] | DkimKeyFault {
  const { asymmetricKeyType, asymmetricKeyDetails } = privateKey;
  if (asymmetricKeyType === "ed25519") return "ed25519-sha256";
  if (asymmetricKeyType !== "rsa") return fault("wrong_type");
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_RSA_BITS) return fault("too_short");
  if (bits > MAX_RSA_BITS) return fault("too_long");
  return "rsa-sha256";
}

/** OpenSSL accepts a key whose numbers don't belong together, and its signatures would verify nowhere. */
function signsWell(privateKey: KeyObject, algorithm: DkimKey["algorithm"]): boolean {
  const digest = algorithm === "rsa-sha256" ? "sha256" : null;
  const data = Buffer.from("a trial");
  try {
    return verify(digest, data, createPublicKey(privateKey), sign(digest, data, privateKey));
  } catch {
    return false;
  }
}

function fault(reason: DkimKeyFaultReason): DkimKeyFault {
  return { ok: false, reason, detail: keyFaults[reason] };
}
