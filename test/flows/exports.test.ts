import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { importFile } from "../support/imports.ts";

const clock = createTestClock(new Date("2026-11-15T09:00:00Z"));
let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ clock });
  listId = (await app.api("GET", "/v1/lists")).body.data[0].id;
  await app.api("POST", "/v1/fields", { body: { key: "note", type: "text" } });
});
after(() => app.stop());

const download = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const exportOf = async (body: object) => (await app.api("POST", "/v1/exports", { body })).body;

test("a list's export has everybody once, with their tags and fields, in one stream", async () => {
  const subscribers = Array.from({ length: 1_000 }, (_, n) => ({
    email: `p${n}@example.com`,
    list_id: listId,
  }));
  for (let n = 0; n < 5; n++) {
    const batch = subscribers.map((one) => ({ ...one, email: `b${n}.${one.email}` }));
    await app.api("POST", "/v1/subscribers/batch", { body: { subscribers: batch } });
  }
  const made = await app.api("POST", "/v1/exports", { body: { list_id: listId } });
  assert.equal(made.status, 201);
  const { status, headers, text } = await download(made.body.download_url);
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /text\/csv/);
  assert.match(headers.get("content-disposition") ?? "", /attachment; filename="exp_/);
  const lines = text.trimEnd().split("\r\n");
  assert.equal(lines.length, 5_001);
  assert.equal(new Set(lines).size, 5_001);
  assert.match(
    lines[0] ?? "",
    /^email,first_name,last_name,status,tags,locale,time_zone,(?:\w+,)*source,created_at,fields\.note$/,
  );
});

test("what a spreadsheet might run is made harmless, and quotes and line breaks survive", async () => {
  const body = {
    email: "formula@example.com",
    list_id: listId,
    first_name: '=HYPERLINK("http://evil.example","x")',
    last_name: 'O\'Hara, the "great"',
    tags: ["+1", "a,b"],
    fields: { note: "@SUM(A1)" },
  };
  assert.equal((await app.api("POST", "/v1/subscribers", { body })).status, 201);
  const segment = await app.api("POST", "/v1/segments", {
    body: { name: "One", rules: { field: "email", op: "is", value: "formula@example.com" } },
  });
  const { download_url: url } = await exportOf({ segment_id: segment.body.id });
  const { text } = await download(url);
  const [, ...rows] = text.split("\r\n");
  const row = rows.join("\r\n");
  assert.ok(row.includes(`"'=HYPERLINK(""http://evil.example"",""x"")"`), row);
  assert.ok(row.includes(`"O'Hara, the ""great"""`), row);
  assert.ok(row.includes(`"'+1\na,b"`), row);
  assert.ok(row.includes(",'@SUM(A1)"), row);
});

test("what was exported comes back the same through an import", async () => {
  const { body: other } = await app.api("POST", "/v1/lists", { body: { name: "Round trip" } });
  const { body: found } = await app.api("GET", "/v1/subscribers/search?email=formula@example.com");
  const segment = await app.api("POST", "/v1/segments", {
    body: { name: "Again", rules: { field: "email", op: "is", value: "formula@example.com" } },
  });
  const { download_url: url } = await exportOf({ segment_id: segment.body.id });
  const done = await importFile(app, { list_id: other.id }, (await download(url)).text);
  assert.equal(done.counts.created, 1, JSON.stringify(done));
  const { body: back } = await app.api("GET", `/v1/subscribers?list_id=${other.id}`);
  const [before, after] = [found.data[0], back.data[0]];
  for (const field of ["email", "first_name", "last_name", "tags", "fields"]) {
    assert.deepEqual(after[field], before[field], field);
  }
});

test("a link expires, ends with its export, and can't be forged or bent to another account", async () => {
  const made = await exportOf({ list_id: listId });
  const other = await app.addAccount();
  const bent = made.download_url.replace(
    /acc_[^/]+/,
    (await app.api("GET", "/v1/account", { key: other.key })).body.id,
  );
  assert.equal((await download(bent)).status, 404);
  const forged = made.download_url.replace(
    /signature=(.)/,
    (_: string, first: string) => `signature=${first === "A" ? "B" : "A"}`,
  );
  assert.equal((await download(forged)).status, 404);
  assert.equal((await download(made.download_url.split("?")[0])).status, 404);
  const deleted = await exportOf({ list_id: listId });
  assert.equal((await app.api("DELETE", `/v1/exports/${deleted.id}`)).status, 204);
  assert.equal((await download(deleted.download_url)).status, 404);
  clock.advance(24 * 3_600_000 + 1);
  assert.equal((await download(made.download_url)).status, 404);
  assert.equal((await app.api("GET", `/v1/exports/${made.id}`)).body.download_url, null);
});

test("an export needs exactly one of a list and a segment, of this account", async () => {
  assert.equal((await app.api("POST", "/v1/exports", { body: {} })).status, 422);
  const unknown = await app.api("POST", "/v1/exports", {
    body: { list_id: "lst_00000000000000000000000000" },
  });
  assert.deepEqual(unknown.body.errors[0].pointer, "/list_id");
  const other = await app.addAccount();
  assert.equal(
    (await app.api("POST", "/v1/exports", { body: { list_id: listId }, key: other.key })).status,
    422,
  );
});
