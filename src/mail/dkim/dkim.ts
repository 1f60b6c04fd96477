/**
 * Makes DKIM signatures (RFC 6376, RFC 8301, RFC 8463) over a complete message, one for each key, to be put in front of it.
 * Only the given bytes are signed, so nothing may change them afterwards but SMTP's dot-stuffing.
 */
import { hash, sign } from "node:crypto";
import { promisify } from "node:util";
import { hashBody } from "./body.ts";
import { type SigningFault, type SigningFaultReason, signingFault } from "./faults.ts";
import { addSignature, canonicalizeUnsigned, composeUnsigned } from "./field.ts";
import { readHead, relaxHead, type SignedHead } from "./head.ts";
import type { DkimKey } from "./keys.ts";

export { type DkimKey, loadDkimKey, publicKeyRecord } from "./keys.ts";

type SigningOptions = {
  /** The time that `t=` gives. */
  readonly now: Date;
  /** The time that `x=` gives, after which a receiver may refuse the signature. Without it the signature never expires. */
  readonly expiresAt?: Date;
};

type SigningResult = SigningFault | { readonly ok: true; readonly fields: Buffer };

/**
 * Returns the DKIM-Signature fields in the order of the keys, each ended by CRLF. An RSA and an Ed25519 key make both
 * signatures, since not every receiver knows the latter. The message is RFC 5322 with CRLF, 8-bit and UTF-8 included.
 */
export async function signMessage(
  message: Buffer,
  keys: readonly DkimKey[],
  { now, expiresAt }: SigningOptions,
): Promise<SigningResult> {
  const times = { signedAt: toSeconds(now), expiresAt: expiresAt ? toSeconds(expiresAt) : null };
  if (times.expiresAt !== null && times.expiresAt <= times.signedAt)
    throw new RangeError("a signature can't expire before it is made");
  const read = readMessage(message);
  if (typeof read === "string") return signingFault(read);
  const signed = { ...times, bodyHash: read.bodyHash, names: read.names };
  const signatures = await Promise.all(
    keys.map((key) =>
      signData(key, Buffer.from(read.canonical + canonicalizeUnsigned(key, signed), "latin1")),
    ),
  );
  const fields = keys.map((key, index) =>
    addSignature(composeUnsigned(key, signed), signatures[index] as Buffer),
  );
  return { ok: true, fields: Buffer.from(fields.join(""), "latin1") };
}

/** Reads what the signatures of all keys have in common. */
function readMessage(message: Buffer): (SignedHead & { bodyHash: string }) | SigningFaultReason {
  const separator = message.indexOf("\r\n\r\n");
  if (separator < 0) {
    const relaxed = relaxHead(message);
    return relaxed.ok ? "no_separator" : relaxed.reason;
  }
  const head = readHead(message.subarray(0, separator + 2));
  if (typeof head === "string") return head;
  const bodyHash = hashBody(message.subarray(separator + 4));
  return bodyHash === null ? "bare_line_break" : { ...head, bodyHash };
}

const signInPool = promisify(sign);

/**
 * Signs in libuv's thread pool, Ed25519 too: 48 µs of the main thread became 10. Files and name look-ups wait there as
 * well, so a caller bounds how many messages it has under way. Ed25519 signs the hash (RFC 8463 §3).
 */
function signData({ algorithm, privateKey }: DkimKey, data: Buffer): Promise<Buffer> {
  return algorithm === "rsa-sha256"
    ? signInPool("sha256", data, privateKey)
    : signInPool(null, hash("sha256", data, "buffer"), privateKey);
}

function toSeconds(date: Date): number {
  const seconds = Math.floor(date.getTime() / 1_000);
  if (!(seconds >= 0)) throw new RangeError("a signature needs a time after 1970");
  return seconds;
}
