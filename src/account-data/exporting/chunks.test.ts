import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Chunks, createChunks, type Piece } from "./chunks.ts";

/** Writes lines, gives the memory of each piece back at once, and returns the text of all pieces. */
function written(chunks: Chunks, lines: readonly string[]): string {
  const copies: Buffer[] = [];
  const take = (pieces: readonly Piece[]) => {
    for (const { memory, bytes } of pieces) {
      copies.push(Buffer.from(Buffer.from(memory, 0, bytes)));
      chunks.giveBack(memory);
    }
  };
  for (const line of lines) {
    chunks.add(line);
    take(chunks.take());
  }
  take(chunks.take("all"));
  return Buffer.concat(copies).toString();
}

describe("chunks of lines", () => {
  it("hold every line once, in order, whatever its length", () => {
    const chunks = createChunks();
    const lines = [1, 20_000, 70_000, 0, 65_536, 3, 200_000, 21_846, 21_845, 1].map(
      (length, n) => `${"é€x"[n % 3]?.repeat(length)}\n`,
    );
    assert.equal(written(chunks, lines), lines.join(""));
    assert.deepEqual(chunks.take("all"), []);
  });

  it("cut no character in two, wherever a long line is cut", () => {
    for (let lead = 0; lead < 5; lead++) {
      const line = `${"x".repeat(lead)}${"🍏é".repeat(80_000)}\ud800\n`;
      assert.equal(written(createChunks(), ["short\n", line]), `short\n${line.toWellFormed()}`);
    }
  });
});
