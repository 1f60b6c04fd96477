import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HAS_8BIT, NEEDS_CARE, scanOctets } from "./scan.ts";

/** The same, octet by octet. */
function lookAt(message: Buffer): number {
  const text = `\n${message.toString("latin1")}`;
  let found = 0;
  for (let at = 1; at < text.length; at++) {
    const isBareLf = text[at] === "\n" && text[at - 1] !== "\r";
    const isBareCr = text[at] === "\r" && text[at + 1] !== "\n";
    const isDot = text[at] === "." && text[at - 1] === "\n";
    if (isBareLf || isBareCr || isDot) found |= NEEDS_CARE;
    if (text.charCodeAt(at) > 127) found |= HAS_8BIT;
  }
  return found;
}

test("it finds what a look at each octet finds, whatever was looked at before", () => {
  const piece = fc.constantFrom(
    "\r",
    "\n",
    "\r\n",
    "\r\n",
    "\r\n",
    ".",
    "x",
    "x".repeat(13),
    "\u00e9",
    "\0",
    "\u008d",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const message = Buffer.from(pieces.join(""), "latin1");
      assert.equal(scanOctets(message), lookAt(message));
    }),
    { numRuns: 2_000 },
  );
});

test("it finds one thing wherever it stands", () => {
  const things = [
    ["\r", NEEDS_CARE],
    ["\n", NEEDS_CARE],
    ["\r\n.", NEEDS_CARE],
    ["\r\n", 0],
    ["\u00e9", HAS_8BIT],
  ] as const;
  const memory = 65_536;
  for (const length of [1, 15, 16, 17, 31, 32, 33, 100, memory - 49, memory - 48, memory, 3 * memory]) {
    // Near both ends, and wherever a piece of a long one may end.
    const places = [...Array(Math.min(length, 100)).keys()];
    if (length > 100) places.push(...places.flatMap((at) => [length - 1 - at, memory - 1 - at]));
    const message = Buffer.alloc(length, "x");
    for (const at of places) {
      for (const [thing, found] of things) {
        if (at + thing.length > length) continue;
        message.write(thing, at, "latin1");
        assert.equal(scanOctets(message), found, `${JSON.stringify(thing)} at ${at} of ${length}`);
        message.fill("x", at, at + thing.length);
      }
    }
  }
});

test("it finds nothing in a long message that has whole line ends only", () => {
  for (const line of ["x\r\n", "xx\r\n", "\r\n"])
    assert.equal(scanOctets(Buffer.alloc(300_000, line)), 0, line);
});
