import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { writeBase64 } from "./base64.ts";
import { compileBody, type TransferEncoding, writeBody } from "./body.ts";
import type { Piece } from "./pieces.ts";
import { createWriter, takeBytes } from "./writer.ts";

function encode(
  pieces: string | readonly Piece[],
  values: readonly string[] = [],
  endsMessage = false,
): string {
  const writer = createWriter(16);
  writeBody(writer, compileBody(pieces), values, endsMessage);
  return takeBytes(writer).toString("latin1");
}

/** This decoder was written from RFC 2045 §6.7 for this test alone. */
function decodeQuoted(text: string): string {
  const octets = text
    .replaceAll("=\r\n", "")
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, "latin1").toString();
}

describe("an encoding is chosen by the text", () => {
  const cases: readonly [what: string, text: string | readonly Piece[], encoding: TransferEncoding][] = [
    ["short lines of ASCII", "a = b\n\tc\n", "7bit"],
    ["nothing at all", "", "7bit"],
    ["lines of 76", "x".repeat(76), "7bit"],
    ["a line of 77", "x".repeat(77), "quoted-printable"],
    ["a blank at the end of a line", "a \nb", "quoted-printable"],
    ["a dot at the start of a line", "a\n.b", "quoted-printable"],
    ["a line that begins with From", "From me", "quoted-printable"],
    ["what could be a boundary", "--=_seed_m", "quoted-printable"],
    ["a control character", "a\u0000b", "quoted-printable"],
    ["slots, whose values nobody knows", ["a", { slot: 0 }], "quoted-printable"],
    ["mostly Latin letters", "Viele Grüße und noch viel mehr gewöhnliche Wörter", "quoted-printable"],
    ["mostly other scripts", "これはテストです", "base64"],
    ["mostly other scripts, with slots", ["これはテスト", { slot: 0 }, "です"], "base64"],
  ];
  for (const [what, text, encoding] of cases) {
    test(`${what}: ${encoding}`, () => assert.equal(compileBody(text).encoding, encoding));
  }
});

describe("quoted-printable", () => {
  const cases: readonly [what: string, pieces: readonly Piece[], value: string, encoded: string][] = [
    ["a short value needs no break", ["Dear ", { slot: 0 }, ",\nhello"], "Ada", "Dear Ada,\r\nhello"],
    ["UTF-8 is encoded", [{ slot: 0 }], "a=ü🎉", "a=3D=C3=BC=F0=9F=8E=89"],
    ["half a character is mended", [{ slot: 0 }], "a\ud83d", "a=EF=BF=BD"],
    ["NUL arrives", [{ slot: 0 }], "\u0000", "=00"],
    ["a blank before a break is encoded", ["a ", { slot: 0 }, "\nb"], "", "a=20\r\nb"],
    ["a tab before the break of a value too", ["a\t", { slot: 0 }], "\nb", "a=09\r\nb"],
    ["and a blank at the very end", ["a", { slot: 0 }], " ", "a=20"],
    ["but no other blank", ["a ", { slot: 0 }], "b", "a b"],
    ["one break may come from two pieces", ["a\r", { slot: 0 }, "b"], "\nc", "a\r\ncb"],
    ["in both directions", ["a", { slot: 0 }, "\nb"], "\r", "a\r\nb"],
    ["with nothing between them", ["a\r", { slot: 0 }, "\nb"], "", "a\r\nb"],
    ["every kind of break is CRLF", [{ slot: 0 }], "a\nb\rc\r\nd\n\re", "a\r\nb\r\nc\r\nd\r\n\r\ne"],
    ["a dot that begins a line is encoded", ["a\n", { slot: 0 }], ".b", "a\r\n=2Eb"],
    ["From is, though it comes in pieces", ["a\nFr", { slot: 0 }], "om b", "a\r\n=46rom b"],
    ["a word that begins alike isn't", ["a\n", { slot: 0 }], "Fromage", "a\r\nFromage"],
    [
      "a value that doesn't fit goes to the next line",
      ["x".repeat(70), { slot: 0 }, "!"],
      "abcdef",
      `${"x".repeat(70)}=\r\nabcdef!`,
    ],
    [
      "text behind a value goes to the next line where it doesn't fit",
      ["a", { slot: 0 }, "y".repeat(70)],
      "b".repeat(10),
      `a${"b".repeat(10)}=\r\n${"y".repeat(70)}`,
    ],
    [
      "a blank at the edge of a line is encoded in the next one",
      ["x".repeat(74), { slot: 0 }],
      " \n",
      `${"x".repeat(74)}=\r\n=20\r\n`,
    ],
    [
      "a character isn't split between lines",
      ["x".repeat(70), { slot: 0 }],
      "ü",
      `${"x".repeat(70)}=\r\n=C3=BC`,
    ],
  ];
  for (const [what, pieces, value, encoded] of cases) {
    test(what, () => assert.equal(encode(pieces, [value]), encoded));
  }
});

