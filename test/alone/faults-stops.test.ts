import { describe, test } from "node:test";
import { stopAndContinue, stopInBody, terminateSenders } from "../../faults/stops.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

// Two of the tests wait for a take-over, so they run at once.
describe("a sender that is stopped", { concurrency: 3 }, () => {
  test("by SIGSTOP past the take-over begins nothing and writes nothing of before when it goes on", () =>
    assertHolds(stopAndContinue(shortSetting, { people: 600 })));

  test("in the middle of a body past the take-over doesn't end that body", () =>
    assertHolds(stopInBody(shortSetting)));

  test("by SIGTERM in mid-send loses, doubles and wonders about nobody", () =>
    assertHolds(terminateSenders(shortSetting, { people: 2_500, times: 4 })));
});
