import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FieldRow } from "./field-store.ts";
import { type FieldValue, mergeSlots, nameFieldValues, readFieldValues } from "./fields.ts";
import type { FieldType } from "./schema.ts";

const field = (slot: number, key: string, type: FieldType): FieldRow => {
  const at = new Date(0);
  return { account_id: "", id: "", slot, key, name: key, type, created_at: at, updated_at: at };
};

describe("a value of a custom field", () => {
  const good: Record<FieldType, FieldValue[]> = {
    text: ["", "Acme", "x".repeat(1_000), "𝄞".repeat(1_000), "line\nbreak", null],
    number: [0, -1.5, 1e21, 0.1, null],
    boolean: [true, false, null],
    date: ["2026-11-14", "2024-02-29", "1900-01-01", null],
    url: ["https://example.com", "http://localhost:4000/a?b=c#d", "HTTPS://EXAMPLE.COM/x", null],
  };
  const bad: Record<FieldType, FieldValue[]> = {
    text: ["x".repeat(1_001), 5, true],
    number: ["5", Number.POSITIVE_INFINITY, Number.NaN, true],
    boolean: ["true", 1, 0],
    date: ["2026-02-29", "2026-13-01", "14.11.2026", "2026-11-14T00:00:00Z", "2026-1-1", "", 20261114],
    url: [
      "example.com",
      "ftp://example.com",
      "javascript:alert(1)",
      "https:example.com",
      "https://",
      "https://a b.com",
      "https://exam\nple.com",
      ` https://example.com`,
      `https://example.com/${"x".repeat(2_000)}`,
      "",
      1,
    ],
  };
  for (const type of Object.keys(good) as FieldType[]) {
    const fields = [field(7, "it", type)];
    it(`of type ${type} takes what fits`, () => {
      for (const value of good[type]) {
        assert.deepEqual(readFieldValues(fields, { it: value }, "/fields"), {
          slots: { 7: value },
          faults: [],
        });
      }
    });
    it(`of type ${type} refuses the rest, and says where`, () => {
      for (const value of bad[type]) {
        const { slots, faults } = readFieldValues(fields, { it: value }, "/fields");
        assert.deepEqual(
          [slots, faults.map((one) => [one.pointer, one.code])],
          [{}, [["/fields/it", "invalid_value"]]],
        );
      }
    });
  }

  it("of no field there is is refused, its name escaped in the pointer", () => {
    const { faults } = readFieldValues([], { "a/b~c": 1, toString: "x" }, "/fields");
    assert.deepEqual(
      faults.map((one) => [one.pointer, one.code]),
      [
        ["/fields/a~1b~0c", "unknown_field"],
        ["/fields/toString", "unknown_field"],
      ],
    );
  });
});

describe("values under slots", () => {
  it("merge, and null clears", () => {
    assert.deepEqual(mergeSlots({ 1: "a", 2: "b" }, { 2: null, 3: false }), { 1: "a", 3: false });
  });

  it("are named by the fields there are; what belongs to none is left out", () => {
    const fields = [field(1, "company", "text"), field(4, "size", "number")];
    assert.deepEqual(nameFieldValues(fields, { 1: "Acme", 2: "of a deleted field" }), { company: "Acme" });
  });
});
