import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp, type TestApp } from "../support/app.ts";
import { finished, importFile, makeList, upload } from "../support/imports.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await makeList(app);
});
after(() => app.stop());

const uploads = () => {
  try {
    return readdirSync(join(app.dataDir, "uploads"), { recursive: true }).filter((name) =>
      name.includes(".csv"),
    );
  } catch {
    return [];
  }
};
const faultsOf = (reply: { body: { errors?: { pointer: string; code: string }[] } }) =>
  (reply.body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);

const refused: readonly [name: string, file: string | Buffer, fault: string][] = [
  ["an empty file", "", "/file empty_file"],
  ["a file of empty lines", "\n\n\r\n", "/file empty_file"],
  ["a zip", Buffer.from("PK\x03\x04 and so on"), "/file not_csv"],
  [
    "binary data",
    Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 197 + (n >> 3)) % 256)),
    "/file binary_file",
  ],
  ["NUL bytes", "email\nada\0@example.org\n", "/file binary_file"],
  ["100,000 columns", `${"a,".repeat(100_000)}email\n`, "/file too_many_columns"],
  ["a line without end", "a".repeat(3_000_000), "/file row_too_long"],
  ["no addresses", "name,colour\nAda,red\n", "/file no_email_column"],
];
for (const [name, file, fault] of refused) {
  test(`${name} is refused at once, and nothing is kept of it`, async () => {
    const reply = await upload(app, { list_id: listId }, file);
    assert.equal(reply.status, 422, reply.text);
    assert.deepEqual(faultsOf(reply), [fault]);
    assert.deepEqual(uploads(), []);
  });
}

test("every fault of the options is named, before the file is read", async () => {
  const options = { list_id: "lst_nonsense", on_conflict: "merge", colour: "red" };
  const reply = await upload(app, options, "email\n");
  assert.equal(reply.status, 422);
  assert.deepEqual(faultsOf(reply).sort(), [
    "/colour unknown_field",
    "/list_id not_found",
    "/on_conflict invalid_value",
  ]);
  assert.equal((await upload(app, "{broken", "email\n")).body.code, "malformed_json");
  const json = await app.api("POST", "/v1/imports", { body: { list_id: listId } });
  assert.equal(json.status, 415, json.text);
  const elsewhere = await app.api("POST", "/v1/lists", {
    body: "--x--\r\n",
    headers: { "content-type": "multipart/form-data; boundary=x" },
  });
  assert.equal(elsewhere.status, 415, elsewhere.text);
});

test("a form without a file, with the file first, or with other parts is refused", async () => {
  const part = (name: string, more = "") =>
    `--x\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const options = `${part("options")}${JSON.stringify({ list_id: listId })}\r\n`;
  const file = `${part("file", '; filename="a.csv"')}email\na@example.org\n\r\n`;
  const send = (body: string) =>
    app.api("POST", "/v1/imports", { body, headers: { "content-type": "multipart/form-data; boundary=x" } });
  assert.deepEqual(faultsOf(await send(`${options}--x--\r\n`)), ["/file required"]);
  assert.equal((await send(`${file}${options}--x--\r\n`)).status, 422);
  assert.deepEqual(faultsOf(await send(`${part("other")}1\r\n${options}--x--\r\n`)), [
    "/other unknown_field",
  ]);
  const torn = await send(`${options}${part("file", '; filename="a.csv"')}email\na@exam`);
  assert.equal(torn.status, 400, torn.text);
  assert.deepEqual(uploads(), []);
});

test("a torn quotation mark far into the file: nothing is imported", async () => {
  const own = await makeList(app);
  const rows = Array.from({ length: 30_000 }, (_, n) => `torn${n}@example.com,Ada\n`).join("");
  const done = await importFile(
    app,
    { list_id: own },
    `email,first_name\n${rows}last@example.com,"Ada\nmore@example.com,B\n`,
  );
  assert.deepEqual([done.status, done.error.code, done.counts.processed], ["failed", "quote_not_closed", 0]);
  assert.match(done.error.detail, /row 30002/);
  assert.equal((await app.api("GET", `/v1/lists/${own}`)).body.counts.total, 0);
  await until(() => uploads().length === 0);
});

test("a NUL, a wrong encoding and a row too wide, far into the file, fail alone", async () => {
  const own = await makeList(app);
  const rows = Array.from({ length: 30_000 }, (_, n) => `alone${n}@example.com,Ada\n`).join("");
  const bad = Buffer.concat([
    Buffer.from(`email,first_name\n${rows}nul@example.com,A\0da\n`),
    Buffer.from("latin@example.com,J\xfcrgen\n", "latin1"),
    Buffer.from("wide@example.com,a,b,c\nshort@example.com\n"),
  ]);
  const done = await importFile(app, { list_id: own, encoding: "utf-8" }, bad);
  assert.deepEqual([done.status, done.counts.created, done.counts.failed], ["completed", 30_001, 3]);
  const { text } = await app.api("GET", `/v1/imports/${done.id}/errors`);
  const codes = text
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",")[2]);
  assert.deepEqual(codes, ["invalid_character", "invalid_encoding", "too_many_cells"]);
});

test("a line of a quarter gigabyte is refused in little memory", async () => {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const head = `--x\r\ncontent-disposition: form-data; name="options"\r\n\r\n${JSON.stringify({ list_id: listId })}\r\n`;
  const file = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request(
    `${app.baseUrl}/v1/imports`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${app.key}`, "content-type": "multipart/form-data; boundary=x" },
    },
    async (response) =>
      resolve({ status: response.statusCode ?? 0, text: (await response.toArray()).join("") }),
  );
  sent.on("error", reject);
  sent.write(`${head}${file}email\n`);
  const chunk = Buffer.alloc(1_048_576, "a");
  for (let n = 0; n < 256; n++) if (!sent.write(chunk)) await new Promise((done) => sent.once("drain", done));
  sent.end("\r\n--x--\r\n");
  const reply = await promise;
  clearInterval(timer);
  // The first look at the file sees only a heading, so it is the run that meets the long line.
  if (reply.status === 202) {
    const done = await finished(app, JSON.parse(reply.text).id);
    assert.deepEqual([done.status, done.error.code], ["failed", "row_too_long"]);
  } else assert.match(reply.text, /row_too_long|no_email_column/);
  assert.ok(peak - before < 150 * 1_048_576, `${Math.round((peak - before) / 1_048_576)} MB more`);
});

test("a client that goes away in mid-upload leaves nothing behind", async () => {
  const socket = connect(Number(new URL(app.baseUrl).port), "127.0.0.1");
  const body = `--x\r\ncontent-disposition: form-data; name="options"\r\n\r\n${JSON.stringify({ list_id: listId })}\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nemail\n${"a@example.org\n".repeat(20_000)}`;
  socket.write(
    `POST /v1/imports HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.key}\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: 99999999\r\n\r\n${body}`,
  );
  await until(() => uploads().length === 1);
  await sleep(50);
  socket.destroy();
  await until(() => uploads().length === 0);
});
