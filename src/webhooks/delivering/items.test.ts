import assert from "node:assert/strict";
import { test } from "node:test";
import type { Posted } from "../../platform/net/post-webhook.ts";
import type { Attempt } from "./delivery-store.ts";
import { type Item, resultOf } from "./items.ts";

const now = new Date("2026-11-16T12:00:00Z");
const attempt = (nth: number, failure: string | null = null): Attempt => {
  return { at: now.toISOString(), duration_ms: nth, status: failure === null ? 500 : null, failure };
};
const itemAfter = (attempts: readonly Attempt[]) => ({ row: { attempts } }) as unknown as Item;
const failed = (nth: number): Posted => {
  return { outcome: "failed", attempt: attempt(nth), retryAfterMs: undefined, answer: null };
};
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test("the last fifty attempts are kept", () => {
  const before = upTo(50).map((nth) => attempt(nth));
  const { attempts, state } = resultOf(itemAfter(before), failed(51), now, 0);
  assert.deepEqual(
    attempts.map(({ duration_ms }) => duration_ms),
    upTo(51).slice(1),
  );
  assert.equal(state, "failed");
});

test("of faults on our side one after the other the last is kept, and none counts as a try", () => {
  const ours = (nth: number): Posted => {
    return { outcome: "unposted", attempt: attempt(nth, "internal_error"), retryAfterMs: 1, answer: null };
  };
  const before = [...upTo(8).map((nth) => attempt(nth)), attempt(9, "internal_error")];
  const again = resultOf(itemAfter(before), ours(10), now, 0);
  assert.deepEqual(
    again.attempts.map(({ duration_ms }) => duration_ms),
    [...upTo(8), 10],
  );
  const ninth = resultOf(itemAfter(again.attempts), failed(11), now, 0);
  assert.equal(ninth.state, "waiting");
  assert.equal(resultOf(itemAfter(ninth.attempts), failed(12), now, 0).state, "failed");
});
