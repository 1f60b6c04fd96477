import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { decodeWords, findField, parseParameters } from "./headers.ts";
import { readInnerFields, readMail, readText } from "./reading.ts";
import { decodeText, htmlToText } from "./text.ts";
import { decodeQuoted } from "./transfer.ts";

function mailOf(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.join("\r\n"));
}

function typesOf(raw: Buffer): string[] {
  return readMail(raw).parts.map(({ type }) => type);
}

describe("a mail is read into its parts", () => {
  const report = mailOf(
    "Subject: a",
    "Content-Type: multipart/report; report-type=delivery-status;",
    ' boundary="b 1"',
    "",
    "preamble",
    "--b 1",
    "",
    "first",
    "--b 1 ",
    "Content-Type: MESSAGE/Delivery-Status",
    "",
    "Action: failed",
    "--b 12",
    "not a delimiter",
    "--b 1",
    "Content-Type: message/rfc822",
    "",
    "Message-ID: <m@example.org>",
    "Subject: the mail",
    "",
    "body",
    "--b 1--",
    "epilogue",
  );

  test("in order, with the type that a part has by default", () => {
    assert.deepEqual(typesOf(report), ["text/plain", "message/delivery-status", "message/rfc822"]);
  });

  test("a longer line that begins like the delimiter belongs to the part", () => {
    assert.match(readText(readMail(report).parts[1] as never), /not a delimiter/);
  });

  test("the mail inside is one part, whose header can be read", () => {
    const inner = readInnerFields(readMail(report).parts[2] as never);
    assert.equal(findField(inner, "message-id"), "<m@example.org>");
  });

  test("bare line feeds do as well, and a missing end", () => {
    const bare = report.toString().replaceAll("\r", "").split("--b 1--")[0] ?? "";
    assert.equal(typesOf(Buffer.from(bare)).length, 3);
  });

  test("without a boundary, or one that never occurs, the body is text", () => {
    const bodies = ["Content-Type: multipart/mixed", 'Content-Type: multipart/mixed; boundary="x"'];
    for (const type of bodies) {
      const { parts } = readMail(mailOf(type, "", "hello"));
      assert.deepEqual(
        [parts.length, parts[0]?.type, readText(parts[0] as never)],
        [1, "text/plain", "hello"],
      );
    }
  });

  test("a type whose semicolon was forgotten still has its parameters", () => {
    const { type, parameters } = parseParameters('text/plain charset="iso-2022-jp"');
    assert.deepEqual([type, parameters.get("charset")], ["text/plain", "iso-2022-jp"]);
  });

  test("a boundary in RFC 2231's pieces is put together", () => {
    assert.equal(
      parseParameters('multipart/mixed; boundary*0="ab"; boundary*1="cd"').parameters.get("boundary"),
      "abcd",
    );
  });
});

describe("text is decoded, whatever it claims to be", () => {
  const cases: readonly [why: string, bytes: Buffer, charset: string | undefined, text: string][] = [
    ["a charset that nobody knows is Latin-1", Buffer.from([0x67, 0xfc]), "x-unknown", "gü"],
    ["UTF-8 without a label", Buffer.from("größe"), undefined, "größe"],
    ["Latin-1 that calls itself UTF-8", Buffer.from([0x67, 0xfc, 0x6e]), "utf-8", "gün"],
    ["ISO-2022-JP without a label", Buffer.from("\x1b$B08@h\x1b(B", "latin1"), undefined, "宛先"],
    ["Shift_JIS with one", Buffer.from([0x88, 0xb6, 0x90, 0xe6]), "Shift_JIS", "宛先"],
    ["a character cut in the middle", Buffer.from("größe€").subarray(0, -1), undefined, "größe"],
    ["an empty label", Buffer.from("a\r\nb\0"), "", "a\nb"],
  ];
  for (const [why, bytes, charset, text] of cases)
    test(why, () => assert.equal(decodeText(bytes, charset), text));

  test("quoted-printable keeps what isn't quoted well", () => {
    assert.equal(decodeQuoted(Buffer.from("a=3Db=\r\nc=ZZ=")).toString(), "a=bc=ZZ=");
  });

  test("encoded words are joined across blanks, and broken ones stay", () => {
    assert.equal(decodeWords("=?utf-8?q?a_b?= =?UTF-8?B?Y8O8?= d"), "a bcü d");
    assert.equal(decodeWords("=?utf-8?q?a b?="), "=?utf-8?q?a b?=");
  });

  test("HTML comes down to its words, with addresses that look like tags", () => {
    const html = "<style>p{x:y}</style><p>To&nbsp;<ada@example.org><br>&#39;no&#x21;&#39;<!-- c --></p><b";
    assert.deepEqual(htmlToText(html).trim().split(/\s+/), ["To", "<ada@example.org>", "'no!'", "<b"]);
  });
});

describe("no input is too much", () => {
  test("50 MB are cut to 8", () => {
    const { isCut, parts } = readMail(
      Buffer.concat([Buffer.from("Subject: a\n\n"), Buffer.alloc(50 << 20, "x\n")]),
    );
    assert.deepEqual([isCut, parts.length], [true, 1]);
  });

  test("parts inside parts are followed 12 deep", () => {
    const open = Array.from(
      { length: 1000 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
    );
    const { isCut, parts } = readMail(Buffer.from(open.join("")));
    assert.deepEqual([isCut, parts.length, parts[0]?.type], [true, 1, "text/plain"]);
  });

  test("of a million parts, 200 are read", () => {
    const raw = `Content-Type: multipart/mixed; boundary=b\n\n${"--b\n\nx\n".repeat(1_000_000)}`;
    const { isCut, parts } = readMail(Buffer.from(raw));
    assert.deepEqual([isCut, parts.length], [true, 200]);
  });

  test("lines that may be delimiters, and never are, cost no more than others", () => {
    const boundary = "-".repeat(200);
    const raw = `Content-Type: multipart/mixed; boundary="${boundary}"\n\n${`${"-".repeat(150)}\n`.repeat(50_000)}`;
    assert.equal(readMail(Buffer.from(raw)).parts.length, 1);
  });

  test("a header of 10 MB is read as far as 256 KB", () => {
    const { fields } = readMail(Buffer.from(`Subject: a\nX: ${"y".repeat(10 << 20)}\nTo: b\n\nbody`));
    assert.deepEqual(
      fields.map(({ name, value }) => [name, value.length]),
      [
        ["subject", 1],
        ["x", 8192],
      ],
    );
  });

  test("a field folded a million times keeps its beginning", () => {
    const { fields } = readMail(Buffer.from(`Subject: a\n${" b\n".repeat(1_000_000)}\nbody`));
    assert.ok((findField(fields, "subject") ?? "").length <= 8192);
  });

  test("HTML of nothing but tags that never end is text", () => {
    assert.equal(htmlToText("<".repeat(500_000)).length, 500_000);
    assert.equal(htmlToText("<style>".repeat(100_000)).length, 0);
    assert.equal(htmlToText("<!-- >".repeat(100_000)).length, 0);
  });

  test("any bytes make a mail", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        (bytes) => readMail(Buffer.from(bytes)).parts.length >= 1,
      ),
    );
  });
});
