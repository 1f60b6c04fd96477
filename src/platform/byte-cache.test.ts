import assert from "node:assert/strict";
import { test } from "node:test";
import { createByteCache } from "./byte-cache.ts";

const of = (bytes: number) => ({ content: Buffer.alloc(bytes) });

test("what was used longest ago makes room for what is new", () => {
  const cache = createByteCache(100);
  cache.set("a", of(40));
  cache.set("b", of(40));
  cache.get("a");
  cache.set("c", of(40));
  assert.deepEqual(
    ["a", "b", "c"].map((key) => cache.get(key) !== undefined),
    [true, false, true],
  );
});

test("what is larger than all of it is not kept, and pushes nothing out", () => {
  const cache = createByteCache(100);
  cache.set("a", of(100));
  cache.set("b", of(101));
  assert.deepEqual([cache.get("a") !== undefined, cache.get("b")], [true, undefined]);
});

test("what is replaced, deleted or cleared gives its room back", () => {
  const cache = createByteCache(100);
  for (let n = 0; n < 50; n++) cache.set("a", of(60));
  cache.delete("a");
  cache.set("b", of(60));
  cache.clear();
  cache.set("c", of(50));
  cache.set("d", of(50));
  assert.deepEqual(
    ["b", "c", "d"].map((key) => cache.get(key) !== undefined),
    [false, true, true],
  );
});
