/** These tests bring people over from other services: what the preview says, and what becomes of everybody in the file. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { emptyDraft, withContent } from "../../dashboard/src/pages/imports/wizard/draft.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { finished, importFile, makeList, type Options, upload } from "../support/imports.ts";
import type { Json } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const subscribersOf = async (listId: string): Promise<Json[]> =>
  (await app.api("GET", `/v1/subscribers?list_id=${listId}&sort=email&limit=200`)).body.data;
const suppressionOf = async (email: string): Promise<Json | undefined> =>
  (await app.api("GET", `/v1/suppressions?email=${encodeURIComponent(email)}`)).body.data[0];

async function preview(
  file: string | Buffer,
  {
    options = {},
    name = "people.csv",
    headers = {},
  }: { options?: Options; name?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const form = new FormData();
  form.append("options", JSON.stringify(options));
  form.append("file", new Blob([Buffer.from(file)]), name);
  const response = await fetch(`${app.baseUrl}/v1/imports/preview`, {
    method: "POST",
    headers: { authorization: `Bearer ${app.key}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  };
}

const MAILCHIMP =
  '"Email Address","First Name","Last Name",Address,"Phone Number",Birthday,Company,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,' +
  "CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS";
const mailchimpRow = (email: string, more: { optIn?: string; tags?: string } = {}) =>
  `${email},Ada,Lovelace,,020 7946 0000,03/04,Acme,2,"${more.optIn ?? "2019-03-04 05:06:07"}",192.0.2.7,"2019-03-04 05:10:00",` +
  `2001:db8::1,51.5,-0.1,0,1,Europe/London,GB,ENG,"2020-01-01 00:00:00",1,abc,,"${more.tags ?? '""VIP"",""Fair, 2019""'}"`;

test("a Mailchimp export with a byte order mark is recognised, previewed and imported with its consent", async () => {
  const file = `\uFEFF${MAILCHIMP}\n${mailchimpRow("ada@example.org")}\n`;
  const seen = await preview(file, { name: "subscribed_email_audience_export_1a2b.csv" });
  assert.equal(seen.status, 200, seen.text);
  assert.deepEqual(seen.body.preset, { id: "mailchimp", name: "Mailchimp", kind: "subscribed" });
  assert.deepEqual(seen.body.format, { delimiter: ",", encoding: "utf-8", has_header: true });
  assert.equal(seen.body.columns.length, 24);
  const { mapping } = seen.body;
  assert.deepEqual(
    [
      mapping["Email Address"],
      mapping.OPTIN_TIME,
      mapping.CONFIRM_IP,
      mapping.TIMEZONE,
      mapping.TAGS,
      mapping.LEID,
    ],
    ["email", "opted_in_at", "confirm_ip", "time_zone", "tags", "ignore"],
  );
  const company = seen.body.columns.find(({ name }: Json) => name === "Company");
  assert.deepEqual(company.field, { key: "company", name: "Company", type: "text" });
  assert.equal(seen.body.columns.find(({ name }: Json) => name === "LEID").field, null);
  assert.equal(seen.body.rows[0][0], "ada@example.org");
  assert.equal(seen.body.default_status, "active");

  const listId = await makeList(app);
  const done = await importFile(app, { list_id: listId, mapping, consent: { attested: true } }, file);
  assert.deepEqual(
    [done.status, done.preset, done.counts.created],
    ["completed", "mailchimp", 1],
    JSON.stringify(done),
  );
  const [ada] = await subscribersOf(listId);
  assert.deepEqual([ada?.["tags"], ada?.["time_zone"]], [["Fair, 2019", "VIP"], "Europe/London"]);
  assert.equal(ada?.["confirmed_at"], "2019-03-04T05:10:00.000Z");
  assert.deepEqual(
    [ada?.["consent"].action, ada?.["consent"].at, ada?.["consent"].ip],
    ["confirmed", "2019-03-04T05:10:00.000Z", "2001:db8::1"],
  );
  const { data } = (await app.api("GET", `/v1/subscribers/${ada?.["id"]}/activity`)).body;
  const granted = data.find(({ type }: Json) => type === "consent.granted");
  assert.deepEqual(
    [granted.data.given_at, granted.data.ip, granted.data.attested],
    ["2019-03-04T05:06:07.000Z", "192.0.2.7", true],
  );
});

test("Mailchimp's other files say by their columns who is in them, also without a mapping", async () => {
  const listId = await makeList(app);
  const known = await app.api("POST", "/v1/subscribers", {
    body: { email: "here@example.org", list_id: listId },
  });
  const gone =
    `${MAILCHIMP},UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_REASON\n` +
    `${mailchimpRow("gone@example.org")},"2021-05-06 07:08:09",Spring,NORMAL\n` +
    `${mailchimpRow("here@example.org")},"2022-05-06 07:08:09",Spring,\n`;
  const dry = await importFile(app, { list_id: listId, dry_run: true }, gone);
  assert.deepEqual([dry.effects, dry.counts.created], [{ opted_out: 2, suppressed: 0 }, 1]);
  const done = await importFile(app, { list_id: listId }, gone);
  assert.deepEqual(
    [done.options.default_status, done.effects, done.counts.created],
    ["unsubscribed", { opted_out: 2, suppressed: 0 }, 1],
  );
  const cleaned = `${MAILCHIMP},CLEAN_TIME,CLEAN_CAMPAIGN_TITLE\n${mailchimpRow("dead@example.org")},"2021-05-06 07:08:09",Spring\n`;
  const second = await importFile(app, { list_id: listId }, cleaned);
  assert.deepEqual([second.options.default_status, second.effects.suppressed], ["bounced", 1]);
  const people = await subscribersOf(listId);
  assert.deepEqual(
    people.map((one) => [one["email"], one["status"], one["sendable"], one["unsubscribed_at"]]),
    [
      ["dead@example.org", "bounced", false, null],
      ["gone@example.org", "unsubscribed", false, "2021-05-06T07:08:09.000Z"],
      ["here@example.org", "unsubscribed", false, "2022-05-06T07:08:09.000Z"],
    ],
  );
  assert.equal(people[1]?.["status_reason"], "NORMAL");
  assert.deepEqual((await suppressionOf("dead@example.org"))?.["reason"], "hard_bounce");
  const { data } = (await app.api("GET", `/v1/subscribers/${known.body.id}/activity`)).body;
  const types = data.map(({ type }: Json) => type);
  assert.ok(types.includes("subscriber.unsubscribed") || types.includes("consent.withdrawn"), types.join());
});

test("statuses become opt-outs and suppressions, whatever on_conflict, and revive nobody", async () => {
  const [listId, other] = [await makeList(app), await makeList(app)];
  const add = (email: string, list: string) =>
    app.api("POST", "/v1/subscribers", { body: { email, list_id: list } }).then(({ body }) => body);
  await add("complains@example.org", other);
  const left = await add("left@example.org", listId);
  await app.api("POST", `/v1/subscribers/${left.id}/unsubscribe`);
  await app.api("POST", "/v1/suppressions", { body: { email: "never@example.org", reason: "complaint" } });
  const csv =
    "email,Status,unsubscribed on,opt-in source\n" +
    "active@example.org,Subscribed,,fair\n" +
    "away@example.org,Unsubscribed,06.05.2021,\n" +
    "bounced@example.org,Cleaned,,\n" +
    "complains@example.org,complained,,\n" +
    "blocked@example.org,blocklisted,,\n" +
    "shopper@example.org,Non-Subscribed,,\n" +
    "left@example.org,subscribed,,\n" +
    "never@example.org,subscribed,,\n" +
    "vip@example.org,gold,,\n" +
    "odd@example.org,silver,,\n";
  const made = await upload(app, { list_id: listId, status_values: { GOLD: "active" } }, csv);
  assert.equal(made.status, 202, made.text);
  assert.deepEqual(made.body.mapping, {
    email: "email",
    Status: "status",
    "unsubscribed on": "unsubscribed_at",
    "opt-in source": "opt_in_source",
  });
  const done = await finished(app, made.body.id);
  assert.deepEqual(
    [done.counts.created, done.counts.skipped, done.counts.failed, done.effects],
    [7, 2, 1, { opted_out: 2, suppressed: 3 }],
    JSON.stringify(done),
  );
  const people = await subscribersOf(listId);
  assert.deepEqual(
    people.map((one) => [String(one["email"]).split("@")[0], one["status"], one["sendable"]]),
    [
      ["active", "active", true],
      ["away", "unsubscribed", false],
      ["blocked", "unsubscribed", false],
      ["bounced", "bounced", false],
      ["complains", "complained", false],
      ["left", "unsubscribed", false],
      ["never", "complained", false],
      ["vip", "active", true],
    ],
  );
  assert.equal(people[0]?.["consent"].source, "fair");
  assert.equal(people[1]?.["unsubscribed_at"], "2021-05-06T00:00:00.000Z");
  assert.equal((await subscribersOf(other))[0]?.["status"], "complained", "a complaint holds on every list");
  for (const [who, reason] of [
    ["blocked", "manual"],
    ["bounced", "hard_bounce"],
    ["complains", "complaint"],
  ])
    assert.equal((await suppressionOf(`${who}@example.org`))?.["reason"], reason);
  const { text } = await app.api("GET", `/v1/imports/${done.id}/errors`);
  assert.match(text, /\r\n11,Status,unknown_status,.*odd@example.org,silver,,\r\n$/);
});

test("an undo takes away the people, and leaves what they wished", async () => {
  const listId = await makeList(app);
  const csv =
    "email,status\nyes@example.net,subscribed\nno@example.net,unsubscribed\nspam@example.net,complained\n";
  const done = await importFile(app, { list_id: listId }, csv);
  const undoing = await app.api("POST", `/v1/imports/${done.id}/undo`);
  assert.equal(undoing.status, 202, undoing.text);
  const undone = await finished(app, done.id);
  assert.deepEqual([undone.status, undone.counts.removed], ["undone", 3]);
  assert.deepEqual(await subscribersOf(listId), []);
  await importFile(app, { list_id: listId }, "email\nyes@example.net\nno@example.net\nspam@example.net\n");
  assert.deepEqual(
    (await subscribersOf(listId)).map((one) => [one["email"], one["status"]]),
    [
      ["no@example.net", "unsubscribed"],
      ["spam@example.net", "complained"],
      ["yes@example.net", "active"],
    ],
  );
});

const statusesOf = async (listId: string) =>
  (await subscribersOf(listId)).map((one) => [one["email"], one["status"]]);
const actionsOf = async (subscriber: Json | undefined): Promise<string[]> =>
  (await app.api("GET", `/v1/subscribers/${subscriber?.["id"]}/activity`)).body.data
    .map(({ type }: Json) => type)
    .filter((type: string) => type.startsWith("consent."));

test("a row with a fault is left out, but that somebody left, bounced or complained holds", async () => {
  const listId = await makeList(app);
  await app.api("POST", "/v1/subscribers", { body: { email: "known@example.net", list_id: listId } });
  const csv =
    "email,status,opt_in_ip\n" +
    "good@example.net,subscribed,192.0.2.1\n" +
    "fault-left@example.net,unsubscribed,n/a\n" +
    "fault-dead@example.net,bounced,n/a\n" +
    "fault-fine@example.net,subscribed,n/a\n" +
    "known@example.net,unsubscribed,n/a\n" +
    "twice@example.net,complained,n/a\n" +
    "twice@example.net,unsubscribed,192.0.2.1\n" +
    "odd@example.net,sleeping,n/a\n";
  const options = { list_id: listId, mapping: { email: "email", status: "status", opt_in_ip: "opt_in_ip" } };
  const dry = await importFile(app, { ...options, dry_run: true }, csv);
  const done = await importFile(app, options, csv);
  for (const { effects, counts } of [dry, done])
    assert.deepEqual([effects, counts.created, counts.failed], [{ opted_out: 3, suppressed: 2 }, 2, 6]);
  assert.deepEqual(await statusesOf(listId), [
    ["good@example.net", "active"],
    ["known@example.net", "unsubscribed"],
    ["twice@example.net", "complained"],
  ]);
  assert.equal((await suppressionOf("fault-dead@example.net"))?.["reason"], "hard_bounce");
  const { text } = await app.api("GET", `/v1/imports/${done.id}/errors`);
  assert.match(text, /3,opt_in_ip,invalid_ip/);
  await importFile(app, { list_id: listId }, "email\nfault-left@example.net\nfault-fine@example.net\n");
  assert.deepEqual((await statusesOf(listId)).slice(0, 2), [
    ["fault-fine@example.net", "active"],
    ["fault-left@example.net", "unsubscribed"],
  ]);
});

test("who left and bounced has done both, and who comes twice keeps the opt-in", async () => {
  const [listId, other] = [await makeList(app), await makeList(app)];
  const csv =
    "email,status,bounced,opted_in_at\n" +
    "both@example.com,unsubscribed,yes,\n" +
    "rows@example.com,subscribed,no,2018-01-02\n" +
    "rows@example.com,complained,no,\n" +
    "rows@example.com,unsubscribed,no,\n";
  const done = await importFile(app, { list_id: listId }, csv);
  assert.deepEqual(done.effects, { opted_out: 2, suppressed: 2 });
  assert.equal((await suppressionOf("both@example.com"))?.["reason"], "hard_bounce");
  assert.equal((await suppressionOf("rows@example.com"))?.["reason"], "complaint");
  await importFile(app, { list_id: other }, "email\nboth@example.com\n");
  assert.deepEqual(await statusesOf(other), [["both@example.com", "bounced"]]);
  const [both, rows] = await subscribersOf(listId);
  assert.deepEqual([both?.["status"], rows?.["status"]], ["unsubscribed", "complained"]);
  assert.deepEqual((await actionsOf(rows)).sort(), ["consent.granted", "consent.withdrawn"]);
});

test("an import attests to nobody's consent who has left, bounced or complained", async () => {
  const listId = await makeList(app);
  const csv =
    "email,status,opted_in_at\n" +
    "c1@example.com,subscribed,\nc2@example.com,unsubscribed,\nc3@example.com,bounced,\n" +
    "c4@example.com,complained,\nc5@example.com,unsubscribed,2018-01-02\n";
  await importFile(app, { list_id: listId, consent: { attested: true } }, csv);
  const people = await subscribersOf(listId);
  assert.deepEqual(await Promise.all(people.map(async (one) => (await actionsOf(one)).sort())), [
    ["consent.granted"],
    ["consent.withdrawn"],
    [],
    [],
    ["consent.granted", "consent.withdrawn"],
  ]);
  const { data } = (await app.api("GET", `/v1/subscribers/${people[4]?.["id"]}/activity`)).body;
  const granted = data.find(({ type }: Json) => type === "consent.granted").data;
  assert.deepEqual([granted.attested, granted.given_at], [false, "2018-01-02T00:00:00.000Z"]);
});

test("an undo takes away what people wrote when they left", async () => {
  const listId = await makeList(app);
  const csv = "email,status,unsubscribe_reason\nwrote@example.com,unsubscribed,my divorce\n";
  const done = await importFile(app, { list_id: listId }, csv);
  const reasons = () => app.db.many(sql`select reason from opt_outs where reason = 'my divorce'`);
  assert.equal((await reasons()).length, 1);
  await app.api("POST", `/v1/imports/${done.id}/undo`);
  assert.equal((await finished(app, done.id)).counts.removed, 1);
  assert.deepEqual(await reasons(), []);
});

test("a later consent here outweighs an older file", async () => {
  const listId = await makeList(app);
  const made = await app.api("POST", "/v1/subscribers", {
    body: { email: "back@example.net", list_id: listId },
  });
  await app.api("POST", `/v1/subscribers/${made.body.id}/unsubscribe`);
  const consent = { consent: { attested: true, source: "telephone" } };
  await app.api("POST", `/v1/subscribers/${made.body.id}/resubscribe`, { body: consent });
  await importFile(app, { list_id: listId }, "email,unsubscribed_at\nback@example.net,2020-01-01\n");
  assert.equal((await subscribersOf(listId))[0]?.["status"], "active");
});

test("evidence for somebody who is here is added once, and the newest consent is shown", async () => {
  const listId = await makeList(app);
  await app.api("POST", "/v1/subscribers", { body: { email: "proof@example.net", list_id: listId } });
  const csv = "email,opted_in_at,opt_in_ip\nproof@example.net,2018-01-02 03:04:05,192.0.2.1\n";
  for (const _ of [1, 2]) await importFile(app, { list_id: listId, on_conflict: "update" }, csv);
  const [one] = await subscribersOf(listId);
  const { data } = (await app.api("GET", `/v1/subscribers/${one?.["id"]}/activity`)).body;
  const told = data.filter(({ type, data: { given_at } }: Json) => type === "consent.granted" && given_at);
  assert.equal(told.length, 1);
  assert.notEqual(one?.["consent"].ip, "192.0.2.1", "what was said here is newer");
});

test("listmonk's attributes fill the fields that there are, and a preview names those that could be", async () => {
  await app.api("POST", "/v1/fields", { body: { key: "city", type: "text" } });
  const csv =
    "uuid,email,name,attributes,status,created_at,updated_at\n" +
    'u1,grace@example.net,Grace Brewster Hopper,"{""city"":""Leeds"",""pet"":{""age"":3}}",enabled,2020-02-03 04:05:06.789 +0000 UTC,x\n' +
    "u2,block@example.net,Block,{},blocklisted,2020-02-03 04:05:06 +0000 UTC,x\n";
  const { body } = await preview(csv);
  assert.equal(body.preset.id, "listmonk");
  assert.deepEqual(body.attributes, [
    { path: "city", field: { key: "city", name: "city", type: "text" }, exists: true },
    { path: "pet.age", field: { key: "pet_age", name: "pet age", type: "number" }, exists: false },
  ]);
  assert.deepEqual(body.status_values, { enabled: "active", blocklisted: "suppressed" });
  const listId = await makeList(app);
  await importFile(app, { list_id: listId }, csv);
  const [block, grace] = await subscribersOf(listId);
  assert.deepEqual(
    [grace?.["first_name"], grace?.["last_name"], grace?.["fields"], grace?.["consent"].at],
    ["Grace Brewster", "Hopper", { city: "Leeds" }, "2020-02-03T04:05:06.789Z"],
  );
  assert.deepEqual([block?.["status"], block?.["sendable"]], ["unsubscribed", false]);
});

test("a preview keeps nothing: neither rows, nor among the answers kept for a key", async () => {
  const headers = { "idempotency-key": "preview-once" };
  const first = await preview("email\nsecret@example.net\n", { headers });
  const again = await preview("email\nsecret@example.net\n", { headers });
  assert.deepEqual([first.body.rows, again.body.rows], [[["secret@example.net"]], null]);
  assert.equal(
    (await app.api("GET", "/v1/subscribers/search?q=secret@example.net")).body?.data?.length ?? 0,
    0,
  );
});

test("another file in the wizard begins with nothing of the first", () => {
  const first = {
    ...emptyDraft("subscribers", "lst_1"),
    defaultStatus: "unsubscribed",
    dateOrder: "mdy",
  } as const;
  const next = withContent({ ...first, format: { delimiter: ";" }, tags: ["fair"] }, { pasted: "email" });
  assert.deepEqual(next, { ...emptyDraft("subscribers", "lst_1"), pasted: "email", tags: ["fair"] });
});

test("a status that can't be read is warned of, and an odd birthday doesn't turn a service's dates", async () => {
  const seen = await preview("email,status\na@example.org,Prenumerant\n");
  assert.deepEqual(
    seen.body.warnings.map(({ code, column }: Json) => [code, column]),
    [["unread_status", "status"]],
  );
  const row = mailchimpRow("a@example.org").replace(",03/04,", ",25/12/2024,");
  assert.equal((await preview(`${MAILCHIMP}\n${row}\n`)).body.date_order, "mdy");
});

test("bad samples are refused, and odd ones warned of", async () => {
  const code = async (file: string | Buffer) => (await preview(file)).body.errors?.[0]?.code;
  assert.equal(await code(""), "empty_file");
  assert.equal(await code(Buffer.from([0x50, 0x4b, 3, 4])), "not_csv");
  assert.equal(await code("email\na\0b@example.net\n"), "binary_file");
  assert.equal((await preview(Buffer.alloc(600_000, "a"))).status, 413);
  assert.equal((await preview("email\n", { options: { other: 1 } })).status, 422);
  const warned = async (file: string | Buffer, options: Options = {}) =>
    (await preview(file, { options })).body.warnings.map((one: Json) => one["code"]);
  assert.deepEqual(await warned("email,first_name\n"), ["no_rows"]);
  assert.deepEqual(await warned("a,b\n1,2\n"), ["no_email_column"]);
  assert.deepEqual(await warned("email,note,note\na@example.net,1,2\n"), ["duplicate_heading"]);
  assert.deepEqual(await warned("email,note\na@example.net,1,2\n"), ["uneven_rows"]);
  assert.deepEqual(await warned('email,note\na@example.net,"1\nb@example.net,2\n'), [
    "unclosed_quote",
    "no_rows",
  ]);
  assert.deepEqual(await warned("email,created\na@example.net,03/04/2025\n"), ["ambiguous_dates"]);
  assert.deepEqual(await warned("email,status\na@example.net,subscribed\nb@example.net,odd\n"), [
    "unknown_status",
  ]);
  assert.deepEqual(
    await warned(Buffer.from("email,name\na@example.net,J\xfcrgen\n", "latin1"), { encoding: "utf-8" }),
    ["unreadable_text"],
  );
  const wide = Buffer.from("\uFEFFE-Mail\tVorname\na@example.net\tZoë\n", "utf16le");
  const { body } = await preview(wide);
  assert.deepEqual([body.format.encoding, body.format.delimiter, body.rows[0][1]], ["utf-16le", "\t", "Zoë"]);
  const cut = await preview("email,name\na@example.net,A\nb@exam", { options: { file_bytes: 9_999 } });
  assert.equal(cut.body.rows_sampled, 1);
});
