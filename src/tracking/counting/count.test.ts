import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { addHit, type CountedHit, NO_ENGAGEMENT, type Sums, sumsOf } from "./count.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 10, 0, second));
const hit = (link: number | null, machine = "", times = 1, second = 0): CountedHit => ({
  accountId: "a",
  sourceId: "s",
  contactId: "c",
  link,
  at: at(second),
  times,
  machine,
});
const sums = (...hits: CountedHit[]) => sumsOf(hits.reduce(addHit, NO_ENGAGEMENT));

/** Opens, openers, opens and openers in person; the same of clicks. */
const row = (
  ...[opens, openers, humanOpens, humanOpeners, clicks, clickers, humanClicks, humanClickers]: number[]
) => ({ opens, openers, humanOpens, humanOpeners, clicks, clickers, humanClicks, humanClickers }) as Sums;

describe("a message counts", () => {
  const cases: readonly [string, Sums, Sums][] = [
    ["nothing where nothing happened", sums(), row(0, 0, 0, 0, 0, 0, 0, 0)],
    ["a person's open", sums(hit(null)), row(1, 1, 1, 1, 0, 0, 0, 0)],
    ["opens by total, and the opener once", sums(hit(null), hit(null, "", 3)), row(4, 1, 4, 1, 0, 0, 0, 0)],
    ["a machine's open as no person's", sums(hit(null, "apple_mpp")), row(1, 1, 0, 0, 0, 0, 0, 0)],
    ["a click as an open too", sums(hit(3)), row(1, 1, 1, 1, 1, 1, 1, 1)],
    ["a machine's click as a machine's open", sums(hit(3, "burst")), row(1, 1, 0, 0, 1, 1, 0, 0)],
    [
      "a machine's open as a person's once that person clicks",
      sums(hit(null, "apple_mpp"), hit(0)),
      row(1, 1, 1, 1, 1, 1, 1, 1),
    ],
    ["clicks on two links as one clicker", sums(hit(0), hit(1, "", 2)), row(1, 1, 1, 1, 3, 1, 3, 1)],
    ["a person beside a machine", sums(hit(0, "bot"), hit(0), hit(null)), row(1, 1, 1, 1, 2, 1, 1, 1)],
  ];
  for (const [name, found, expected] of cases) it(name, () => assert.deepEqual(found, expected));

  it("the same, in whatever order its hits come", () => {
    const anyHit = fc.record({
      link: fc.option(fc.nat(3)),
      machine: fc.constantFrom("", "", "bot"),
      times: fc.integer({ min: 1, max: 5 }),
      second: fc.nat(59),
    });
    fc.assert(
      fc.property(fc.array(anyHit, { maxLength: 12 }), fc.nat(), (given, turn) => {
        const hits = given.map(({ link, machine, times, second }) => hit(link, machine, times, second));
        const start = hits.length === 0 ? 0 : turn % hits.length;
        const turned = [...hits.slice(start), ...hits.slice(0, start)].reverse();
        assert.deepEqual(turned.reduce(addHit, NO_ENGAGEMENT), hits.reduce(addHit, NO_ENGAGEMENT));
      }),
    );
  });
});
