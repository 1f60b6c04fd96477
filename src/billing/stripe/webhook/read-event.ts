/** Reads what Stripe posted. Whatever isn't an event is refused, however well it is signed; nothing in it but names is believed. */
import type Stripe from "stripe";
import { AppError } from "../../../platform/problems.ts";
import { stripeEventRefused } from "../../problems.ts";
import type { Payments } from "../client.ts";

const TOLERANCE_SECONDS = 300;

/** What is taken of an event: names alone, each of the form that Stripe gives it. */
export type PostedEvent = {
  readonly id: string;
  readonly type: string;
  readonly customerId: string | null;
  readonly objectId: string | null;
};

/** Ids of Stripe's are short words, which are stored and looked up as they are. */
const ID = /^[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]{1,120}$/;
const EVENT_ID = /^evt_[A-Za-z0-9_]{1,120}$/;
const TYPE = /^[a-z0-9_.]{1,100}$/;

export async function readEvent(
  payments: Payments,
  { body, signature, now }: { readonly body: Buffer; readonly signature: string; readonly now: Date },
): Promise<PostedEvent> {
  await requireSignature(payments, body, signature, now);
  const event = parse(body);
  const object = recordOf(recordOf(event?.["data"])?.["object"]);
  const id = event?.["id"];
  const type = event?.["type"];
  if (!object || typeof id !== "string" || !EVENT_ID.test(id) || typeof type !== "string" || !TYPE.test(type))
    throw refused("malformed", "it is no event");
  if (event?.["livemode"] !== payments.isLive)
    throw refused("livemode", "it is of the other mode than this service's key: test or live");
  const objectId = idOf(object["id"]);
  const customerId = object["object"] === "customer" ? objectId : idOf(object["customer"]);
  return { id, type, customerId, objectId };
}

/** Whatever is wrong with the signature, by the one secret or the other, is said alike. */
async function requireSignature(
  payments: Payments,
  body: Buffer,
  signature: string,
  now: Date,
): Promise<void> {
  const { webhooks } = await payments.load();
  for (const secret of payments.webhookSecrets)
    if (await isSignedBy(webhooks, { body, signature, secret, now })) return;
  throw refused("signature", "it isn't signed by the secret of this service, or is older than five minutes");
}

type Signed = {
  readonly body: Buffer;
  readonly signature: string;
  readonly secret: string;
  readonly now: Date;
};

async function isSignedBy(
  { signature: signatures }: Stripe["webhooks"],
  { body, signature, secret, now }: Signed,
): Promise<boolean> {
  if (!signatures) throw new Error("the SDK can't verify signatures");
  const at = now.getTime();
  try {
    await signatures.verifyHeaderAsync(body, signature, secret, TOLERANCE_SECONDS, undefined, at);
    return true;
  } catch {
    return false;
  }
}

function parse(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    return recordOf(JSON.parse(body.toString("utf8")));
  } catch {
    return undefined;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Record<string, unknown>) : undefined;
}

/** An id, or the id of what was expanded in its place; null for anything else. */
function idOf(value: unknown): string | null {
  const id = recordOf(value)?.["id"] ?? value;
  return typeof id === "string" && ID.test(id) ? id : null;
}

function refused(why: string, detail: string): AppError {
  return new AppError(stripeEventRefused, detail, { members: { why } });
}
