import assert from "node:assert/strict";
import { test } from "node:test";
import { createSending } from "./sending.ts";

const of = (bytes: number) => ({ content: Buffer.alloc(bytes) });

test("one image counts once for all who read it, and gives its room back after the last", () => {
  const sending = createSending(100);
  const [popular, another] = [of(80), of(80)];
  const ends = Array.from({ length: 50 }, () => sending.begin(popular));
  assert.ok(ends.every((end) => end !== undefined));
  assert.equal(sending.begin(another), undefined);
  for (const end of ends.slice(1)) end?.();
  assert.equal(sending.begin(another), undefined);
  ends[0]?.();
  assert.ok(sending.begin(another));
});
