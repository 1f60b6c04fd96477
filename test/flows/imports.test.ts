import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { finished, importFile, makeList, upload } from "../support/imports.ts";
import { settled } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const subscribersOf = async (listId: string) =>
  (await app.api("GET", `/v1/subscribers?list_id=${listId}&sort=email&limit=200`)).body.data;

test("a plain file becomes subscribers, with guessed columns, and its counts add up", async () => {
  const listId = await makeList(app);
  await app.api("POST", "/v1/fields", { body: { key: "company", type: "text" } });
  const csv =
    "E-Mail;Vorname;Nachname;Company;Other\r\n" +
    "ada@example.org;Ada;Lovelace;Acme;x\r\n" +
    "ALAN@Example.org;Alan;Turing;;\r\n" +
    "\r\n" +
    "nobody;No;Body;;\r\n" +
    "ada@EXAMPLE.org;Again;;;\r\n";
  const made = await upload(app, { list_id: listId, tags: ["fair"] }, csv);
  assert.equal(made.status, 202, made.text);
  assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/imports/${made.body.id}`);
  assert.equal(made.body.options.delimiter, ";");
  assert.deepEqual(made.body.mapping, {
    "E-Mail": "email",
    Vorname: "first_name",
    Nachname: "last_name",
    Company: "fields.company",
    Other: "ignore",
  });
  const done = await finished(app, made.body.id);
  assert.equal(done.status, "completed", JSON.stringify(done.error));
  assert.deepEqual(done.counts, {
    total: 4,
    processed: 4,
    created: 2,
    updated: 0,
    skipped: 1,
    failed: 1,
    removed: 0,
  });
  const [ada, alan] = await subscribersOf(listId);
  assert.equal(ada.email, "ada@example.org");
  assert.deepEqual(
    [ada.first_name, ada.last_name, ada.fields, ada.tags],
    ["Ada", "Lovelace", { company: "Acme" }, ["fair"]],
  );
  assert.deepEqual([ada.status, ada.source, ada.consent.action], ["active", made.body.id, "granted"]);
  assert.equal(alan.email, "ALAN@Example.org");
  const list = await app.api("GET", `/v1/lists/${listId}`);
  assert.equal(list.body.counts.active, 2);
  const errors = await app.api("GET", `/v1/imports/${made.body.id}/errors`);
  assert.match(errors.headers.get("content-type") ?? "", /^text\/csv/);
  assert.match(
    errors.text,
    /^row,column,code,detail,E-Mail,Vorname,Nachname,Company,Other\r\n5,E-Mail,invalid_email,/,
  );
  assert.match(errors.text, /nobody,No,Body,,\r\n$/);
});

test("on_conflict update merges what is given, adds tags and says who changed", async () => {
  const listId = await makeList(app);
  await importFile(
    app,
    { list_id: listId },
    "email,first_name,last_name\na@example.org,A,One\nb@example.org,B,Two\n",
  );
  const csv =
    "email,first_name,last_name,tags\na@example.org,,Uno,\nb@example.org,B,Two,\nc@example.org,C,,x|y\nc@example.org,,Tres,z\n";
  const done = await importFile(app, { list_id: listId, on_conflict: "update" }, csv);
  assert.deepEqual(done.counts, {
    total: 4,
    processed: 4,
    created: 1,
    updated: 2,
    skipped: 1,
    failed: 0,
    removed: 0,
  });
  const [a, , c] = await subscribersOf(listId);
  assert.deepEqual([a.first_name, a.last_name], ["A", "Uno"]);
  assert.deepEqual([c.first_name, c.last_name, c.tags], ["C", "Tres", ["x", "y", "z"]]);
});

test("nobody who opted out is revived, not even one deleted since, and an erased person stays away", async () => {
  const listId = await makeList(app);
  const add = async (email: string) =>
    (await app.api("POST", "/v1/subscribers", { body: { email, list_id: listId } })).body.id;
  const [gone, deleted, erased] = [
    await add("gone@example.org"),
    await add("deleted@example.org"),
    await add("erased@example.org"),
  ];
  await app.api("POST", `/v1/subscribers/${gone}/unsubscribe`);
  await app.api("POST", `/v1/subscribers/${deleted}/unsubscribe`);
  await app.api("DELETE", `/v1/subscribers/${deleted}`);
  await app.api("POST", `/v1/subscribers/${erased}/forget`);
  await app.api("POST", "/v1/suppressions", { body: { email: "never@example.org", reason: "manual" } });
  const csv = "email\ngone@example.org\ndeleted@example.org\nerased@example.org\nnever@example.org\n";
  const done = await importFile(
    app,
    { list_id: listId, on_conflict: "update", consent: { attested: true } },
    csv,
  );
  assert.equal(done.counts.created, 2, JSON.stringify(done.counts));
  assert.equal(done.counts.skipped, 2);
  const people = await subscribersOf(listId);
  assert.deepEqual(
    people.map((one: { email: string; status: string; sendable: boolean }) => [
      one.email,
      one.status,
      one.sendable,
    ]),
    [
      ["deleted@example.org", "unsubscribed", false],
      ["gone@example.org", "unsubscribed", false],
      ["never@example.org", "active", false],
    ],
  );
});

test("a list that asks for confirmation wants attested consent, and then makes active subscribers", async () => {
  const listId = await makeList(app, { double_opt_in: true });
  const refused = await upload(app, { list_id: listId }, "email\na@example.org\n");
  assert.equal(refused.status, 422);
  assert.equal(refused.body.errors[0].code, "consent_required");
  const dry = await importFile(app, { list_id: listId, dry_run: true }, "email\na@example.org\n");
  assert.deepEqual(
    [dry.status, dry.counts.created],
    ["completed", 1],
    "a dry run comes before the statement",
  );
  const consent = { attested: true, source: "fair", wording: "Yes, please." };
  await importFile(app, { list_id: listId, consent }, "email\na@example.org\n");
  const [one] = await subscribersOf(listId);
  assert.equal(one.status, "active");
  assert.deepEqual(
    [one.consent.attested, one.consent.source, one.consent.wording],
    [true, "fair", "Yes, please."],
  );
});

test("a dry run counts and changes nothing", async () => {
  const listId = await makeList(app);
  await importFile(app, { list_id: listId }, "email\na@example.org\n");
  const csv = "email\na@example.org\nb@example.org\nb@example.org\nnonsense\n";
  const done = await importFile(app, { list_id: listId, dry_run: true }, csv);
  assert.deepEqual(done.counts, {
    total: 4,
    processed: 4,
    created: 1,
    updated: 0,
    skipped: 2,
    failed: 1,
    removed: 0,
  });
  assert.equal((await subscribersOf(listId)).length, 1);
});

test("an idempotency key makes one import of two requests; another file under it is refused", async () => {
  const listId = await makeList(app);
  const headers = { "idempotency-key": "once" };
  const first = await upload(app, { list_id: listId }, "email\na@example.org\n", headers);
  const second = await upload(app, { list_id: listId }, "email\na@example.org\n", headers);
  assert.equal(second.body.id, first.body.id);
  assert.equal(second.headers.get("idempotency-replayed"), "true");
  const other = await upload(app, { list_id: listId }, "email\nb@example.org\n", headers);
  assert.equal(other.status, 422);
  assert.equal(other.body.code, "idempotency_key_reused");
  await finished(app, first.body.id);
});

test("there is one event for an import, with its counts, and none for its rows", async () => {
  const listId = await makeList(app);
  const done = await importFile(app, { list_id: listId }, "email\na@example.org\nb@example.org\n");
  await settled(app);
  const events = (await app.api("GET", "/v1/events?limit=200")).body.data;
  const own = events.filter((event: { data: { list_id?: string } }) => event.data.list_id === listId);
  assert.deepEqual(own.map((event: { type: string }) => event.type).sort(), [
    "import.completed",
    "list.created",
  ]);
  const completed = own.find((event: { type: string }) => event.type === "import.completed");
  assert.equal(completed.data.import_id, done.id);
  assert.equal(completed.data.counts.created, 2);
});
