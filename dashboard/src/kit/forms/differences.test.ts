import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { differencesOf } from "./differences.ts";

describe("what of a patch differs", () => {
  test("are fields, also those within others, and lists whatever their order", () => {
    const theirs = { name: "A", tags: ["x", "y"], from: { email: "a@example.com" }, gone: null };
    assert.deepEqual(differencesOf({ name: "A", tags: ["y", "x"], gone: undefined }, theirs), []);
    assert.deepEqual(differencesOf({ name: "B", from: { email: "b@example.com" }, tags: ["x"] }, theirs), [
      { name: "name", mine: "B", theirs: "A" },
      { name: "from.email", mine: "b@example.com", theirs: "a@example.com" },
      { name: "tags", mine: "x", theirs: "x, y" },
    ]);
  });

  test("objects in lists are told apart by what they hold", () => {
    const theirs = { variables: [{ name: "order", sample: "1" }] };
    assert.deepEqual(differencesOf({ variables: [{ name: "order", sample: "1" }] }, theirs), []);
    assert.deepEqual(differencesOf({ variables: [{ name: "order", sample: "2" }] }, theirs), [
      { name: "variables", mine: '{"name":"order","sample":"2"}', theirs: '{"name":"order","sample":"1"}' },
    ]);
  });
});
