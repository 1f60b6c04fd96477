/** Checks what the other providers sign or show: Mailgun and SendGrid sign, the rest show a secret if one was agreed on. */
import { createHmac, createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Provider } from "../../types.ts";
import { objectOf, parseJson, textOf } from "../payloads/json.ts";
import { isTimely, type SignatureCheck } from "./timeliness.ts";

export type SignedRequest = { readonly headers: IncomingHttpHeaders; readonly body: Buffer };

const UNSIGNED: SignatureCheck = { ok: false, why: "unsigned" };
const FORGED: SignatureCheck = { ok: false, why: "bad_signature" };

/** `secret` is null where none was agreed on: then the token in the URL is all that a provider shows. */
export function checkSignature(
  provider: Exclude<Provider, "ses">,
  secret: string | null,
  request: SignedRequest,
  now: Date,
): SignatureCheck {
  if (provider === "mailgun") return checkMailgun(secret ?? "", request, now);
  if (provider === "sendgrid") return checkSendgrid(secret ?? "", request, now);
  return secret === null ? { ok: true } : checkShown(secret, request);
}

/** The signature is in the body, and covers a time and a random token. */
function checkMailgun(key: string, { body }: SignedRequest, now: Date): SignatureCheck {
  const signature = objectOf(objectOf(parseJson(body.toString("utf8"))).signature);
  const [timestamp, token, given] = ["timestamp", "token", "signature"].map((name) =>
    textOf(signature[name]),
  );
  // What is signed has no mark between the two, so one that takes a digit of the other would be good for a second body.
  if (!timestamp || !token || !given || !/^\d{10}$/.test(timestamp)) return UNSIGNED;
  const expected = createHmac("sha256", key).update(`${timestamp}${token}`).digest("hex");
  if (!isEqual(given.toLowerCase(), expected)) return FORGED;
  return isTimely(Number(timestamp) * 1_000, now)
    ? { ok: true, nonce: token }
    : { ok: false, why: "too_old" };
}

/** The signature covers the time and the whole body (ECDSA on P-256). */
function checkSendgrid(publicKey: string, { headers, body }: SignedRequest, now: Date): SignatureCheck {
  const signature = headers["x-twilio-email-event-webhook-signature"];
  const timestamp = headers["x-twilio-email-event-webhook-timestamp"];
  if (typeof signature !== "string" || typeof timestamp !== "string") return UNSIGNED;
  const key = readPublicKey(publicKey);
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  if (!key || !verify("sha256", signed, key, Buffer.from(signature, "base64"))) return FORGED;
  return isTimely(Number(timestamp) * 1_000, now) ? { ok: true } : { ok: false, why: "too_old" };
}

/** Reads the key as SendGrid shows it: base64 without the lines around it. Returns undefined for any other. */
export function readPublicKey(text: string): KeyObject | undefined {
  try {
    const der = Buffer.from(text.replace(/-----[A-Z ]+-----|\s/g, ""), "base64");
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined;
  } catch {
    return undefined;
  }
}

/** `user:password` comes by basic authentication; anything else as a bearer token, or in a header of its own. */
function checkShown(secret: string, { headers }: SignedRequest): SignatureCheck {
  const { authorization = "", "x-webhook-token": token = "" } = headers;
  if (authorization === "" && token === "") return UNSIGNED;
  const [scheme = "", shown = ""] = authorization.split(" ");
  const isBasic =
    scheme.toLowerCase() === "basic" && isEqual(Buffer.from(shown, "base64").toString(), secret);
  const isBearer = scheme.toLowerCase() === "bearer" && isEqual(shown, secret);
  return isBasic || isBearer || isEqual(String(token), secret) ? { ok: true } : FORGED;
}

/** Takes as long for any two texts, whatever their lengths are. */
function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(hash("sha256", one, "buffer"), hash("sha256", other, "buffer"));
}
