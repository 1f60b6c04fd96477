import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createReplyReader, MALFORMED, NO_REPLY_YET } from "./reply.ts";

/** Reads every reply as [code, ...lines] from the given pieces, until "malformed". */
function readAll(pieces: readonly Buffer[]): (readonly (number | string)[])[] {
  const reader = createReplyReader();
  const replies: (number | string)[][] = [];
  for (const piece of pieces) {
    reader.push(piece, piece.length);
    for (let code = reader.next(); code !== NO_REPLY_YET; code = reader.next()) {
      if (code === MALFORMED) return [...replies, ["malformed"]];
      replies.push([code, ...reader.lines()]);
    }
  }
  return replies;
}

const cases: readonly [name: string, input: string, replies: readonly (readonly (number | string)[])[]][] = [
  ["a line", "250 ok\r\n", [[250, "ok"]]],
  ["a code alone", "250\r\n", [[250, ""]]],
  ["several lines", "250-a\r\n250-b\r\n250 c\r\n", [[250, "a", "b", "c"]]],
  ["several replies", "250 a\r\n354 b\r\n", [[250, "a"], [354, "b"]]], // biome-ignore format: one a line
  ["a bare line feed at the end", "250 ok\n", [[250, "ok"]]],
  ["UTF-8", "550 é\r\n", [[550, "é"]]],
  ["a part of a reply", "250-a\r\n25", []],
  ["two codes", "250-a\r\n251 b\r\n", [["malformed"]]],
  ["a code below 200", "150 ok\r\n", [["malformed"]]],
  ["a code above 599", "600 ok\r\n", [["malformed"]]],
  ["no blank behind the code", "250ok\r\n", [["malformed"]]],
  ["an empty line", "\r\n", [["malformed"]]],
  ["a reply and then rubbish", "250 ok\r\nrubbish\r\n", [[250, "ok"], ["malformed"]]],
  ["200 lines", `${"250-x\r\n".repeat(199)}250 x\r\n`, [[250, ...Array.from({ length: 200 }, () => "x")]]],
  ["201 lines", `${"250-x\r\n".repeat(200)}250 x\r\n`, [["malformed"]]],
  ["4 KB in a line", `250 ${"x".repeat(4_092)}\r\n`, [[250, "x".repeat(4_092)]]],
  ["more than 4 KB in a line", `250 ${"x".repeat(4_093)}\r\n`, [["malformed"]]],
  ["more than 4 KB of a line without an end", "2".repeat(4_097), [["malformed"]]],
  ["more than 64 KB in a reply", `250-${"x".repeat(4_000)}\r\n`.repeat(17), [["malformed"]]],
];

for (const [name, input, replies] of cases) {
  test(`${name} is read as ${JSON.stringify(replies).slice(0, 60)}`, () => {
    assert.deepEqual(readAll([Buffer.from(input)]), replies);
  });
}

test("the pieces in which a reply arrives make no difference", () => {
  const input = fc.constantFrom(...cases.map(([, text]) => text).filter((text) => text.length < 2_000));
  fc.assert(
    fc.property(input, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (text, sizes) => {
      const whole = Buffer.from(text);
      const pieces: Buffer[] = [];
      for (let at = 0, turn = 0; at < whole.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        pieces.push(whole.subarray(at, at + size));
        at += size;
      }
      assert.deepEqual(readAll(pieces), readAll([whole]));
    }),
  );
});

test("a reader knows whether anything is left over", () => {
  const reader = createReplyReader();
  const push = (text: string) => reader.push(Buffer.from(text), text.length);
  assert.equal(reader.isEmpty(), true);
  push("250 ok\r\n2");
  assert.equal(reader.next(), 250);
  assert.equal(reader.isEmpty(), false);
  push("50-ok\r\n");
  assert.equal(reader.next(), NO_REPLY_YET);
  assert.equal(reader.isEmpty(), false);
  push("250 ok\r\n");
  assert.equal(reader.next(), 250);
  assert.equal(reader.isEmpty(), true);
});

test("a reader keeps nothing of a chunk that is overwritten afterwards, nor what stands behind its octets", () => {
  const reader = createReplyReader();
  const chunk = Buffer.alloc(20, "5");
  for (const text of ["250-one\r\n25", "0-two\r\n", "250 three\r", "\n"]) {
    assert.equal(reader.next(), NO_REPLY_YET);
    reader.push(chunk, chunk.write(text));
  }
  assert.equal(reader.next(), 250);
  assert.deepEqual(reader.lines(), ["one", "two", "three"]);
});
