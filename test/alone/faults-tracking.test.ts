import { describe, test } from "node:test";
import { killUnderHits, loseDatabaseUnderHits } from "../../faults/tracking.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

// Both wait for half a minute until what a process left on disk is counted, so they run at once.
describe("hits", { concurrency: 2 }, () => {
  test("without a database every hit and every unsubscribe is answered, and counts once when it is back", () =>
    assertHolds(loseDatabaseUnderHits(shortSetting, { seconds: 5, hitsPerSecond: 200, unsubscribes: 10 })));

  test("what a process answered before it was killed is counted once, with a database and without", () =>
    assertHolds(killUnderHits(shortSetting, { kills: 3 })));
});
