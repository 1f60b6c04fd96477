import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { finished, importFile, makeList, upload } from "../support/imports.ts";
import { settled } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const people = (count: number, name = "person") =>
  `email,first_name\n${Array.from({ length: count }, (_, n) => `${name}${n}@example.com,Ada\n`).join("")}`;
const countOf = async (listId: string) => (await app.api("GET", `/v1/lists/${listId}`)).body.counts.total;

test("progress comes as server-sent events and ends with the import", async () => {
  const listId = await makeList(app);
  const made = await upload(app, { list_id: listId }, people(20_000, "watched"));
  const response = await fetch(`${app.baseUrl}/v1/imports/${made.body.id}/progress`, {
    headers: { authorization: `Bearer ${app.key}` },
  });
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const events = (await response.text())
    .trim()
    .split("\n\n")
    .filter((block) => block.startsWith("event"))
    .map((block) => {
      const [event = "", data = ""] = block.split("\n");
      return { event: event.slice("event: ".length), data: JSON.parse(data.slice("data: ".length)) };
    });
  assert.equal(events.at(-1)?.event, "done");
  assert.equal(events.at(-1)?.data.counts.created, 20_000);
  assert.ok(events.length >= 3, `${events.length} events`);
  const processed = events.map(({ data }) => data.counts.processed);
  assert.deepEqual(
    processed,
    processed.toSorted((a, b) => a - b),
  );
  const moving = events.find(({ data }) => data.counts.processed > 0 && data.status === "running");
  assert.ok(moving?.data.progress.rows_per_second > 0 && moving?.data.progress.eta !== null);
});

test("a canceled import stops after its batch; undone, it leaves nothing behind", async () => {
  const listId = await makeList(app);
  const made = await upload(app, { list_id: listId }, people(60_000, "canceled"));
  const path = `/v1/imports/${made.body.id}`;
  await until(async () => (await app.api("GET", path)).body.counts.processed > 0);
  const canceled = await app.api("POST", `${path}/cancel`);
  assert.deepEqual([canceled.status, canceled.body.status], [200, "canceled"], canceled.text);
  assert.ok(canceled.body.counts.created < 60_000);
  assert.equal((await app.api("POST", `${path}/cancel`)).body.code, "invalid_state");
  assert.equal(await countOf(listId), canceled.body.counts.created);
  const undoing = await app.api("POST", `${path}/undo`);
  assert.equal(undoing.status, 202, undoing.text);
  const undone = await finished(app, made.body.id);
  assert.deepEqual([undone.status, undone.counts.removed], ["undone", canceled.body.counts.created]);
  assert.equal(await countOf(listId), 0);
});

test("undo leaves whom somebody has touched since, and whom the import only updated", async () => {
  const listId = await makeList(app);
  const before = await app.api("POST", "/v1/subscribers", {
    body: { email: "before@example.com", list_id: listId },
  });
  const csv =
    "email,last_name\nbefore@example.com,B\ntouched@example.com,T\nmerged@example.com,M\nuntouched@example.com,U\n";
  const done = await importFile(app, { list_id: listId, on_conflict: "update" }, csv);
  const found = await app.api("GET", `/v1/subscribers/search?email=touched@example.com&list_id=${listId}`);
  await app.api("POST", `/v1/subscribers/${found.body.data[0].id}/tags`, { body: { add: ["vip"] } });
  await app.api("POST", `/v1/imports/${done.id}/undo`);
  const undone = await finished(app, done.id);
  assert.equal(undone.counts.removed, 2);
  const left = (await app.api("GET", `/v1/subscribers?list_id=${listId}&sort=email`)).body.data;
  assert.deepEqual(
    left.map((one: { email: string }) => one.email),
    ["before@example.com", "touched@example.com"],
  );
  assert.equal(left[0].id, before.body.id);
});

test("two imports of one file at once make every subscriber once", async () => {
  const listId = await makeList(app);
  const csv = people(6_000, "twice");
  const both = await Promise.all([
    upload(app, { list_id: listId }, csv),
    upload(app, { list_id: listId }, csv),
  ]);
  const done = await Promise.all(both.map((one) => finished(app, one.body.id)));
  assert.deepEqual(
    done.map((one) => one.status),
    ["completed", "completed"],
  );
  assert.equal(done[0].counts.created + done[1].counts.created, 6_000);
  assert.equal(done[0].counts.skipped + done[1].counts.skipped, 6_000);
  assert.equal(await countOf(listId), 6_000);
});

test("a field deleted in mid-run: the import goes on without it and says so", async () => {
  const listId = await makeList(app);
  const field = await app.api("POST", "/v1/fields", { body: { key: "doomed", type: "text" } });
  const rows = Array.from({ length: 40_000 }, (_, n) => `doomed${n}@example.com,x\n`).join("");
  const made = await upload(app, { list_id: listId }, `email,doomed\n${rows}`);
  await until(async () => (await app.api("GET", `/v1/imports/${made.body.id}`)).body.counts.processed > 0);
  await app.api("DELETE", `/v1/fields/${field.body.id}`);
  const done = await finished(app, made.body.id);
  assert.deepEqual([done.status, done.counts.created], ["completed", 40_000]);
  assert.equal(done.warnings[0]?.code, "field_deleted", JSON.stringify(done));
});

test("a list deleted in mid-run ends the import with a clear error", async () => {
  const listId = await makeList(app);
  const made = await upload(app, { list_id: listId }, people(40_000, "orphan"));
  await until(async () => (await app.api("GET", `/v1/imports/${made.body.id}`)).body.counts.processed > 0);
  await app.api("DELETE", `/v1/lists/${listId}?force=true`);
  const done = await finished(app, made.body.id);
  assert.deepEqual([done.status, done.error?.code], ["failed", "list_deleted"]);
  await settled(app);
  const events = (await app.api("GET", "/v1/events?type=import.failed")).body.data;
  assert.equal(
    events.filter((one: { data: { import_id: string } }) => one.data.import_id === made.body.id).length,
    1,
  );
});

test("a duplicate a thousand times over is one subscriber", async () => {
  const listId = await makeList(app);
  const done = await importFile(app, { list_id: listId }, `email\n${"same@example.com\n".repeat(50_000)}`);
  assert.deepEqual([done.counts.created, done.counts.skipped], [1, 49_999]);
});

test("an erasure finds the person in the rows that failed", async () => {
  await app.api("POST", "/v1/fields", { body: { key: "age", type: "number" } });
  const listId = await makeList(app);
  const add = { email: "erase.me@example.com", list_id: listId };
  const { id } = (await app.api("POST", "/v1/subscribers", { body: add })).body;
  const csv =
    "email,age\nErase.Me@example.com,old\nErase me <erase.me@example.com>,1\nother@example.com,old\n";
  const done = await importFile(app, { list_id: listId }, csv);
  assert.equal(done.counts.failed, 3);
  assert.equal((await app.api("POST", `/v1/subscribers/${id}/forget`)).status, 202);
  const { text } = await app.api("GET", `/v1/imports/${done.id}/errors`);
  assert.doesNotMatch(text, /erase\.me/i);
  assert.match(text, /other@example\.com/);
});

test("uploaded files are gone when their imports are over", async () => {
  const rows = await app.db.many<{ id: string }>(
    sql`select id from imports where status in ('pending', 'running')`,
  );
  assert.equal(rows.length, 0);
  await until(
    () =>
      !readdirSync(join(app.dataDir, "uploads"), { recursive: true }).some((name) => name.includes(".csv")),
  );
});
