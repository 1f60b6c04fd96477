import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { afterDays, hourOf, INTERVALS } from "../periods.ts";
import type { Terms } from "../plans/plans.ts";
import {
  chargesOf,
  periodsDue,
  type StatedSubscription,
  type TermsChange,
  termsOfPeriod,
} from "./periods-due.ts";

const HOUR_MS = 3_600_000;
const TERMS: Terms = {
  ...{ name: "Growth", price: 2_900, currency: "EUR", interval: "month", included_mails: 1_000 },
  ...{ overage_per_1000: 95, at_limit: "overage", transactional_reserve: 0, daily_mails: null },
  ...{ contacts: null, members: null, features: [] },
};
const later = (at: Date, ms: number) => new Date(at.getTime() + ms);

/** Subscriptions with a trial or none that run or have ended, begun on any day, leap days and the 31st among them, in zones of all kinds. */
const subscriptions = fc
  .record({
    startedAt: fc
      .date({ min: new Date("2023-12-01"), max: new Date("2028-03-01"), noInvalidDate: true })
      .map(hourOf),
    trialDays: fc.constantFrom(0, 0, 14, 31),
    interval: fc.constantFrom(...INTERVALS),
    timeZone: fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "Pacific/Apia",
      "Australia/Lord_Howe",
      "Asia/Kathmandu",
    ),
    lasts: fc.option(fc.integer({ min: 0, max: 3 * 365 * 24 })),
    changes: fc.array(fc.integer({ min: 0, max: 3 * 365 * 24 * HOUR_MS }), { maxLength: 4 }),
  })
  .map(({ startedAt, trialDays, interval, timeZone, lasts, changes }): StatedSubscription => {
    const first = { from: startedAt, terms: { ...TERMS, interval }, spendingCap: null, tax: null };
    const others = changes
      .toSorted((one, other) => one - other)
      .map((ms, at) => ({
        ...first,
        from: later(startedAt, ms),
        terms: { ...first.terms, price: 100 * (at + 1) },
      }));
    return {
      startedAt,
      anchor: afterDays(startedAt, trialDays, timeZone),
      timeZone,
      endedAt: lasts === null ? null : later(startedAt, lasts * HOUR_MS),
      statedTo: startedAt,
      history: [first, ...others],
    };
  });
const years = fc.integer({ min: 0, max: 3 * 365 * 24 });

describe("the periods of a subscription that lack a statement", () => {
  test("have every hour of it in exactly one, from its beginning to its end", () => {
    fc.assert(
      fc.property(subscriptions, years, (subscription, hours) => {
        const by = later(subscription.startedAt, hours * HOUR_MS);
        const periods = periodsDue(subscription, by);
        let edge = subscription.startedAt;
        for (const { from, to } of periods) {
          assert.deepEqual([from, hourOf(to)], [edge, to]);
          assert.ok(from < to);
          edge = to;
        }
        const { endedAt } = subscription;
        if (endedAt !== null && endedAt <= by) assert.deepEqual(edge, endedAt);
        else assert.ok(edge > by);
      }),
      { numRuns: 400 },
    );
  });

  test("are the same, whenever they are closed and however many at once", () => {
    fc.assert(
      fc.property(subscriptions, fc.array(years, { maxLength: 8 }), years, (subscription, looks, last) => {
        const atOnce = (by: Date) => periodsDue(subscription, by).filter(({ to }) => to <= by);
        const closed: unknown[] = [];
        let { statedTo } = subscription;
        for (const hours of [...looks, last].toSorted((one, other) => one - other)) {
          const by = later(subscription.startedAt, hours * HOUR_MS);
          for (const period of periodsDue({ ...subscription, statedTo }, by)) {
            if (period.to > by) continue;
            closed.push(period);
            statedTo = period.to;
          }
        }
        const end = later(subscription.startedAt, Math.max(last, ...looks) * HOUR_MS);
        assert.deepEqual(closed, atOnce(end));
      }),
      { numRuns: 400 },
    );
  });

  test("are trials before the anchor alone, and cost nothing then", () => {
    fc.assert(
      fc.property(subscriptions, years, (subscription, hours) => {
        for (const period of periodsDue(subscription, later(subscription.startedAt, hours * HOUR_MS))) {
          assert.equal(period.isTrial, period.from < subscription.anchor);
          assert.ok(!period.isTrial || period.to <= subscription.anchor);
          const { price, at_limit } = chargesOf(termsOfPeriod(subscription.history, period), period.isTrial);
          if (period.isTrial) assert.deepEqual([price, at_limit], [0, "stop"]);
        }
      }),
    );
  });

  test("are billed by the dearest terms that held in them", () => {
    const FEBRUARY = { from: new Date("2027-02-01T00:00:00Z"), to: new Date("2027-03-01T00:00:00Z") };
    const MARCH = { from: FEBRUARY.to, to: new Date("2027-04-01T00:00:00Z") };
    const change = (at: string, price: number, cap = price, rate = price) => ({
      ...{ from: new Date(`2027-${at}`), terms: { ...TERMS, price } },
      ...{ spendingCap: cap, tax: { label: "VAT", rate } },
    });
    const CASES: readonly [what: string, history: TermsChange[], february: number, march: number][] = [
      ["one that never changes", [change("01-01T00:00:00Z", 1)], 1, 1],
      ["a larger one", [change("01-01T00:00:00Z", 1), change("02-28T23:59:59.999Z", 2)], 2, 2],
      ["in the moment of the end", [change("01-01T00:00:00Z", 1), change("03-01T00:00:00Z", 2)], 1, 2],
      ["a smaller one that holds now", [change("01-01T00:00:00Z", 2), change("02-10T00:00:00Z", 1)], 2, 1],
      ["a smaller one that is to come", [change("01-01T00:00:00Z", 2), change("03-01T00:00:00Z", 1)], 2, 1],
      [
        "there and back",
        [change("01-01T00:00:00Z", 1), change("02-10T00:00:00Z", 9), change("02-10T00:00:01Z", 1)],
        ...([9, 1] as const),
      ],
      [
        "one that was to come and was taken back",
        [change("01-01T00:00:00Z", 2), change("03-01T00:00:00Z", 1), change("02-20T00:00:00Z", 2)],
        ...([2, 2] as const),
      ],
      [
        "one that was to come in place of another",
        [change("01-01T00:00:00Z", 3), change("03-01T00:00:00Z", 2), change("03-01T00:00:00Z", 1)],
        ...([3, 1] as const),
      ],
      [
        "a larger one in place of one that was to come",
        [change("01-01T00:00:00Z", 3), change("03-01T00:00:00Z", 2), change("02-20T00:00:00Z", 4)],
        ...([4, 4] as const),
      ],
    ];
    for (const [what, history, ...prices] of CASES) {
      const found = [FEBRUARY, MARCH].map((period) => termsOfPeriod(history, period));
      assert.deepEqual(
        found.map(({ terms, spendingCap }) => [terms.price, spendingCap]),
        prices.map((price) => [price, price]),
        what,
      );
    }
    const history = [change("01-01T00:00:00Z", 2, 50, 7), change("02-10T00:00:00Z", 2, 20, 19)];
    const { spendingCap, tax } = termsOfPeriod(history, FEBRUARY);
    assert.deepEqual([spendingCap, tax?.rate], [20, 19], "of the same terms the last cap, and the last tax");
    const taxed = [change("01-01T00:00:00Z", 2, 50, 7), change("02-10T00:00:00Z", 1, 20, 19)];
    assert.deepEqual(termsOfPeriod(taxed, FEBRUARY).tax?.rate, 19, "the last tax, whichever terms");
  });
});
