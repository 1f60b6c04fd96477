/** Makes a message of events as their endpoint wants it, and posts it. What goes wrong on our side is told apart from what goes wrong there. */
import type { KeyObject } from "node:crypto";
import type { EventRow } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Queryable } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import type { GuardedClient } from "../../platform/net/guarded-client.ts";
import { type Posted, postWebhook } from "../../platform/net/post-webhook.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type Addresses, bodyOf, NO_ADDRESSES } from "../payload/payload.ts";
import type { LeasedWebhook } from "./lease-store.ts";

export type PostTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: Secrets;
  /** Finds the addresses of those whom events are about. */
  readonly addressesOf: (db: Queryable, accountId: string, events: readonly EventRow[]) => Promise<Addresses>;
  /** How long an endpoint has for an answer; 15 s unless it is given. */
  readonly timeoutMs?: number;
};

/** A secret that doesn't open concerns every message, and something else perhaps one alone. */
const SECRET_PAUSE_MS = 60_000;
const ERROR_PAUSE_MS = 1_000;

/** What a runner posts with: its session, and the keys of its endpoint's secrets. */
export type Posting = {
  readonly session: GuardedClient;
  readonly keysAt: (now: Date) => readonly KeyObject[];
};

export async function postItem(
  { db, clock, log, addressesOf, timeoutMs }: PostTools,
  webhook: LeasedWebhook,
  { session, keysAt }: Posting,
  messageId: string,
  events: readonly EventRow[],
): Promise<Posted> {
  const keys = keysAt(clock.now());
  if (keys.length === 0) return unposted(clock, "secret_unreadable", SECRET_PAUSE_MS);
  const hasAddresses = webhook.include.includes("email");
  try {
    const addresses = hasAddresses ? await addressesOf(db, webhook.account_id, events) : NO_ADDRESSES;
    const message = { url: webhook.url, id: messageId, body: bodyOf(events, addresses), keys };
    const posted = await postWebhook(session, clock, message, timeoutMs);
    // An endpoint may answer with what it got, in whatever spelling, and no address may be kept.
    return hasAddresses ? { ...posted, answer: null } : posted;
  } catch (error) {
    log.warn({ err: error, webhook: webhook.id }, "a message to an endpoint could not be made");
    return unposted(clock, "internal_error", ERROR_PAUSE_MS);
  }
}

function unposted(clock: Clock, failure: string, pauseMs: number): Posted {
  const attempt = { at: clock.now().toISOString(), duration_ms: 0, status: null, failure };
  return { outcome: "unposted", attempt, retryAfterMs: pauseMs, answer: null };
}
