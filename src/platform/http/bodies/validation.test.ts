import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TObject, type TSchema, Type } from "typebox";
import { Nullable, PageQuery, PublicId, Strict, Timestamp } from "../schemas.ts";
import { createValidation } from "./validation.ts";

const validation = createValidation();

function bodyFaults(schema: TSchema, value: unknown): string[] {
  return validation
    .body(schema)(value)
    .map((fault) => `${fault.pointer} ${fault.code}`)
    .toSorted();
}

function queryFaults(schema: TObject, text: string): string[] {
  return validation
    .query(schema)(queryOf(text))
    .map((fault) => `${fault.parameter} ${fault.code}`)
    .toSorted();
}

/** Reads a query as Fastify does: a repeated parameter is a list. */
function queryOf(text: string): Record<string, unknown> {
  const query: Record<string, unknown> = Object.create(null);
  const parameters = new URLSearchParams(text);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    query[name] = values.length > 1 ? values : values[0];
  }
  return query;
}

const Person = Strict({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  age: Type.Optional(Type.Integer({ minimum: 0, maximum: 150 })),
  tags: Type.Optional(Type.Array(Type.String({ maxLength: 3 }), { maxItems: 3, uniqueItems: true })),
  role: Type.Optional(Type.Unsafe<string>({ type: "string", enum: ["owner", "guest"] })),
  home: Type.Optional(Strict({ "street/no~1": Type.Integer() })),
  born: Type.Optional(Nullable(Type.String({ format: "date-time" }))),
  id: Type.Optional(PublicId("usr")),
});

describe("a body", () => {
  it("has no faults when it fits", () => {
    assert.deepEqual(bodyFaults(Person, { name: "Ann", age: 0, born: null, tags: [] }), []);
  });

  it("of another type than its values are has one fault for it", () => {
    assert.deepEqual(bodyFaults(Person, { name: "Ann", role: null }), ["/role invalid_type"]);
    assert.deepEqual(bodyFaults(Person, { name: "Ann", role: "admin" }), ["/role invalid_value"]);
  });

  it("gets every fault named at once", () => {
    const faults = bodyFaults(Person, {
      age: 151.5,
      tags: ["long one", 7, "a", "a"],
      role: "admin",
      home: { "street/no~1": "x", "a/b": 1 },
      nickname: "A",
      born: "yesterday",
      id: "acc_01k9zq4t3xe8k8y0v6d3m2n1pq",
    });
    assert.deepEqual(faults, [
      "/age invalid_type",
      "/age out_of_range",
      "/born invalid_format",
      "/home/a~1b unknown_field",
      "/home/street~1no~01 invalid_type",
      "/id invalid_format",
      "/name required",
      "/nickname unknown_field",
      "/role invalid_value",
      "/tags duplicate",
      "/tags too_many",
      "/tags/0 too_long",
      "/tags/1 invalid_type",
    ]);
  });

  it("gets a pointer in which an empty name can be told from none", () => {
    assert.deepEqual(bodyFaults(Person, { name: "Ann", "": 1 }), ["/ unknown_field"]);
  });

  it("isn't changed: text stays text, and a number is no text", () => {
    assert.deepEqual(bodyFaults(Person, { name: 5, age: "5" }), ["/age invalid_type", "/name invalid_type"]);
  });

  for (const value of [undefined, null, [], "text", 1]) {
    it(`that is ${JSON.stringify(value) ?? "missing"} is one fault of the whole`, () => {
      assert.deepEqual(bodyFaults(Person, value), [" invalid_type"]);
    });
  }

  it("gets 100 faults named at most", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x${i}`, 1]));
    assert.equal(validation.body(Person)({ name: "Ann", ...wide }).length, 100);
  });

  it("isn't quoted in the faults", () => {
    const value = { name: "Zebedee", role: "zebra", born: "zeppelin", id: "zinc", age: "zero" };
    assert.doesNotMatch(JSON.stringify(validation.body(Person)(value)), /zebedee|zebra|zeppelin|zinc|zero/i);
  });

  it("counts characters, not UTF-16 units", () => {
    assert.deepEqual(bodyFaults(Person, { name: "😀😀😀😀😀" }), []);
  });
});

describe("a time in a body", () => {
  const schema = Strict({ at: Timestamp });
  const good = [
    "2026-11-14T09:30:00Z",
    "2026-11-14T09:30:00.123456+05:30",
    "2026-11-14t09:30:00z",
    "2026-11-14T09:30:00-15:59",
  ];
  for (const at of good) {
    it(`may be ${at}`, () => {
      assert.deepEqual(bodyFaults(schema, { at }), []);
      assert.ok(!Number.isNaN(new Date(at).getTime()));
    });
  }
  const bad = [
    "2026-11-14",
    "2026-11-14T09:30:00",
    "2026-11-14 09:30:00Z",
    "2026-02-30T09:30:00Z",
    "2026-11-14T24:00:00Z",
    "2026-11-14T09:30:00+0530",
    "2026-11-14T09:30:00+16:00",
    "2026-11-14T09:30:00-23:59",
    "2026-12-31T23:59:60Z",
    "9999-12-31T23:59:59-01:00",
    "0000-06-01T00:00:00Z",
    "+02026-11-14T09:30:00Z",
    "1763112600",
    "",
  ];
  for (const at of bad) {
    it(`may not be ${at || "empty"}`, () => {
      assert.deepEqual(bodyFaults(schema, { at }), ["/at invalid_format"]);
    });
  }
});

describe("a query", () => {
  const schema = PageQuery({ tag: Type.Optional(Type.Array(Type.String())) });

  it("gets its defaults and its types", () => {
    const query = queryOf("limit=2&include_total=true&tag=a");
    assert.deepEqual(validation.query(schema)(query), []);
    assert.deepEqual({ ...query }, { limit: 2, include_total: true, tag: ["a"] });
    const empty = queryOf("");
    validation.query(schema)(empty);
    assert.deepEqual({ ...empty }, { limit: 50, include_total: false });
  });

  for (const limit of [
    "0",
    "201",
    "-1",
    "1.5",
    "abc",
    "",
    "%20",
    "1&limit=2",
    "NaN",
    "Infinity",
    "0x10",
    "1e1",
    "%2050",
  ]) {
    it(`with limit=${limit} is refused`, () => {
      const faults = queryFaults(schema, `limit=${limit}`);
      assert.ok(faults.length > 0 && faults.every((fault) => fault.startsWith("limit ")), String(faults));
    });
  }

  it("names every unknown parameter", () => {
    assert.deepEqual(queryFaults(schema, "colour=red&__proto__=1&toString=2"), [
      "__proto__ unknown_parameter",
      "colour unknown_parameter",
      "toString unknown_parameter",
    ]);
  });

  it("takes a repeated parameter only where a list is wanted", () => {
    assert.deepEqual(queryFaults(schema, "tag=a&tag=b"), []);
    assert.deepEqual(queryFaults(schema, "cursor=a&cursor=b"), ["cursor invalid_type"]);
  });

  it("with a NUL in it is refused", () => {
    assert.deepEqual(queryFaults(schema, "tag=a%00b&tag=c&cursor=%00"), [
      "cursor invalid_character",
      "tag invalid_character",
    ]);
  });
});
