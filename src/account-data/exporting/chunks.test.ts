import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChunks } from "./chunks.ts";

describe("chunks of lines", () => {
  it("hold every line once, in order, whatever its length", () => {
    const chunks = createChunks();
    const lines = [1, 20_000, 70_000, 0, 65_536, 3, 200_000, 21_846, 21_845, 1].map(
      (length, n) => `${"é€x"[n % 3]?.repeat(length)}\n`,
    );
    const taken: Buffer[] = [];
    for (const line of lines) {
      chunks.add(line);
      taken.push(...chunks.take());
    }
    taken.push(...chunks.take("all"));
    assert.equal(Buffer.concat(taken).toString(), lines.join(""));
    assert.deepEqual(chunks.take("all"), []);
  });
});
