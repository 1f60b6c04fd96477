import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { costOf } from "./price.ts";

const CASES: readonly (readonly [micros: bigint, sent: number, amount: string, per1000: string])[] = [
  [100_000n, 0, "0.00", "0.10"],
  [100_000n, 1, "0.0001", "0.10"],
  [100_000n, 1_000, "0.10", "0.10"],
  [100_000n, 12_345, "1.2345", "0.10"],
  [1n, 1, "0.000000001", "0.000001"],
  [0n, 5_000_000, "0.00", "0.00"],
  [1_500_000n, 1_000_000, "1500.00", "1.50"],
  // As a float it would be rounded.
  [333_333n, 9_007_199_254_740_991, "3002396749180.578753003", "0.333333"],
];

describe("what mail costs", () => {
  for (const [microsPer1000, sent, amount, per1000] of CASES)
    it(`is ${amount} for ${sent} mails at ${per1000} a thousand`, () => {
      assert.deepEqual(costOf({ microsPer1000, currency: "EUR" }, sent), {
        amount,
        currency: "EUR",
        per_1000: per1000,
      });
    });

  it("is not known without a price", () => assert.equal(costOf(undefined, 5), null));
});
