import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Outcome } from "../transports/transport.ts";
import { awaitingMend, settlementOf, unrenderable } from "./outcome-rules.ts";
import { type Attempt, backoffMs, RETRY_FOR_MS } from "./retry-backoff.ts";

const now = new Date("2026-11-15T10:00:00.000Z");
const first: Attempt = {
  number: 1,
  firstAt: now,
  now,
  onAmbiguous: "resend",
  firstRetryMs: 60_000,
  chance: 0.5,
};
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

describe("rules of delivery", () => {
  const refusal = { phase: "rcpt", code: 451, enhanced: "4.7.1", text: "451 later" } as const;
  const rows: readonly [string, Outcome, Partial<Attempt>, object][] = [
    [
      "accepted",
      { kind: "accepted", code: 250, text: "250 ok" },
      {},
      { state: "sent", code: 250, reply: "250 ok" },
    ],
    ["withheld", { kind: "withheld" }, {}, { state: "ready" }],
    ["deferred", { kind: "deferred", ...refusal }, {}, { state: "deferred", dueAt: inMinutes(1), code: 451 }],
    [
      "deferred again",
      { kind: "deferred", ...refusal },
      { number: 4 },
      { state: "deferred", dueAt: inMinutes(8) },
    ],
    [
      "deferred with a time",
      { kind: "deferred", ...refusal, retryAfterMs: 120_000 },
      {},
      { state: "deferred", dueAt: inMinutes(2) },
    ],
    [
      "deferred for three days",
      { kind: "deferred", ...refusal },
      { number: 30, firstAt: new Date(now.getTime() - RETRY_FOR_MS) },
      { state: "failed", why: "expired", bounce: "soft", code: 451 },
    ],
    [
      "rejected",
      { kind: "rejected", phase: "rcpt", code: 550, enhanced: "5.1.1", text: "550 nobody" },
      {},
      { state: "failed", why: "hard_bounce", bounce: "hard", code: 550, reply: "550 nobody" },
    ],
    ["unreachable", { kind: "unreachable", phase: "connect", text: "refused" }, {}, { state: "ready" }],
    [
      "not let in",
      { kind: "rejected", phase: "auth", code: 535, enhanced: "5.7.8", text: "535 no" },
      {},
      { state: "ready", bounce: null },
    ],
    [
      "lost on the way",
      { kind: "unreachable", phase: "body", text: "lost" },
      {},
      { state: "deferred", dueAt: inMinutes(1 / 12), reply: "lost" },
    ],
    [
      "lost on the way again and again",
      { kind: "unreachable", phase: "body", text: "lost" },
      { number: 4 },
      { state: "deferred", dueAt: inMinutes(8) },
    ],
    [
      "ambiguous",
      { kind: "ambiguous", text: "lost" },
      {},
      { state: "deferred", why: "ambiguous", dueAt: inMinutes(1) },
    ],
    [
      "ambiguous for three days",
      { kind: "ambiguous", text: "lost" },
      { number: 30, firstAt: new Date(now.getTime() - RETRY_FOR_MS) },
      { state: "unknown", why: "ambiguous", bounce: null, dueAt: null },
    ],
    [
      "ambiguous, held",
      { kind: "ambiguous", text: "lost" },
      { onAmbiguous: "hold" },
      { state: "unknown", why: "ambiguous", dueAt: null },
    ],
  ];
  for (const [name, outcome, more, expected] of rows) {
    test(`${name}: what is written of it`, () => {
      assert.partialDeepStrictEqual(settlementOf(outcome, { ...first, ...more }), expected);
    });
  }

  test("a message that can't be made fails at once", () => {
    assert.partialDeepStrictEqual(unrenderable("no such filter"), {
      state: "failed",
      why: "unrenderable",
      dueAt: null,
    });
  });

  test("a message that somebody has to mend waits for as long as one that is put off, and fails without a bounce", () => {
    const settle = (sinceMs: number) =>
      awaitingMend("signing_key_unreadable", "no key", new Date(now.getTime() - sinceMs), now);
    for (const sinceMs of [0, RETRY_FOR_MS - 60_000])
      assert.partialDeepStrictEqual(settle(sinceMs), { state: "deferred", why: null, dueAt: inMinutes(1) });
    assert.partialDeepStrictEqual(settle(RETRY_FOR_MS - 59_999), {
      state: "failed",
      why: "signing_key_unreadable",
      bounce: null,
      reply: "no key",
      dueAt: null,
    });
  });

  test("a refusal that no other message settled is a block, and suppresses nobody", () => {
    const system = {
      kind: "rejected",
      phase: "dot",
      code: 554,
      enhanced: "5.3.0",
      text: "554 5.3.0 no",
    } as const;
    const nobody = { ...system, phase: "rcpt", enhanced: "5.1.1", text: "550 5.1.1 nobody" } as const;
    assert.equal(settlementOf(system, first).bounce, "soft");
    assert.partialDeepStrictEqual(settlementOf(system, first, false), {
      state: "failed",
      why: "block_bounce",
    });
    assert.equal(settlementOf(nobody, first).bounce, "hard");
    assert.equal(settlementOf(nobody, first, false).bounce, "block");
    const full = { ...system, phase: "rcpt", enhanced: "5.2.2", text: "552 5.2.2 mailbox full" } as const;
    assert.equal(settlementOf(full, first, false).bounce, "soft");
  });

  test("waits grow, never beyond five hours, and never to nothing", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, chance) => {
          const wait = (number: number) => backoffMs({ number, firstRetryMs: 60_000, chance });
          const waitMs = wait(attempt);
          assert.ok(waitMs >= 48_000 && waitMs <= 5 * 3_600_000, `${waitMs} ms`);
          assert.ok(wait(attempt + 1) >= waitMs);
        },
      ),
    );
  });
});
