import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { visibilityOf } from "./visibility.ts";

type Tracking = Parameters<typeof visibilityOf>[0];

const cases: readonly [Tracking, string, string][] = [
  [{ opens: true, clicks: true }, "all", "all"],
  [{ opens: false, clicks: true }, "nobody", "all"],
  [{ opens: true, clicks: false, mode: "individual" }, "all", "nobody"],
  [{ opens: true, clicks: true, mode: "consented" }, "consenting", "consenting"],
  [{ opens: false, clicks: true, mode: "consented" }, "nobody", "consenting"],
  [{ opens: true, clicks: true, mode: "aggregate" }, "nobody", "nobody"],
  [{ opens: true, clicks: true, mode: "off" }, "nobody", "nobody"],
];

describe("whose opens and clicks can be seen", () => {
  for (const [tracking, opens, clicks] of cases) {
    it(`in ${JSON.stringify(tracking)}: ${opens}, ${clicks}`, () => {
      assert.deepEqual(visibilityOf(tracking), { opens, clicks });
    });
  }
});
