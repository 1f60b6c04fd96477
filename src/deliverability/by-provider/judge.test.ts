import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeProvider } from "./judge.ts";

const limits = {
  hard_bounce_pause_rate: 0.05,
  hard_bounce_after_mails: 200,
  complaint_warn_rate: 0.001,
  complaint_pause_rate: 0.003,
  complaint_after_mails: 1_000,
  complaint_after_complaints: 5,
  released_at: null,
};
const NOTHING = { accepted: 0, refused: 0, deferred: 0, hard: 0, complained: 0 };
type Counts = Partial<typeof NOTHING>;

const CASES: readonly (readonly [name: string, counts: Counts, found: readonly string[]])[] = [
  ["nothing was sent", {}, []],
  ["too few mails say nothing", { accepted: 150, refused: 49, hard: 49 }, []],
  ["2% of hard bounces warn", { accepted: 196, refused: 4, hard: 4 }, ["hard_bounces warning"]],
  ["what came back later counts too", { accepted: 200, hard: 4 }, ["hard_bounces warning"]],
  ["fewer don't", { accepted: 197, refused: 3, hard: 3 }, []],
  ["5% are critical", { accepted: 190, refused: 10, hard: 10 }, ["hard_bounces critical"]],
  ["0.1% of complaints warn", { accepted: 1_000, complained: 1 }, ["complaints warning"]],
  ["0.3% are critical from five on", { accepted: 1_500, complained: 5 }, ["complaints critical"]],
  ["and a warning below", { accepted: 1_000, complained: 4 }, ["complaints warning"]],
  ["few mails can't tell", { accepted: 999, complained: 20 }, []],
  ["a tenth put off warns", { accepted: 90, deferred: 10 }, ["deferrals warning"]],
  ["30% are critical", { accepted: 70, deferred: 30 }, ["deferrals critical"]],
  ["also where all was put off", { deferred: 100 }, ["deferrals critical"]],
  [
    "several at once",
    { accepted: 100, refused: 100, hard: 100, deferred: 100 },
    ["hard_bounces critical", "deferrals critical"],
  ],
];

describe("judging mail at a provider", () => {
  for (const [name, counts, found] of CASES)
    it(name, () => {
      const troubles = judgeProvider({ ...NOTHING, ...counts }, limits);
      assert.deepEqual(
        troubles.map((one) => `${one.name} ${one.severity}`),
        found,
      );
    });
});
