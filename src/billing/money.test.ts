import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decimalsOf, MOST_AMOUNT, readAmount, share, writeAmount } from "./money.ts";

describe("an amount", () => {
  const READ: readonly [text: string, currency: string, amount: number | null][] = [
    ["29", "EUR", 2_900],
    ["29.5", "EUR", 2_950],
    ["29.50", "EUR", 2_950],
    ["0.10", "USD", 10],
    ["0", "GBP", 0],
    ["29.505", "EUR", null],
    ["2900", "JPY", 2_900],
    ["29.00", "JPY", null],
    ["1.5", "KRW", null],
    ["1.234", "KWD", 1_234],
    ["1.2", "BHD", 1_200],
    ["1.2345", "TND", null],
    ["1000000000", "EUR", MOST_AMOUNT],
    ["1000000000.01", "EUR", null],
    ["999999999999999", "EUR", null],
    ["-1", "EUR", null],
    ["+1", "EUR", null],
    ["", "EUR", null],
    [" 1", "EUR", null],
    ["1,50", "EUR", null],
    ["1e3", "EUR", null],
    [".5", "EUR", null],
    ["5.", "EUR", null],
    ["01", "EUR", null],
    ["NaN", "EUR", null],
    ["Infinity", "EUR", null],
    ["0x10", "EUR", null],
    ["١", "EUR", null],
    ["1\n", "EUR", null],
  ];
  for (const [text, currency, amount] of READ) {
    test(`${JSON.stringify(text)} in ${currency} is ${amount ?? "refused"}`, () => {
      const read = readAmount(text, currency);
      if (amount === null) assert.equal(typeof read, "object");
      else assert.equal(read, amount);
    });
  }

  test("is read as it was written", () => {
    const currency = fc.constantFrom("EUR", "JPY", "KWD");
    fc.assert(
      fc.property(fc.nat(MOST_AMOUNT), currency, (amount, code) => {
        assert.equal(readAmount(writeAmount(amount, code), code), amount);
      }),
    );
    assert.equal(writeAmount(-5, "EUR"), "-0.05");
    assert.equal(writeAmount(5, "JPY"), "5");
  });
});

test("a currency that nobody knows, or in other letters, has no decimals and no amounts", () => {
  for (const code of ["QQQ", "eur", "EURO", "", "BTC", "__proto__"]) {
    assert.equal(decimalsOf(code), undefined, code);
    assert.throws(() => readAmount("1", code));
  }
  assert.deepEqual(["JPY", "EUR", "KWD"].map(decimalsOf), [0, 2, 3]);
});

test("a share is rounded to the nearest unit, halves upwards, also where floats would fail", () => {
  assert.equal(share(1, 499, 1_000), 0);
  assert.equal(share(1, 500, 1_000), 1);
  assert.equal(share(5, 300, 1_000), 2);
  assert.equal(share(MOST_AMOUNT, 999_999_999, 1_000_000_000), 99_999_999_900);
});
