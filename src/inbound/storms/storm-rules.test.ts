import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type DomainBounces, isStorm } from "./storm-rules.ts";

describe("what is a storm", () => {
  const cases: readonly [string, DomainBounces, boolean][] = [
    ["five times the usual share is", { hard: 100, mails: 1_000, usualHard: 200, usualMails: 10_000 }, true],
    ["a little less isn't", { hard: 99, mails: 1_000, usualHard: 200, usualMails: 10_000 }, false],
    ["nineteen of nineteen aren't", { hard: 19, mails: 19, usualHard: 0, usualMails: 10_000 }, false],
    ["twenty of twenty are", { hard: 20, mails: 20, usualHard: 0, usualMails: 10_000 }, true],
    [
      "where none bounced before, 4% isn't",
      { hard: 40, mails: 1_000, usualHard: 0, usualMails: 10_000 },
      false,
    ],
    ["where none bounced before, 5% is", { hard: 50, mails: 1_000, usualHard: 0, usualMails: 10_000 }, true],
    [
      "where nothing was sent before, 9% isn't",
      { hard: 90, mails: 1_000, usualHard: 0, usualMails: 0 },
      false,
    ],
    ["where nothing was sent before, 10% is", { hard: 100, mails: 1_000, usualHard: 0, usualMails: 0 }, true],
    [
      "where everything bounces always, nothing is",
      { hard: 50, mails: 50, usualHard: 500, usualMails: 1_000 },
      false,
    ],
    [
      "more bounces than mails are known of count as all",
      { hard: 25, mails: 3, usualHard: 0, usualMails: 500 },
      true,
    ],
  ];
  for (const [name, bounces, expected] of cases) test(name, () => assert.equal(isStorm(bounces), expected));
});
