import { test } from "node:test";
import { loseRelay } from "../../faults/failover/failover.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("a relay that dies in mid-campaign, and a sender while the mail moves, lose nobody", () =>
  assertHolds(loseRelay(shortSetting, { people: 1_000, senders: 2 })));
