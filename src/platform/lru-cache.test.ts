import assert from "node:assert/strict";
import { test } from "node:test";
import { createLruCache, createShortMemory } from "./lru-cache.ts";

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

test("answers are shared for some time, also while they are awaited, and failures by those alone who wait", async () => {
  let nowMs = 0;
  let asked = 0;
  const remember = createShortMemory<number>({ monotonicMs: () => nowMs }, { most: 10, forMs: 1_000 });
  const ask = () => remember("key", async () => ++asked);
  assert.deepEqual(await Promise.all([ask(), ask()]), [1, 1]);
  nowMs = 999;
  assert.equal(await ask(), 1);
  nowMs = 1_000;
  assert.equal(await ask(), 2);
  const fail = () => remember("other", () => Promise.reject(new Error(`failure ${++asked}`)));
  await Promise.all([assert.rejects(fail(), /failure 3/), assert.rejects(fail(), /failure 3/)]);
  await assert.rejects(fail(), /failure 4/);
});
