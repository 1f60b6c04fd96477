import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createOutlet } from "./outlet.ts";

const KILOBYTE = 1_024;

test("a reader that fetches nothing costs a buffer and the newest event, and gets that one when it reads", async () => {
  const outlet = createOutlet();
  const { readable } = outlet;
  for (let i = 0; i < 10_000; i++) {
    outlet.offer(Buffer.from(`${i} ${"x".repeat(KILOBYTE)}\n`));
    outlet.comment("still here");
  }
  await setImmediate();
  readable.read(0);
  for (let i = 10_000; i < 20_000; i++) outlet.offer(Buffer.from(`${i} ${"x".repeat(KILOBYTE)}\n`));
  assert.ok(readable.readableLength < 80 * KILOBYTE, `${readable.readableLength} bytes wait`);
  outlet.end(Buffer.from("the end\n"));
  const lines = (await readable.toArray()).join("").trim().split("\n");
  assert.ok(lines.length < 100, `${lines.length} events`);
  assert.match(String(lines.at(-2)), /^19999 /);
  assert.equal(lines.at(-1), "the end");
});

test("what was offered before anybody read is there, then its end, and nothing after that", async () => {
  const outlet = createOutlet();
  outlet.offer(Buffer.from("one\n"));
  outlet.offer(Buffer.from("two\n"));
  outlet.end();
  outlet.offer(Buffer.from("three\n"));
  outlet.comment("four");
  outlet.end(Buffer.from("five\n"));
  assert.equal((await outlet.readable.toArray()).join(""), "two\n");
});
