/** Checks that a message is from SNS: its fields are signed with a certificate that only a host of SNS serves. */
import { verify } from "node:crypto";
import { type Json, objectOf, parseJson } from "../payloads/json.ts";
import type { SnsCertificates } from "./sns-certificates.ts";
import { isTimely, type SignatureCheck } from "./timeliness.ts";

/** The hosts of SNS itself, each of one region. */
const HOST = /^sns\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/;
const TOPIC = /^arn:aws[a-z-]*:sns:([a-z0-9-]+):\d+:[\w.-]{1,256}$/;

const TYPES = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"] as const;
export type SnsMessage = {
  readonly type: (typeof TYPES)[number];
  readonly topicArn: string;
  /** The URL that confirms a subscription; undefined in a notification. */
  readonly subscribeUrl: string | undefined;
};

export type SnsCheck =
  | { readonly ok: true; readonly message: SnsMessage }
  | Extract<SignatureCheck, { ok: false }>;

export async function checkSns(certificates: SnsCertificates, body: Buffer, now: Date): Promise<SnsCheck> {
  const fields = objectOf(parseJson(body.toString("utf8")));
  const type = TYPES.find((one) => one === fields.Type);
  const topicArn = stringOf(fields.TopicArn);
  const region = TOPIC.exec(topicArn)?.[1];
  const algorithm =
    fields.SignatureVersion === "2" ? "sha256" : fields.SignatureVersion === "1" ? "sha1" : null;
  if (!type || !region || !algorithm) return { ok: false, why: "unsigned" };
  const url = snsUrl(stringOf(fields.SigningCertURL), region);
  if (!url?.pathname.endsWith(".pem")) return { ok: false, why: "bad_certificate" };
  if (!isTimely(Date.parse(stringOf(fields.Timestamp)), now)) return { ok: false, why: "too_old" };
  const certificate = await certificates.get(url.href, now);
  if (typeof certificate === "string") return { ok: false, why: certificate };
  const signature = Buffer.from(stringOf(fields.Signature), "base64");
  if (!verify(algorithm, Buffer.from(signedText(type, fields)), certificate, signature))
    return { ok: false, why: "bad_signature" };
  const subscribeUrl = type === "Notification" ? undefined : stringOf(fields.SubscribeURL);
  return { ok: true, message: { type, topicArn, subscribeUrl } };
}

/** Returns the URL where it leads to SNS, in the region of the topic. */
export function snsUrl(text: string, region?: string): URL | null {
  const url = URL.parse(text);
  const found = url?.protocol === "https:" ? HOST.exec(url.hostname) : null;
  return found && (region === undefined || found[1] === region) ? url : null;
}

export function regionOf(topicArn: string): string {
  return TOPIC.exec(topicArn)?.[1] ?? "";
}

/** Names and values in the order of the names, each on a line of its own. A field that isn't there is left out. */
function signedText(type: SnsMessage["type"], fields: Json): string {
  const names =
    type === "Notification"
      ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
      : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  return names
    .filter((name) => typeof fields[name] === "string")
    .map((name) => `${name}\n${fields[name]}\n`)
    .join("");
}

/** A message may be longer than the texts that reports are made of. */
function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
