import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Attempt,
  backoffMs,
  kindOfRejection,
  RETRY_FOR_MS,
  settlementOf,
  unrenderable,
} from "./rules.ts";
import type { Outcome } from "./transport.ts";

const now = new Date("2026-11-15T10:00:00.000Z");
const first: Attempt = { number: 1, firstAt: now, now, onAmbiguous: "resend", chance: 0.5 };
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
    [
      "unreachable",
      { kind: "unreachable", phase: "connect", text: "refused" },
      {},
      { state: "deferred", dueAt: inMinutes(1), reply: "refused" },
    ],
    [
      "ambiguous",
      { kind: "ambiguous", text: "lost" },
      {},
      { state: "deferred", why: "ambiguous", dueAt: inMinutes(1) },
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

  const kinds: readonly [phase: "rcpt" | "data" | "mail", enhanced: string | null, kind: string][] = [
    ["rcpt", "5.1.1", "hard"],
    ["rcpt", "5.1.10", "hard"],
    ["data", "5.1.1", "hard"],
    ["rcpt", "5.2.1", "hard"],
    ["rcpt", "5.2.2", "soft"],
    ["rcpt", "5.4.7", "soft"],
    ["rcpt", "5.7.1", "block"],
    ["data", "5.7.26", "block"],
    ["rcpt", null, "hard"],
    ["rcpt", "5.0.0", "hard"],
    ["rcpt", "nonsense", "hard"],
    ["data", null, "block"],
    ["mail", null, "block"],
  ];
  for (const [phase, enhanced, kind] of kinds) {
    test(`a refusal at ${phase} with ${enhanced ?? "no enhanced code"} is ${kind}`, () => {
      assert.equal(kindOfRejection({ phase, enhanced }), kind);
    });
  }

  test("waits grow, never beyond five hours, and never to nothing", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, chance) => {
          const waitMs = backoffMs(attempt, chance);
          assert.ok(waitMs >= 48_000 && waitMs <= 5 * 3_600_000, `${waitMs} ms`);
          assert.ok(backoffMs(attempt + 1, chance) >= waitMs);
        },
      ),
    );
  });
});
