import { test } from "node:test";
import { beside } from "../../faults/neighbours.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("hostile neighbours cost the others no mail", async () => {
  await assertHolds(beside(shortSetting, { people: 500, isTimed: false }));
});
