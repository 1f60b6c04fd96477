import assert from "node:assert/strict";
import { test } from "node:test";
import { createLruCache } from "./lru-cache.ts";

test("what was used longest ago goes first, and never more than one for one", () => {
  const recent = createLruCache<number>(3);
  for (const [i, key] of ["a", "b", "c"].entries()) recent.set(key, i);
  assert.equal(recent.get("a"), 0);
  recent.set("d", 3);
  assert.deepEqual(
    ["a", "b", "c", "d"].map((key) => recent.get(key)),
    [0, undefined, 2, 3],
  );
  recent.set("c", 22);
  assert.deepEqual([recent.get("c"), recent.size], [22, 3]);
  recent.delete("c");
  assert.deepEqual([recent.get("c"), recent.size], [undefined, 2]);
});
