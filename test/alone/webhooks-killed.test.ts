import { test } from "node:test";
import { killDelivery } from "../../faults/webhooks.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("webhooks whose process is killed at random moments lose no event, and repeat each under its own id", () =>
  assertHolds(killDelivery(shortSetting, { kills: 4 })));
