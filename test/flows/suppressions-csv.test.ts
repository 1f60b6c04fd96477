/** Suppressions come and go as CSV: what goes out comes back the same. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { importFile, makeList, upload } from "../support/imports.ts";
import { addSubscriber, type Json, readSubscriber } from "../support/subscribers.ts";

let app: TestApp;
let other: TestApp;
before(async () => {
  [app, other] = [await createApp(), await createApp()];
});
after(async () => {
  await app.stop();
  await other.stop();
});

const suppressionOf = async (email: string, from = app): Promise<Json | undefined> =>
  (await from.api("GET", `/v1/suppressions?email=${encodeURIComponent(email)}`)).body.data[0];

async function exported(from = app): Promise<string[]> {
  const made = await from.api("POST", "/v1/exports", { body: { resource: "suppressions" } });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.body.resource, made.body.list_id], ["suppressions", null]);
  const response = await fetch(made.body.download_url);
  assert.match(response.headers.get("content-type") ?? "", /^text\/csv/);
  return (await response.text()).trim().split("\r\n");
}

const FILE =
  "email,reason,source,created_at\n" +
  "one@example.org,Hard Bounce,old relay,2020-01-02T03:04:05.678Z\n" +
  "two@example.org,spam,'=HYPERLINK(1),\n" +
  "three@example.org,unsubscribed,delivery,02.03.2021\n" + // No file says what delivery found here.
  "four@example.org,subscribed,,\n" +
  "nobody,manual,,\n" +
  "five@example.org,strange,,\n" +
  "ONE@example.org,complaint,again,\n";

test("a file becomes suppressions, with counts and the rows that failed", async () => {
  const listId = await makeList(app);
  const on = await addSubscriber(app, listId, "two@example.org");
  const dry = await importFile(app, { target: "suppressions", dry_run: true }, FILE);
  assert.deepEqual(
    [dry.list_id, dry.target, dry.counts.created, dry.counts.skipped, dry.counts.failed, dry.counts.total],
    [null, "suppressions", 3, 1, 2, 7],
    JSON.stringify(dry),
  );
  assert.equal(await suppressionOf("one@example.org"), undefined);
  const done = await importFile(app, { target: "suppressions" }, FILE);
  assert.deepEqual(
    [done.status, done.counts.created, done.counts.updated, done.counts.skipped, done.counts.failed],
    ["completed", 3, 1, 1, 2],
    JSON.stringify(done),
  );
  const one = await suppressionOf("one@example.org");
  assert.deepEqual(
    [one?.["email"], one?.["reason"], one?.["source"], one?.["created_at"]],
    ["one@example.org", "complaint", "again", "2020-01-02T03:04:05.678Z"],
  );
  const two = await suppressionOf("two@example.org");
  assert.deepEqual([two?.["reason"], two?.["source"]], ["complaint", "=HYPERLINK(1)"]);
  assert.deepEqual((await readSubscriber(app, on["id"]))["status"], "complained");
  const three = await suppressionOf("three@example.org");
  assert.deepEqual(
    [three?.["reason"], three?.["source"], three?.["created_at"]],
    ["manual", done.id, "2021-03-02T00:00:00.000Z"],
  );
  const { text } = await app.api("GET", `/v1/imports/${done.id}/errors`);
  assert.match(
    text,
    /\r\n6,email,invalid_email,.*\r\n7,reason,unknown_status,.*five@example.org,strange,,\r\n$/,
  );
  const again = await importFile(app, { target: "suppressions" }, FILE);
  assert.deepEqual(
    [again.counts.created, again.counts.updated],
    [0, 1],
    "a row that repeats one of the file",
  );
  const undo = await app.api("POST", `/v1/imports/${done.id}/undo`);
  assert.deepEqual([undo.status, undo.body.code], [409, "invalid_state"]);
});

test("what was exported comes back the same elsewhere, and in the same account also without its address", async () => {
  const listId = await makeList(app);
  const gone = await addSubscriber(app, listId, "gone@example.org");
  await app.db.execute(sql`
    insert into suppressions (account_id, contact_id, id, reason, source, created_at, updated_at)
    select account_id, contact_id, id, 'hard_bounce', 'relay', '2019-01-01', '2019-01-01' from subscribers
    where email_key = 'gone@example.org'`);
  await app.api("DELETE", `/v1/subscribers/${gone["id"]}`);
  const lines = await exported();
  assert.equal(lines[0], "email,contact_id,reason,source,created_at");
  assert.ok(
    lines.some((line) => line.includes(",'=HYPERLINK(1),")),
    "no spreadsheet runs it",
  );
  const nameless = lines.filter((line) => line.startsWith(",con_"));
  assert.equal(nameless.length, 1);

  const elsewhere = await importFile(other, { target: "suppressions" }, lines.join("\r\n"));
  assert.deepEqual([elsewhere.counts.created, elsewhere.counts.failed], [3, 1], JSON.stringify(elsewhere));
  const { text } = await other.api("GET", `/v1/imports/${elsewhere.id}/errors`);
  assert.match(text, /contact_id,not_found/);
  const withoutContact = (line: string) => line.replace(/,con_\w+,/, ",");
  const named = (all: readonly string[]) =>
    all
      .filter((line) => !line.startsWith(","))
      .map(withoutContact)
      .sort();
  assert.deepEqual(named(await exported(other)), named(lines));

  await app.db.execute(sql`delete from suppressions`);
  const back = await importFile(app, { target: "suppressions" }, lines.join("\r\n"));
  assert.deepEqual([back.counts.created, back.counts.failed], [4, 0], JSON.stringify(back));
  assert.deepEqual((await exported()).sort(), lines.toSorted());
});

test("an address and its contact make one suppression, and a fault beside a reason doesn't undo it", async () => {
  await importFile(app, { target: "suppressions" }, "email\nboth@example.org\n");
  const line = (await exported()).find((one) => one.startsWith("both@example.org"));
  const contact = line?.split(",")[1];
  await app.db.execute(sql`delete from suppressions where email = 'both@example.org'`);
  const csv =
    "email,contact_id,reason,source,created_at\n" +
    `both@example.org,,manual,relay,2020-01-02\n,${contact},manual,,\n` +
    "undated@example.org,,hard_bounce,relay,whenever\nstrange@example.org,,why,relay,whenever\n";
  const mapping = Object.fromEntries(
    ["email", "contact_id", "reason", "source", "created_at"].map((one) => [one, one]),
  );
  const done = await importFile(app, { target: "suppressions", mapping }, csv);
  assert.deepEqual([done.counts.created, done.counts.skipped, done.counts.failed], [1, 1, 2]);
  const both = await suppressionOf("both@example.org");
  assert.deepEqual(
    [both?.["email"], both?.["source"], both?.["created_at"]],
    ["both@example.org", "relay", "2020-01-02T00:00:00.000Z"],
  );
  assert.equal((await suppressionOf("undated@example.org"))?.["reason"], "hard_bounce");
  assert.equal(await suppressionOf("strange@example.org"), undefined);
});

test("a person who was erased leaves no address, and none comes back by a file", async () => {
  const listId = await makeList(app);
  const email = "erased@example.org";
  await importFile(app, { target: "suppressions" }, `email\n${email}\n`);
  assert.equal((await suppressionOf(email))?.["email"], email);
  const made = await addSubscriber(app, listId, email);
  await app.api("POST", `/v1/subscribers/${made["id"]}/forget`);
  await importFile(app, { target: "suppressions" }, `email,reason\n${email},complaint\n`);
  const left = await suppressionOf(email);
  assert.deepEqual([left?.["email"], left?.["reason"]], [null, "erased"]);
});

test("only who may write suppressions imports them, and only who may read them exports them", async () => {
  const key = async (...scopes: string[]) =>
    (await app.api("POST", "/v1/api_keys", { body: { name: "k", scopes } })).body.key;
  const people = await key("subscribers:read", "subscribers:write");
  const refused = await upload({ ...app, key: people }, { target: "suppressions" }, "email\na@example.org\n");
  assert.deepEqual([refused.status, refused.body.required_scope], [403, "suppressions:write"]);
  const list_id = await makeList(app);
  for (const [options, file] of [
    [{ default_status: "bounced" }, "email\na@example.org\n"],
    [{}, "email,status\na@example.org,active\n"],
    [{ mapping: { a: "email", b: "is_complained" } }, "a,b\na@example.org,no\n"],
  ] as const) {
    const { status, body } = await upload({ ...app, key: people }, { list_id, ...options }, file);
    assert.deepEqual([status, body.required_scope], [403, "suppressions:write"], file);
  }
  const plain = { list_id, default_status: "unsubscribed" };
  assert.equal((await upload({ ...app, key: people }, plain, "email\na@example.org\n")).status, 202);
  const unread = await app.api("POST", "/v1/exports", { body: { resource: "suppressions" }, key: people });
  assert.deepEqual([unread.status, unread.body.required_scope], [403, "suppressions:read"]);
  const made = (await app.api("POST", "/v1/exports", { body: { resource: "suppressions" } })).body;
  const seen = (await app.api("GET", "/v1/exports", { key: people })).body.data;
  assert.equal(seen.find((one: Json) => one["id"] === made.id).download_url, null);
  const { id } = await importFile(app, { target: "suppressions" }, "email\nno address\n");
  for (const path of [`/v1/exports/${made.id}`, `/v1/imports/${id}/errors`]) {
    const hidden = await app.api("GET", path, { key: people });
    assert.deepEqual([hidden.status, hidden.body.required_scope], [403, "suppressions:read"], path);
  }
  assert.equal((await app.api("GET", `/v1/exports/${made.id}`)).body.download_url, made.download_url);
  const wrong = await upload(
    app,
    { target: "suppressions", list_id: await makeList(app), tags: ["x"] },
    "email\na@example.org\n",
  );
  assert.deepEqual(
    wrong.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`),
    ["/list_id not_allowed", "/tags not_allowed"],
  );
  const without = await upload(app, {}, "email\na@example.org\n");
  assert.deepEqual([without.status, without.body.errors[0].pointer], [422, "/list_id"]);
  const both = await app.api("POST", "/v1/exports", {
    body: { resource: "suppressions", list_id: await makeList(app) },
  });
  assert.equal(both.status, 422);
});
