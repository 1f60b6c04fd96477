import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import fc from "fast-check";
import { createInput, type Read } from "./input.ts";

const LIMITS = { mostBytes: 100_000, idleMs: 5_000, hold: () => true };

/** Hands the bytes to an input in pieces that end at these places, and returns what it makes of a mail. */
async function readInPieces(
  bytes: Buffer,
  cuts: readonly number[],
): Promise<Read<Buffer> & { rest: string }> {
  const stream = new PassThrough();
  const input = createInput(stream as unknown as Socket);
  const places = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  const read = input.readData({ ...LIMITS, untilMs: performance.now() + 5_000 });
  // Each piece is a buffer of its own, as a socket gives them.
  for (const [nth, place] of places.entries())
    stream.write(Buffer.from(bytes.subarray(places[nth - 1] ?? 0, place)));
  stream.end();
  const mail = await read;
  const line = await input.readLine(1_000, performance.now() + 5_000);
  return { ...mail, rest: "ok" in line ? line.ok.toString() : line.failure };
}

const pieces = fc.array(fc.constantFrom("\r\n", ".", "..", "a", ".\r\n.", "MAIL", "\r\n."), {
  maxLength: 30,
});

test("a mail is the same in whatever pieces it comes, and what follows it is the next command", () =>
  fc.assert(
    fc.asyncProperty(pieces, fc.array(fc.nat(), { maxLength: 20 }), async (parts, cuts) => {
      const content = `${parts.join("")}\r\n`;
      const stuffed = content.replaceAll(/(^|\r\n)\./g, "$1..");
      const read = await readInPieces(Buffer.from(`${stuffed}.\r\nQUIT\r\n`), cuts);
      assert.deepEqual([("ok" in read && read.ok.toString()) || read, read.rest], [content, "QUIT"]);
    }),
  ));

const bare = fc
  .tuple(
    pieces,
    fc.constantFrom("\n", "\r", "\n.\n", "\r.\r", "\r\r\n", "\n.\r\n", "\r\n.\n", "\r\n.\r"),
    pieces,
  )
  .map(
    ([before, wrong, after]) =>
      `${before.map((one) => (one === "." ? "x" : one)).join("")}x${wrong}x${after.join("")}`,
  );

test("a bare CR or LF anywhere before the end of a mail is found, in whatever pieces it comes", () =>
  fc.assert(
    fc.asyncProperty(bare, fc.array(fc.nat(), { maxLength: 20 }), async (content, cuts) => {
      const stuffed = content.replaceAll(/(^|\r\n)\.(?=[.x\r]|$)/g, "$1..");
      const read = await readInPieces(Buffer.from(`${stuffed}\r\n.\r\n`), cuts);
      assert.ok("failure" in read && read.failure === "bare", JSON.stringify(content));
    }),
  ));

test("a mail that is empty is a mail", async () => {
  const read = await readInPieces(Buffer.from(".\r\nQUIT\r\n"), []);
  assert.deepEqual([("ok" in read && read.ok.length) || 0, read.rest], [0, "QUIT"]);
});
