import { describe, test } from "node:test";
import { pauseMeanwhile, unsubscribeMeanwhile } from "../../faults/races.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

describe("in the middle of a send", () => {
  test("who has unsubscribed gets nothing that was judged after the answer", () =>
    assertHolds(unsubscribeMeanwhile(shortSetting, { people: 2_000, unsubscribes: 1_000 })));

  test("a pause stops bodies, and all get it once when it is resumed", () =>
    assertHolds(pauseMeanwhile(shortSetting, { people: 3_000, pauses: 2 })));
});
