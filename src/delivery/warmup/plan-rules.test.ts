import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type DayCounts,
  daysToSend,
  MOST_DAYS,
  nextStep,
  reservedOf,
  stepForward,
  type WarmupDay,
  type WarmupPlan,
} from "./plan-rules.ts";

const plan: WarmupPlan = { startPerDay: 200, growth: 1.5, targetPerDay: 50_000, isPaused: false };
const clean: DayCounts = { sent: 1_000, hard: 0, deferred: 0, complained: 0 };
const day = (counts: Partial<DayCounts>, cap = 1_000): WarmupDay => ({
  cap,
  counts: { ...clean, ...counts },
});

describe("the cap of the next day", () => {
  const cases: readonly [string, readonly WarmupDay[], Partial<WarmupPlan>, number, string][] = [
    ["is what the plan begins with, on the first day", [], {}, 200, "first_day"],
    ["grows after a good day", [day({})], {}, 1_500, "good_day"],
    ["grows where nobody would tell of complaints", [day({ complained: undefined })], {}, 1_500, "good_day"],
    ["grows after a day that used 70%", [day({ sent: 700 })], {}, 1_500, "good_day"],
    ["stays after a day that used less", [day({ sent: 699 })], {}, 1_000, "too_little_sent"],
    ["stays after a day on which nothing was sent", [day({ sent: 0 })], {}, 1_000, "too_little_sent"],
    ["grows below 2% of hard bounces", [day({ hard: 19 })], {}, 1_500, "good_day"],
    ["stays at 2% of hard bounces", [day({ hard: 20 })], {}, 1_000, "hard_bounces"],
    ["grows below 10% of deferrals", [day({ deferred: 111 })], {}, 1_500, "good_day"],
    ["stays at 10% of deferrals", [day({ deferred: 112 })], {}, 1_000, "deferrals"],
    ["stays at 0.1% of complaints", [day({ complained: 1 })], {}, 1_000, "complaints"],
    ["goes two steps back at 0.3% of complaints", [day({ complained: 3 })], {}, 444, "many_complaints"],
    ["goes back also where little was sent", [day({ sent: 300, complained: 1 })], {}, 444, "many_complaints"],
    ["never goes below the start", [day({ complained: 9, sent: 250 }, 250)], {}, 200, "many_complaints"],
    ["never passes the target", [day({ sent: 40_000 }, 40_000)], {}, 50_000, "good_day"],
    ["stays at the target", [day({ sent: 50_000 }, 50_000)], {}, 50_000, "at_target"],
    ["stays while the plan is paused", [day({})], { isPaused: true }, 1_000, "paused"],
    ["stays while paused, whatever is said", [day({ complained: 9 })], { isPaused: true }, 1_000, "paused"],
    ["follows from the last day alone", [day({ complained: 9 }), day({})], {}, 1_500, "good_day"],
    ["obeys a target that was lowered", [day({ sent: 10 })], { targetPerDay: 300 }, 300, "too_little_sent"],
    ["obeys a start that was raised", [day({ sent: 10 })], { startPerDay: 3_000 }, 3_000, "too_little_sent"],
  ];
  for (const [name, history, more, cap, reason] of cases) {
    test(name, () => assert.deepEqual(nextStep(history, { ...plan, ...more }), { cap, reason }));
  }

  const plans = fc
    .record({
      startPerDay: fc.integer({ min: 1, max: 10_000_000 }),
      growth: fc.double({ min: 1, max: 2, minExcluded: true, maxExcluded: true, noNaN: true }),
      more: fc.integer({ min: 0, max: 10_000_000 }),
      isPaused: fc.boolean(),
    })
    .map(({ more, ...rest }): WarmupPlan => ({ ...rest, targetPerDay: rest.startPerDay + more }));
  const counts = fc.record({
    sent: fc.nat(20_000_000),
    hard: fc.nat(20_000_000),
    deferred: fc.nat(20_000_000),
    complained: fc.option(fc.nat(20_000_000), { nil: undefined }),
  });

  test("is a whole number between start and target, and never more than the growth above the last, whatever was counted", () => {
    fc.assert(
      fc.property(plans, fc.array(counts, { maxLength: 40 }), (of, days) => {
        const history: WarmupDay[] = [];
        for (const one of days) {
          const { cap } = nextStep(history, of);
          const last = history.at(-1)?.cap;
          assert.ok(Number.isSafeInteger(cap) && cap >= of.startPerDay && cap <= of.targetPerDay);
          if (last !== undefined) assert.ok(cap <= Math.max(last + 1, last * of.growth));
          if (last !== undefined && of.isPaused) assert.equal(cap, last);
          history.push({ cap, counts: { ...one, sent: Math.min(one.sent, cap) } });
        }
      }),
    );
  });

  test("reaches the target by good days alone", () => {
    fc.assert(
      fc.property(plans, (of) => {
        if (of.growth < 1.05) return;
        let cap = of.startPerDay;
        for (let days = 0; cap < of.targetPerDay; days++) {
          assert.ok(days < 400);
          cap = stepForward(of, cap);
        }
        assert.equal(cap, of.targetPerDay);
      }),
    );
  });

  test("leaves nine tenths and more to mail that isn't transactional", () => {
    for (const cap of [1, 9, 10, 200, 12_345]) assert.ok(reservedOf(cap) <= cap / 10);
  });
});

describe("the days that mail takes", () => {
  const unlimited = { perDay: Number.POSITIVE_INFINITY, today: Number.POSITIVE_INFINITY };
  const of = (mails: number, today = 200, cap: number | undefined = 200) => [{ mails, today, cap }];

  test("follow from the plan, where each day is a good one", () => {
    assert.equal(daysToSend(of(200), plan, unlimited), 1);
    assert.equal(daysToSend(of(201), plan, unlimited), 2);
    // 200, 300, 450, 675
    assert.equal(daysToSend(of(1_625), plan, unlimited), 4);
    assert.equal(daysToSend(of(1_626), plan, unlimited), 5);
    assert.equal(daysToSend(of(300, 0), plan, unlimited), 2);
    assert.equal(daysToSend(of(1_000), { ...plan, isPaused: true }, unlimited), 5);
  });

  test("are those of the provider that has most to wait", () => {
    assert.equal(daysToSend([...of(100), ...of(1_625)], plan, unlimited), 4);
  });

  test("follow from the transport's limit too", () => {
    assert.equal(daysToSend(of(1_000, 0, undefined), undefined, { perDay: 250, today: 250 }), 4);
    assert.equal(daysToSend(of(1_000, 0, undefined), undefined, { perDay: 250, today: 0 }), 5);
    assert.equal(daysToSend([...of(200), ...of(200)], plan, { perDay: 100, today: 100 }), 4);
  });

  test("are never more than a year", () => {
    assert.equal(daysToSend(of(10_000_000), { ...plan, isPaused: true }, unlimited), MOST_DAYS);
  });
});
