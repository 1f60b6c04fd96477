import { test } from "node:test";
import { killWarmingSenders } from "../../faults/warmup/warmup.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("senders killed while a transport is warmed up pass no cap and lose nobody", () => {
  const sizes = { people: 1_800, cap: 400, senders: 2, kills: 4 };
  return assertHolds(killWarmingSenders(shortSetting, sizes));
});
