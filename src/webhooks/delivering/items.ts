/** What is posted at once: events from a stream, or a delivery that is tried again. */
import { hash } from "node:crypto";
import { comparePositions, type EventRow } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import type { Posted } from "../../platform/net/post-webhook.ts";
import { BATCH_TYPE } from "../event-patterns.ts";
import type { DeliveryState } from "../schema.ts";
import type { Attempt, DeliveryRow } from "./delivery-store.ts";
import { waitAfter } from "./retries.ts";
import type { Taken } from "./stream.ts";

export type Item = {
  readonly row: Pick<
    DeliveryRow,
    "account_id" | "id" | "webhook_id" | "event_ids" | "message_id" | "type" | "origin" | "attempts"
  >;
  /** Whether the row is stored already. */
  readonly isStored: boolean;
  readonly events: readonly EventRow[];
  /** Says to its stream that it needn't be posted again from there. */
  settle(): void;
};

type Webhook = { readonly account_id: string; readonly id: string };

export function itemOf(webhook: Webhook, clock: Clock, { origin, events, settle }: Taken): Item {
  const [first] = events as [EventRow];
  const isOne = events.length === 1;
  return {
    row: {
      account_id: webhook.account_id,
      id: newId(clock),
      webhook_id: webhook.id,
      event_ids: events.map(({ id }) => id),
      message_id: isOne ? toPublicId("evt", first.id) : batchId(events),
      type: isOne ? first.type : BATCH_TYPE,
      origin,
      attempts: [],
    },
    isStored: false,
    events,
    settle,
  };
}

/** The same events in a batch make the same id, and others make another. */
function batchId(events: readonly EventRow[]): string {
  const digest = hash("sha256", events.map(({ id }) => id).join(" "), "hex");
  return `msg_${digest.slice(0, 32)}`;
}

export function storedItem(row: DeliveryRow, events: readonly EventRow[]): Item {
  return { row, isStored: true, events, settle: () => undefined };
}

/** Whether the first event of one stands before that of the other in the log. */
export function isBefore(one: Item, other: Item): boolean {
  const [a, b] = [one.events[0], other.events[0]];
  return a !== undefined && b !== undefined && comparePositions(a, b) < 0;
}

export type Result = {
  readonly item: Item;
  readonly state: DeliveryState;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: Date | null;
  readonly answer: Buffer | null;
};

/** What is wrong on our side, and says nothing about the endpoint. */
const OUR_FAULTS: ReadonlySet<string | null> = new Set(["secret_unreadable", "internal_error"]);

export const isOurFault = (attempt: Attempt | undefined) => OUR_FAULTS.has(attempt?.failure ?? null);

/** So many attempts are kept; a person may ask for any number. */
const MOST_ATTEMPTS = 50;

/** Of attempts that failed for a reason on our side one after the other, the last is kept. */
function withAttempt(before: readonly Attempt[], attempt: Attempt): readonly Attempt[] {
  const kept = isOurFault(before.at(-1)) ? before.slice(0, -1) : before;
  return [...kept, attempt].slice(-MOST_ATTEMPTS);
}

const WAIT_AFTER_OUR_FAULT_MS = 60_000;

export function resultOf(item: Item, posted: Posted, now: Date, random: number): Result {
  const attempts = withAttempt(item.row.attempts, posted.attempt);
  const common = { item, attempts, answer: posted.answer };
  const waiting = (ms: number): Result => {
    return { ...common, state: "waiting", nextAttemptAt: new Date(now.getTime() + ms) };
  };
  if (posted.outcome === "delivered") return { ...common, state: "delivered", nextAttemptAt: null };
  if (posted.outcome === "unposted") return waiting(WAIT_AFTER_OUR_FAULT_MS);
  // What was answered with 410 waits as well: whoever enables the endpoint again gets it.
  const tries = attempts.filter((attempt) => !isOurFault(attempt)).length;
  const wait = waitAfter(tries, posted.retryAfterMs, random);
  if (wait === undefined) return { ...common, state: "failed", nextAttemptAt: null };
  return waiting(wait);
}

/** A batch is stored before it is posted, so that every try of it has the same events and the same id. */
export function untriedResult(item: Item, now: Date): Result {
  return { item, state: "waiting", attempts: [], nextAttemptAt: now, answer: null };
}

/** The log has its events for 30 days, so one that waits that long can't be posted any more. */
export function lostResult(item: Item): Result {
  return { item, state: "failed", attempts: item.row.attempts, nextAttemptAt: null, answer: null };
}
