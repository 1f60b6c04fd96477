import { test } from "node:test";
import { drawNamedDeaths, drawRandomDeaths, killSenders } from "../../faults/kills.ts";
import { assertHolds, shortSetting } from "../support/faults.ts";

test("senders killed at random moments and at each named point lose nobody, and double only what was on the wire", () => {
  const { seed } = shortSetting;
  const deaths = [...drawNamedDeaths(seed, 1), ...drawRandomDeaths(seed, 3)];
  const sizes = { name: "3 senders", people: 4_000, senders: 3, deaths };
  return assertHolds(killSenders(shortSetting, sizes));
});
