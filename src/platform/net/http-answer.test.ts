import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createAnswerReader, type Reading } from "./http-answer.ts";

const bytesOf = (text: string) => Buffer.from(text, "latin1");

/** Reads pieces of an answer, then the end of the connection where more is awaited; says in a few words what came of it. */
function read(...pieces: readonly string[]): string {
  let status = 0;
  let body = "";
  const reader = createAnswerReader({
    head(head) {
      status = head.status;
    },
    body(bytes) {
      body += bytes.toString("latin1");
    },
  });
  let reading: Reading = { kind: "more" };
  for (const piece of pieces) {
    reading = reader.take(bytesOf(piece));
    if (reading.kind !== "more") break;
  }
  const isEnd = reading.kind === "more";
  if (isEnd) reading = reader.end();
  if (reading.kind === "broken") return `broken ${reading.code}`;
  if (reading.kind === "more") return "more";
  return `${status} ${body}${reading.keepsOpen ? "" : isEnd ? " (at the end)" : " (closed)"}`;
}

const answers: Record<string, string> = {
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok": "200 ok",
  "HTTP/1.1 200\r\ncontent-length:2\r\n\r\nok": "200 ok",
  "HTTP/1.1 204 No Content\r\n\r\n": "204 ",
  "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n": "204 ",
  "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n": "304 ",
  "HTTP/1.1 500 \xe9\r\nContent-Length: 0\r\nX-Name: \xfc\r\n\r\n": "500 ",
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: Close\r\n\r\nok": "200 ok (closed)",
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, close\r\n\r\nok": "200 ok (closed)",
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: closed\r\n\r\nok": "200 ok",
  "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok": "200 ok (closed)",
  "HTTP/1.1 200 OK\r\n\r\nall of it": "200 all of it (at the end)",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n": "200 ok",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\nA \r\n0123456789\r\n000\r\nX: y\r\n\r\n":
    "200 ok0123456789",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok":
    "200 ok",
  // What comes behind an answer belongs to nobody.
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n": "200 ok (closed)",
};

const noAnswers: Record<string, string> = {
  "": "broken ECONNRESET",
  "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok": "broken ECONNRESET",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n": "broken ECONNRESET",
  "HTTP/1.1 200 OK\r\nContent-Len": "broken ECONNRESET",
  "HTTP/1.1 100 Continue\r\n\r\n": "broken ECONNRESET",
  "SSH-2.0-OpenSSH_9.2\r\n\r\n": "broken head",
  "HTTP/2 200 OK\r\n\r\n": "broken head",
  "HTTP/1.1 2000 OK\r\n\r\n": "broken head",
  "HTTP/1.1 099 OK\r\n\r\n": "broken head",
  "HTTP/1.1 200 O\nK\r\n\r\n": "broken head",
  "HTTP/1.1 200 OK\r\nno colon\r\n\r\n": "broken head",
  "HTTP/1.1 200 OK\r\nName : x\r\n\r\n": "broken head",
  "HTTP/1.1 200 OK\r\nName: x\r\n folded\r\n\r\n": "broken head",
  "HTTP/1.1 200 OK\r\nName: x\ry\r\n\r\n": "broken head",
  "HTTP/1.1 200 OK\r\nName: \0\r\n\r\n": "broken head",
  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n": "broken upgrade",
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!": "broken length",
  "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok": "broken length",
  "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok": "broken length",
  "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok": "broken length",
  "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999\r\n\r\nok": "broken length",
  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n": "broken length",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n": "broken length",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n": "broken length",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n": "broken chunk",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n0\r\n\r\n": "broken chunk",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000000\r\nok": "broken chunk",
};

for (const [name, table] of Object.entries({ "an answer": answers, "no answer": noAnswers })) {
  test(`${name} is told from its bytes, whole or one by one`, () => {
    for (const [text, expected] of Object.entries(table)) {
      assert.equal(read(text), expected, text);
      // What comes behind an answer is seen only where it comes with its last byte.
      if (!text.includes("okHTTP")) assert.equal(read(...text), expected, text);
    }
  });
}

test("a head, a line and trailers that have no end are given up", () => {
  const endless = (beginning: string, more: string) => read(beginning, ...Array<string>(2_000).fill(more));
  assert.equal(endless("HTTP/1.1 200 OK\r\n", "X-Name: value\r\n"), "broken header_size");
  assert.equal(endless("HTTP/1.1 200 OK\r\nX-Name:", "          "), "broken header_size");
  assert.equal(endless("", "HTTP/1.1 100 Continue\r\n\r\n"), "broken header_size");
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  assert.equal(endless(chunked, "2;x"), "broken chunk");
  assert.equal(endless(`${chunked}0\r\n`, "X-Name: value\r\n"), "broken header_size");
});

test("a line of blanks with garbage behind it takes no longer than another", () => {
  assert.equal(read(`HTTP/1.1 200 OK\r\nX-Name:${" ".repeat(16_000)}\0\r\n\r\n`), "broken head");
});

test("however a body is cut into chunks and pieces, it is read as it was written", () => {
  const parts = fc.array(fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 40 }), { maxLength: 8 });
  const cuts = fc.array(fc.nat({ max: 500 }), { maxLength: 10 });
  fc.assert(
    fc.property(parts, cuts, (chunks, places) => {
      const lines = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
      const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${lines.join("")}0\r\n\r\n`;
      const ends = [...places.toSorted((a, b) => a - b), text.length];
      const pieces = ends
        .map((end, at) => text.slice(ends[at - 1] ?? 0, end))
        .filter((piece) => piece !== "");
      assert.equal(read(...pieces), `200 ${chunks.join("")}`);
    }),
  );
});
