import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { prepareBody } from "./body.ts";

test("a message without a dot at the start of a line is not copied", () => {
  const message = Buffer.from("Subject: a.b\r\n\r\nHello. \r\n");
  assert.equal(prepareBody(message).bytes, message);
});

test("whatever its lines are, undoing the dots gives the message back, and no line is a lone dot", () => {
  const line = fc.string({ unit: fc.constantFrom(".", "..", "x", "\u00e9", "\0", " ") });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (lines) => {
      const message = Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1");
      const sent = prepareBody(message).bytes.toString("latin1").split("\r\n");
      assert.equal(sent.includes("."), false);
      assert.equal(sent.map((one) => one.replace(/^\./, "")).join("\r\n"), message.toString("latin1"));
    }),
  );
});

test("a bare CR or LF is refused wherever it stands", () => {
  const smuggling = [
    "\n.\n",
    "\n.\r\n",
    "\r\n.\n",
    "\r.\r",
    "\r.\r\n",
    "\r\n.\r",
    "\r\r\n.\r\n",
    "\r\n\n",
    "\n",
    "\r",
    "\n\r",
  ];
  for (const sequence of smuggling) {
    for (const text of [sequence, `Subject: x\r\n\r\nbefore${sequence}after\r\n`, `before\r\n${sequence}`]) {
      assert.throws(() => prepareBody(Buffer.from(text)), TypeError, JSON.stringify(text));
    }
  }
});

test("octets above 127 are told of, also where dots are doubled", () => {
  for (const [text, is8bit] of [
    ["a\r\n", false],
    [".\r\n", false],
    ["\u00e9\r\n", true],
    [".\u00e9\r\n", true],
  ] as const) {
    assert.equal(prepareBody(Buffer.from(text)).is8bit, is8bit, JSON.stringify(text));
  }
});

test("an empty message is refused", () => {
  assert.throws(() => prepareBody(Buffer.alloc(0)), TypeError);
});
