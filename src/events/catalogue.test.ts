import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { faultsOf, kindOf } from "../../test/support/event-catalogue.ts";
import { ROOT } from "../../test/support/process.ts";
import { EVENT_TYPES, entryOf } from "./events.ts";

/** A type as the sources write it: whole, or as the beginning of a template such as `bounces.${outcome}`. */
const WHOLE = /["'`]([a-z_]+\.[a-z_]+)["'`]/g;
const BEGINNING = /`([a-z_]+\.)\$\{/g;

function sources(): string[] {
  return globSync("src/**/*.ts", { cwd: ROOT })
    .filter((path) => !path.endsWith(".test.ts") && !/src\/events\/(types|catalogue)\.ts$/.test(path))
    .map((path) => readFileSync(`${ROOT}/${path}`, "utf8"));
}

describe("the catalogue of events", () => {
  it("has no type that nothing in the sources emits", () => {
    const found = (pattern: RegExp) =>
      new Set(sources().flatMap((text) => [...text.matchAll(pattern)].map(([, word = ""]) => word)));
    const [whole, beginnings] = [found(WHOLE), [...found(BEGINNING)]];
    const isEmitted = (type: string) =>
      whole.has(type) || beginnings.some((beginning) => type.startsWith(beginning));
    assert.deepEqual(
      EVENT_TYPES.filter((type) => !isEmitted(type)),
      [],
    );
  });

  it("has every type that is recorded", () => {
    const recorded = sources().flatMap((text) =>
      [...text.matchAll(/\btype: ["']([a-z_]+\.[a-z_]+)["']/g)].map(([, type = ""]) => type),
    );
    assert.ok(recorded.length > 50);
    const known: readonly string[] = EVENT_TYPES;
    assert.deepEqual(
      recorded.filter((type) => !known.includes(type)),
      [],
    );
  });

  it("has an example of every member, and a sentence", () => {
    for (const type of EVENT_TYPES) {
      const { says, example, required } = entryOf(type);
      assert.match(says, /^[A-Z].*\.$/, type);
      for (const [name, value] of Object.entries(example)) assert.ok(value !== undefined, `${type} ${name}`);
      for (const name of required) assert.ok(Object.hasOwn(example, name), `${type} ${name}`);
      const members = Object.fromEntries(
        Object.entries(example).map(([name, value]) => [name, kindOf(value)]),
      );
      assert.deepEqual(faultsOf({ type, members }), []);
    }
  });

  it("finds an event that it doesn't tell of", () => {
    assert.deepEqual(faultsOf({ type: "list.exploded", members: {} }), [
      "list.exploded is no type of the catalogue",
    ]);
    assert.deepEqual(faultsOf({ type: "list.created", members: { name: "string" } }), [
      "list.created lacks list_id",
      "list.created has name as string, and the catalogue has nothing",
    ]);
    assert.equal(faultsOf({ type: "list.created", members: { list_id: "null" } }).length, 1);
  });
});
