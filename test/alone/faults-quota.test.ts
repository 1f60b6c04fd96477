import { test } from "node:test";
import { killLimitedSenders } from "../../faults/quota/quota.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("senders killed while an allowance is used up send exactly as much, and lose nobody", () => {
  const sizes = { people: 2_400, limit: 1_500, senders: 4, kills: 6 };
  return assertHolds(killLimitedSenders(shortSetting, sizes));
});
