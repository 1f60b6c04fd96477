import assert from "node:assert/strict";
import { test } from "node:test";
import { alternativesOf } from "./record-alternatives.ts";

const mx = { type: "MX", name: "bounce.shop.example", expected: "10 in.postrider.example" };

test("records in place of a CNAME are shown, and are what is wanted where no CNAME can be", () => {
  assert.deepEqual(alternativesOf({ details: { alternatives: [mx] } }), { records: [mx], isNeeded: false });
  const byMx = { alternatives: [mx], by: "mx" };
  assert.deepEqual(alternativesOf({ details: byMx }), { records: [mx], isNeeded: true });
});

test("details of another kind have none", () => {
  for (const details of [null, {}, { alternatives: "MX" }, { alternatives: [null, { type: "MX" }] }])
    assert.deepEqual(alternativesOf({ details }).records, []);
});
