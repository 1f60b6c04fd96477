import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toText } from "./html.ts";
import { maskAddress, plainName, showName } from "./names.ts";

describe("names that others chose", () => {
  for (const [name, shown] of [
    ["The weekly letter", "The weekly letter"],
    ["  two\n lines\u2028\t", "two lines"],
    ["\u202Eevil\u2066", "evil"],
    ["", "this list"],
    [null, "this list"],
    ["\u200B \u00A0\u3164\u202E", "this list"],
    ["نشرة", "نشرة"],
    ["W".repeat(300), `${"W".repeat(120)}…`],
    ["👩‍👩‍👧‍👦".repeat(200), `${"👩‍👩‍👧‍👦".repeat(120)}…`],
    [`Z${"\u0301".repeat(500)}`, "Z\u0301\u0301\u0301"],
  ] as const) {
    test(`${JSON.stringify(name)?.slice(0, 40)} is shown in one bounded line`, () => {
      assert.equal(plainName(name, "this list"), shown);
      assert.equal(toText(showName(name, "this list")), `<bdi>${shown}</bdi>`);
    });
  }

  test("markup in a name is text", () => {
    assert.equal(toText(showName("</bdi><script>", "")), "<bdi>&lt;/bdi&gt;&lt;script&gt;</bdi>");
  });

  for (const [address, masked] of [
    ["priya.nair@posteo.example", "p…@posteo.example"],
    ["a@example.com", "a…@example.com"],
    ['"a@b"@example.com', '"…@example.com'],
    ["é\u0301x@example.com", "é\u0301…@example.com"],
    ["nothing", "…"],
    ["@example.com", "…@example.com"],
  ] as const) {
    test(`${address} is shown as ${masked}`, () => assert.equal(maskAddress(address), masked));
  }
});
