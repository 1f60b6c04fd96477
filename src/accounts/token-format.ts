/**
 * A token is a prefix and 54 characters of base 62: whose it is (16 bytes), a secret (20) and a checksum (4). Keys, links
 * and addresses of providers are an account's, so that their check starts from `account_id` like every statement; a session is a person's. The checksum turns a mistyped
 * token away without asking the database, and lets secret scanners recognise a token.
 */
import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * The prefixes of an API key, of a session, of a link that sets a password, of an address that a provider posts to, of a sign-in that
 * owes a second factor, of a link that proves a new address, and of a key of the instance and a link that opens an account, which hold
 * their own ids.
 */
export type TokenPrefix = "pr_" | "prs_" | "prl_" | "pri_" | "prf_" | "pre_" | "prn_" | "pru_";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 54; // 54 characters are enough, because 62^54 > 2^320.
export const SECRET_BYTES = 20;

export function makeToken(
  prefix: TokenPrefix,
  accountId: string,
  secret = randomBytes(SECRET_BYTES),
): string {
  const content = Buffer.concat([Buffer.from(accountId.replaceAll("-", ""), "hex"), secret]);
  return prefix + toBase62(Buffer.concat([content, checksum(content)]));
}

/** Returns the account that a well-formed token belongs to; undefined for anything else. */
export function accountOfToken(prefix: TokenPrefix, token: string): string | undefined {
  if (!token.startsWith(prefix) || token.length !== prefix.length + LENGTH) return undefined;
  const bytes = fromBase62(token.slice(prefix.length));
  if (!bytes?.subarray(36).equals(checksum(bytes.subarray(0, 36)))) return undefined;
  const hex = bytes.toString("hex", 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns the hash that is stored. The prefix is hashed too, so a token of one kind never passes for another. */
export function hashToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

export const makeKey = (accountId: string): string => makeToken("pr_", accountId);
export const accountOfKey = (key: string): string | undefined => accountOfToken("pr_", key);
export const hashKey = (key: string): Buffer => hashToken(key);

function checksum(content: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content));
  return sum;
}

const SIX_DIGITS = 62n ** 6n;

/** Takes six digits from each division of the large number, because one digit each took 10 µs. */
function toBase62(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString("hex")}`);
  let text = "";
  while (text.length < LENGTH) {
    let six = Number(number % SIX_DIGITS);
    number /= SIX_DIGITS;
    for (let digit = 0; digit < 6; digit++) {
      text = ALPHABET[six % 62] + text;
      six = Math.floor(six / 62);
    }
  }
  return text;
}

function fromBase62(text: string): Buffer | undefined {
  let number = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    number = number * 62n + BigInt(digit);
  }
  const hex = number.toString(16).padStart(80, "0");
  return hex.length === 80 ? Buffer.from(hex, "hex") : undefined;
}
