/**
 * A token is base64url of 48 bytes: the account's and the link's uuid, 16 bytes each, and a 16-byte MAC over both. What the link is
 * for, and until when, stands in the database.
 */
import type { Secrets } from "../platform/secrets.ts";

const TOKEN = /^[\w-]{64}$/;

export function makeToken(secrets: Secrets, accountId: string, linkId: string): string {
  const ids = Buffer.from(accountId.replaceAll("-", "") + linkId.replaceAll("-", ""), "hex");
  return Buffer.concat([ids, secrets.mac("preferences", accountId, linkId)]).toString("base64url");
}

/** Returns undefined for whatever isn't a token that was made here, to the last bit. */
export function readToken(
  secrets: Secrets,
  token: string,
): { readonly accountId: string; readonly linkId: string } | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const [accountId, linkId] = [uuidAt(bytes, 0), uuidAt(bytes, 16)];
  return secrets.verify("preferences", bytes.subarray(32), accountId, linkId)
    ? { accountId, linkId }
    : undefined;
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString("hex", at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
