import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { accountOfKey, hashKey, makeKey } from "./token-format.ts";

const ALPHABET = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
const ACCOUNT = "019a8000-0000-7000-8000-0123456789ab";

describe("an API key", () => {
  it("carries its account", () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), (accountId) => {
        const key = makeKey(accountId);
        assert.match(key, /^pr_[0-9A-Za-z]{54}$/);
        assert.equal(accountOfKey(key), accountId);
      }),
    );
  });

  it("is never made twice", () => {
    assert.equal(new Set(Array.from({ length: 1_000 }, () => makeKey(ACCOUNT))).size, 1_000);
  });

  it("is refused with any one character changed", () => {
    const places = fc.integer({ min: 3, max: 56 });
    fc.assert(
      fc.property(places, fc.constantFrom(...ALPHABET), (place, other) => {
        const key = makeKey(ACCOUNT);
        fc.pre(key[place] !== other);
        assert.equal(accountOfKey(key.slice(0, place) + other + key.slice(place + 1)), undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is refused with two neighbours swapped", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 55 }), (place) => {
        const key = makeKey(ACCOUNT);
        fc.pre(key[place] !== key[place + 1]);
        const swapped = `${key.slice(0, place)}${key[place + 1]}${key[place]}${key.slice(place + 2)}`;
        assert.equal(accountOfKey(swapped), undefined);
      }),
    );
  });

  it("is refused when cut short, made longer or without its prefix", () => {
    const key = makeKey(ACCOUNT);
    for (let length = 0; length < key.length; length++)
      assert.equal(accountOfKey(key.slice(0, length)), undefined);
    assert.equal(accountOfKey(`${key}0`), undefined);
    assert.equal(accountOfKey(` ${key}`), undefined);
    assert.equal(accountOfKey(key.replace("pr_", "xx_")), undefined);
    assert.equal(accountOfKey(key.slice(3)), undefined);
  });

  it("is refused with a character of another alphabet", () => {
    const key = makeKey(ACCOUNT);
    for (const other of ["_", "-", "+", "é", "０", "\0", " "]) {
      assert.equal(accountOfKey(`${key.slice(0, 20)}${other}${key.slice(21)}`), undefined, other);
    }
  });

  it("is refused when its number is over 320 bits", () => {
    assert.equal(accountOfKey(`pr_${"z".repeat(54)}`), undefined);
  });

  it("never makes the check throw, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.equal(accountOfKey(text), undefined);
        assert.equal(accountOfKey(`pr_${text.padEnd(54, "0").slice(0, 54)}`), undefined);
      }),
    );
  });

  it("is stored as SHA-256", () => {
    assert.equal(
      hashKey("abc").toString("hex"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