test("wherever a text is cut into pieces and values, it arrives as it was", () => {
  const text = `Dear \r\n.\r\rFrom =\t\n\rzoë ${"w".repeat(72)} \n${"é".repeat(14)}\t\nFrom . ${"u/".repeat(80)}\n. `;
  const whole = text.replace(/\r\n?|\n/g, "\r\n");
  const ascii = "Enough of it for quoted-printable.\n".repeat(9);
  for (let from = 0; from <= text.length; from++) {
    for (let to = from; to <= text.length; to += 1 + ((from + to) % 9)) {
      const [before, value, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
      for (const cut of [
        encode([ascii, before, { slot: 0 }, after], [value]),
        encode([ascii, { slot: 1 }, value, { slot: 2 }, { slot: 0 }], ["", before, after]),
      ]) {
        assert.equal(decodeQuoted(cut).slice(ascii.length + 9), whole);
        for (const line of cut.split("\r\n"))
          assert.match(line, /^(?!\.|From )(?=.{0,76}$)(?:[\t -~]*[!-~])?$/);
      }
    }
  }
});

test("a value that just fits into the room kept for it arrives whole", () => {
  for (let columns = 0; columns <= 75; columns++) {
    for (const value of ["語".repeat(10), "=".repeat(60), "é \n".repeat(9), "🎉"]) {
      const before = "x".repeat(columns);
      const text = before + value.replaceAll("\n", "\r\n");
      assert.equal(decodeQuoted(encode([before, { slot: 0 }], [value])), text);
    }
  }
});

test("a value that stands in many places arrives in each of them", () => {
  const values = [
    "https://mail.example/c/1/",
    ".x",
    "From ",
    "F",
    "é",
    "",
    "a\r",
    "x ",
    "y".repeat(75),
    "z".repeat(76),
  ];
  for (const value of values) {
    const lengths = Array.from({ length: 80 }, (_, length) => "t".repeat(length));
    const pieces = lengths.flatMap((text): Piece[] => [
      text,
      { slot: 0 },
      { slot: 1 },
      { slot: 1 },
      "\n",
      { slot: 1 },
    ]);
    const text = lengths.map((fixed) => `${fixed}b${value}${value}\n${value}`).join("");
    const encoded = encode(pieces, ["b", value]);
    assert.equal(decodeQuoted(encoded), text.replace(/\r\n?|\n/g, "\r\n"));
    for (const line of encoded.split("\r\n"))
      assert.match(line, /^(?!\.|From )(?=.{0,76}$)(?:[\t -~]*[!-~])?$/);
  }
});

test("whatever stands between two places of a value, it arrives in both", () => {
  const long = `https://mail.example/c/${"k".repeat(90)}/`;
  const values = [
    "x ",
    "x\t",
    "ab",
    long,
    `${long} `,
    `${long}é`,
    `${"B".repeat(90)}é`,
    "é",
    "",
    "\n",
    "a\r",
  ];
  for (const value of values) {
    for (const other of values) {
      for (const between of ["", "\n", "12\n"]) {
        const pieces = [{ slot: 0 }, between, { slot: 1 }, between, { slot: 0 }, between, { slot: 0 }, "\n"];
        const text = `${value}${between}${other}${between}${value}${between}${value}\n`;
        assert.equal(decodeQuoted(encode(pieces, [value, other])), text.replace(/\r\n?|\n/g, "\r\n"));
      }
    }
  }
});

test("a value that comes again gives the bytes that a slot of its own would", () => {
  const value = fc.oneof(
    fc.constantFrom("F", "From ", ".", "x ", `${"u/".repeat(60)}`, `${".".repeat(160)}\t`, "é", ""),
    fc.string({ maxLength: 200 }),
  );
  const between = fc.oneof(
    fc.constantFrom("\n", "0\n", '1">Read on</a>\n', ""),
    fc.nat(80).map((length) => "t".repeat(length)),
  );
  const places = fc.array(fc.tuple(between, fc.nat(1)), { maxLength: 40 });
  fc.assert(
    fc.property(value, value, places, (one, other, found) => {
      const pieces = found.flatMap(([text, slot]): Piece[] => [text, { slot }]);
      const apart = found.flatMap(([text], slot): Piece[] => [text, { slot }]);
      const values = found.map(([, slot]) => (slot === 0 ? one : other));
      assert.equal(encode(pieces, [one, other]), encode(apart, values));
    }),
    { numRuns: 300 },
  );
});

test("a long text arrives whole, however it falls into stretches", () => {
  const ascii = "From me \r\n".repeat(15_000);
  for (const shift of ["", "x"]) {
    const text = `${shift}${"🎉".repeat(40_000)}\r\n${ascii}`;
    assert.ok(decodeQuoted(encode([ascii, { slot: 0 }], [text])) === ascii + text);
  }
});

describe("base64", () => {
  test("has lines of 76, and one line break where two pieces meet in it", () => {
    const pieces = ["日".repeat(30), "\r", { slot: 0 }, "\n日"];
    const encoded = encode(pieces, ["\n\r"]);
    assert.equal(Buffer.from(encoded, "base64").toString(), `${"日".repeat(30)}\r\n\r\n日`);
    assert.deepEqual(
      encoded.split("\r\n").map((line) => line.length),
      [76, 56],
    );
  });

  test("breaks lines at every length as it should", () => {
    for (let length = 0; length < 240; length++) {
      const text = `日${"x".repeat(length)}`;
      const writer = createWriter(16);
      writeBase64(writer, Buffer.from(text));
      const whole = Buffer.from(text).toString("base64");
      assert.equal(takeBytes(writer).toString(), whole.replace(/.{76}(?=.)/g, "$&\r\n"));
    }
  });

  test("pads by what is left over", () => {
    for (const text of ["日", "日x", "日xy"]) {
      assert.equal(encode(text), Buffer.from(text).toString("base64"));
    }
  });
});

describe("a message ends with a line break, which is added to the text where it is missing", () => {
  const cases: readonly [pieces: string | readonly Piece[], value: string, ending: string][] = [
    ["plain", "", "plain\r\n"],
    ["plain\n", "", "plain\r\n"],
    ["a=\n", "", "a=\r\n"],
    ["", "", ""],
    [["a", { slot: 0 }], "b", "ab\r\n"],
    [["a", { slot: 0 }], "b\n", "ab\r\n"],
    [["a", { slot: 0 }], " ", "a=20\r\n"],
    [[{ slot: 0 }], "", ""],
    ["日", "", "5pelDQo=\r\n"],
  ];
  for (const [pieces, value, ending] of cases) {
    test(JSON.stringify([pieces, value]), () => assert.equal(encode(pieces, [value], true), ending));
  }
});

test("a slot without a value is refused", () => {
  assert.throws(() => encode(["a", { slot: 1 }], ["b"]), /no value for slot 1/);
});
