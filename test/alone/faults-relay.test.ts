import { describe, test } from "node:test";
import { pauseBeforeBody, sendBadly, sendByChance, tarpit } from "../../faults/relay.ts";
import { cases } from "../../faults/relay-cases.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

// The cases mostly wait for second attempts, so three of them run at once.
describe("a relay that misbehaves", { concurrency: 3 }, () => {
  for (const one of cases) {
    test(`by ${one.name} leaves everybody with the end they must have`, () =>
      assertHolds(sendBadly(shortSetting, one, { people: one.lines ? 10 : 60 })));
  }

  test("by chance loses nobody, and doubles only what it took without a word", () =>
    assertHolds(sendByChance(shortSetting, { people: 300 })));

  test("with a slow domain gives that domain a quarter of the connections while others wait", () =>
    assertHolds(tarpit(shortSetting, { people: 160, delayMs: 150 })));

  test("with a slow 354 gets no body once the campaign is paused", () =>
    assertHolds(pauseBeforeBody(shortSetting)));
});
