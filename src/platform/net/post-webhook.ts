/** Posts one signed message to a URL that a user chose, and says what that means. What went wrong is a value, never an exception. */
import type { KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import type { GuardedAnswer, GuardedClient } from "./guarded-client.ts";
import { signedHeaders } from "./webhook-signing.ts";

type Message = {
  readonly url: string;
  readonly id: string;
  readonly body: Buffer;
  /** Those of the live secrets, the newest first. */
  readonly keys: readonly KeyObject[];
};

export type Posted = {
  /** `unposted`: nothing was sent, for a reason on our side. */
  readonly outcome: "delivered" | "failed" | "gone" | "unposted";
  readonly attempt: {
    readonly at: string;
    readonly duration_ms: number;
    readonly status: number | null;
    readonly failure: string | null;
  };
  /** What the endpoint asked for or, of what wasn't posted, how long to wait with all others. */
  readonly retryAfterMs: number | undefined;
  /** The first bytes of the answer; null where none came. */
  readonly answer: Buffer | null;
};

const TIMEOUT_MS = 15_000;
/** Of the time for an answer, so much is for the connection at most. */
const CONNECT_SHARE = 2 / 3;
/** Whoever has said 200 need not finish the answer. */
const BODY_MS = 2_000;
const KEPT_ANSWER_BYTES = 4_096;
const GONE = 410;
/** Whoever asks to be left alone for longer is asked again after a day. */
const MOST_RETRY_AFTER_MS = 24 * 3_600_000;

export async function postWebhook(
  client: GuardedClient,
  clock: Clock,
  message: Message,
  timeoutMs = TIMEOUT_MS,
): Promise<Posted> {
  const at = clock.now();
  const startMs = clock.monotonicMs();
  const answer = await client.fetch(message.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Postrider",
      ...signedHeaders(message.keys, message.id, at, message.body),
    },
    body: message.body,
    allowsHttp: "listed",
    mostBytes: KEPT_ANSWER_BYTES,
    bodyMs: BODY_MS,
    limitsMs: { connect: timeoutMs * CONNECT_SHARE, headers: timeoutMs, whole: timeoutMs },
  });
  const status = answer.kind === "answered" ? answer.status : null;
  return {
    outcome: outcomeOf(status),
    attempt: {
      at: at.toISOString(),
      duration_ms: Math.round(clock.monotonicMs() - startMs),
      status,
      failure: failureOf(answer),
    },
    retryAfterMs:
      answer.kind === "answered" ? readRetryAfter(answer.headers["retry-after"], clock.now()) : undefined,
    answer: answer.kind === "answered" ? answer.body : null,
  };
}

function outcomeOf(status: number | null): Posted["outcome"] {
  if (status !== null && status >= 200 && status < 300) return "delivered";
  return status === GONE ? "gone" : "failed";
}

function failureOf(answer: GuardedAnswer): string | null {
  return answer.kind === "answered" ? null : answer.why;
}

/** Reads `Retry-After` (RFC 9110 §10.2.3): seconds, or a time. What is longer than a day is a day. */
export function readRetryAfter(value: string | undefined, now: Date): number | undefined {
  const ms = askedMs(value ?? "", now);
  return ms === undefined ? undefined : Math.min(Math.max(0, ms), MOST_RETRY_AFTER_MS);
}

/** A year of more digits than a `Date` takes is as far away as can be. */
const FAR_AWAY = /^\w{3}, \d\d \w{3} \d{5,} /;

function askedMs(value: string, now: Date): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  if (FAR_AWAY.test(value)) return MOST_RETRY_AFTER_MS;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time - now.getTime();
}
