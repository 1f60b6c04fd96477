import { test } from "node:test";
import { loseDatabase } from "../../faults/postgres.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("a database killed in mid-send, for a moment and past every fence, costs nobody a mail and no process its life", () =>
  assertHolds(loseDatabase(shortSetting, { people: 5_000, awaySeconds: [1, 13] })));
