import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VariableType } from "./schema.ts";
import { readValues, readVariables, sampleValues, type Variable } from "./variables.ts";

const variable = (name: string, type: VariableType, more: Partial<Variable> = {}): Variable => ({
  name,
  type,
  required: false,
  sample: null,
  default: null,
  ...more,
});
const codes = (faults: readonly { pointer?: string; code: string }[]) =>
  faults.map(({ pointer, code }) => `${pointer} ${code}`);

/** Nests an object as deeply as that. */
const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });

describe("a value of a variable", () => {
  const good: Record<VariableType, unknown[]> = {
    string: ["", "x", "{{ x }}", "漢字", "x".repeat(100_000)],
    number: [0, -1.5, 1e300],
    boolean: [true, false],
    date: ["2026-11-14", "2024-02-29", "2026-11-14T09:30:00Z", "2026-11-14T09:30:00.123+05:30"],
    list: [[], [1, "a", null, { b: [] }]],
    object: [{}, { a: { b: 1 } }, nested(8)],
  };
  const bad: Record<VariableType, unknown[]> = {
    string: [1, true, [], {}, "x".repeat(100_001)],
    number: ["1", true, [], {}],
    boolean: ["true", 0, []],
    date: ["", "today", "2026-02-30", "2026-11-14T25:00:00Z", "14.11.2026", 20261114],
    list: [{}, "a,b", 1],
    object: [[], "x", 1],
  };
  for (const type of Object.keys(good) as VariableType[]) {
    it(`of type ${type} is taken where it fits, and refused where it doesn't`, () => {
      for (const value of good[type]) {
        assert.deepEqual(readValues([variable("it", type)], { it: value }, true), {
          values: { it: value },
          missing: [],
          faults: [],
        });
      }
      for (const value of bad[type])
        assert.deepEqual(codes(readValues([variable("it", type)], { it: value }, false).faults), [
          "/variables/it invalid_type",
        ]);
    });
  }

  it("is refused where it is too deep, too long or too large", () => {
    const read = (type: VariableType, value: unknown) =>
      codes(readValues([variable("it", type)], { it: value }, false).faults);
    assert.deepEqual(read("object", nested(9)), ["/variables/it too_large"]);
    assert.deepEqual(read("list", Array(10_001).fill(1)), ["/variables/it too_large"]);
    assert.deepEqual(read("list", Array(4).fill("x".repeat(90_000))), ["/variables too_large"]);
  });

  it("that is missing is the default, is named, and strictly is refused where it is required", () => {
    const all = [
      variable("a", "string", { required: true }),
      variable("b", "string", { required: true, default: "B" }),
      variable("c", "string", { default: "C" }),
      variable("d", "string"),
    ];
    const lenient = readValues(all, { d: null }, false);
    assert.deepEqual(lenient, { values: { b: "B", c: "C" }, missing: ["a", "b", "d"], faults: [] });
    assert.deepEqual(codes(readValues(all, {}, true).faults), [
      "/variables/a required",
      "/variables/b required",
    ]);
  });

  it("of no variable is refused, whatever its name", () => {
    const given = { "a/b": 1, toString: 2, constructor: 3 };
    assert.deepEqual(codes(readValues([], given, false).faults), [
      "/variables/a~1b unknown_variable",
      "/variables/toString unknown_variable",
      "/variables/constructor unknown_variable",
    ]);
    const { missing } = readValues([variable("valueOf", "string")], {}, false);
    assert.deepEqual(missing, ["valueOf"]);
  });
});

describe("variables", () => {
  it("have names of their own, and samples and defaults of their types", () => {
    const { faults } = readVariables([
      { name: "a", type: "number", sample: "1", default: 2 },
      { name: "a", type: "date", default: "soon" },
      { name: "forloop", type: "string" },
    ]);
    assert.deepEqual(codes(faults), [
      "/variables/0/sample invalid_type",
      "/variables/1/name duplicate",
      "/variables/1/default invalid_type",
      "/variables/2/name reserved",
    ]);
  });

  it("are looked at with samples, else defaults, else something of the type", () => {
    const all = [
      variable("a", "number", { sample: 0, default: 1 }),
      variable("b", "boolean", { default: false }),
      variable("c", "list"),
    ];
    assert.deepEqual(sampleValues(all), { a: 0, b: false, c: [] });
  });
});
