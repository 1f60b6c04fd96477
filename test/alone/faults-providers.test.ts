import { test } from "node:test";
import { closeGmail } from "../../faults/providers/providers.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("a provider that asks for less is left alone by all senders, and nobody is lost or mailed twice", () => {
  // Whoever waits is let in slowly, 20 in the first minute.
  const sizes = { people: 58, taken: 50, senders: 4, watchMs: 8_000 };
  return assertHolds(closeGmail(shortSetting, sizes));
});
