/**
 * Signs what is posted, as Standard Webhooks says: the MAC is over the message's id, the time and the body, and it is made with each
 * live secret, so that the receiver may change its own at any time during a rotation.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
/** Standard Webhooks wants between 24 and 64 bytes. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** A secret in the form that signs; whoever signs many messages makes it once. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(PREFIX.length), "base64");
}

export type SignedHeaders = {
  readonly "webhook-id": string;
  readonly "webhook-timestamp": string;
  /** Is left out where there is no secret to sign with. */
  readonly "webhook-signature"?: string;
};

export function signedHeaders(
  keys: readonly KeyObject[],
  messageId: string,
  at: Date,
  body: Buffer,
): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = keys.map((key) => `v1,${macOf(key, messageId, timestamp, body)}`);
  return {
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}

function macOf(key: KeyObject, messageId: string, timestamp: string, body: Buffer): string {
  return createHmac("sha256", key).update(`${messageId}.${timestamp}.`).update(body).digest("base64");
}
