import { test } from "node:test";
import { killWorkers } from "../../faults/automations/automations.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("people whose automation's processes are killed pass every step once, and get every mail once", () =>
  assertHolds(killWorkers(shortSetting, { kills: 3 })));
