import assert from "node:assert/strict";
import { test } from "node:test";
import { type TSchema, Type } from "typebox";
import { Nullable, Strict } from "../schemas.ts";
import { writeOnce } from "./shared-schemas.ts";
import { createValidation } from "./validation.ts";

const Word = Strict({
  text: Type.String({ pattern: "^a", "x-error-code": "no_a", "x-error-detail": "must begin with a" }),
  size: Type.Integer({ default: 1 }),
});
const Words = Type.Array(Word);
const either = (...schemas: TSchema[]) =>
  Type.Unsafe<unknown>({ type: "object", discriminator: { propertyName: "type" }, oneOf: schemas });
const Title = Strict({ type: Type.Literal("title"), words: Words });
const Body = Strict({ type: Type.Literal("body"), words: Words, more: Type.Optional(Words) });
const Schema = Strict({
  one: either(Title, Body),
  other: Nullable(Strict({ all: Type.Array(either(Title, Body)) })),
});

test("a part that stands in several places is written once", () => {
  const written = JSON.stringify(writeOnce(Schema));
  assert.equal(written.split("must begin with a").length, 2, written);
  assert.ok(JSON.stringify(Schema).split("must begin with a").length > 4);
});

test("a schema without such parts stays as it is", () => {
  assert.deepEqual(writeOnce(Word), { ...Word });
});

test("the kinds of an object are named where there is no such kind", () => {
  const [fault] = createValidation().body(Schema)({ one: { type: "page" }, other: null });
  assert.equal(fault?.detail, "must be one of title, body");
});

test("faults are named as they were, and defaults filled in", () => {
  const check = createValidation().body(Schema);
  const given = { one: { type: "title", words: [{ text: "a" }] }, other: null };
  assert.deepEqual(check(given), []);
  assert.deepEqual(given.one.words, [{ text: "a", size: 1 }]);
  const faults = check({
    one: { type: "page" },
    other: { all: [{ type: "body", words: [], more: [{ text: "b", size: 2, x: 1 }] }, { type: "title" }] },
  });
  assert.deepEqual(faults.map(({ pointer, code }) => `${pointer} ${code}`).toSorted(), [
    "/one/type invalid_value",
    "/other/all/0/more/0/text no_a",
    "/other/all/0/more/0/x unknown_field",
    "/other/all/1/words required",
  ]);
});

test("a part that is checked later may be any object, or null where it may be null", () => {
  const Later = Strict({ all: Words }, { "x-checked-later": true });
  const check = createValidation().body(Strict({ one: Later, other: Nullable(Later) }));
  assert.deepEqual(check({ one: { none: 1 }, other: null }), []);
  assert.deepEqual(
    check({ one: null, other: "x" }).map(({ pointer, code }) => `${pointer} ${code}`),
    ["/one invalid_type", "/other invalid_type"],
  );
  assert.equal(createValidation().body(Later)({ none: 1 }).length, 2);
});
