/** These tests follow a campaign from draft to sent, through the ledger and into the sandbox. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime, { type Email } from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, suppress, uuidOf, walk } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

type Caught = { contact_id: string | null; envelope_from: string; envelope_to: string; raw: Buffer };

/** Returns the messages of a campaign that the sandbox has caught. */
function caught(id: string): Promise<Caught[]> {
  return app.db.many<Caught>(sql`
    select contact_id, envelope_from, envelope_to, raw from sandbox_messages
    where owner_id = ${uuidOf("cmp", id)} order by created_at, id`);
}

async function readMail({ raw }: Caught): Promise<Email> {
  return PostalMime.parse(raw);
}

const header = (mail: Email, name: string) => mail.headers.find(({ key }) => key === name)?.value;

async function addMany(listId: string, count: number): Promise<void> {
  for (let begin = 0; begin < count; begin += 1_000) {
    const subscribers = Array.from({ length: Math.min(1_000, count - begin) }, (_, at) => ({
      email: `person${begin + at}@example.com`,
      list_id: listId,
      first_name: `Person ${begin + at}`,
    }));
    assert.equal((await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } })).status, 200);
  }
}

async function stats(id: string): Promise<Json> {
  return (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
}

function assertSums(numbers: Json): void {
  const { recipients, queued, sent, failed, unknown, skipped } = numbers;
  assert.equal(recipients, queued + sent + failed + unknown + skipped.total, JSON.stringify(numbers));
}

const becomes = (id: string, status: string) =>
  until(async () => (await readCampaign(app, id))["status"] === status);

test("a campaign reaches everybody who may be mailed, once, and says what became of the rest", async () => {
  const listId = await makeList(app, {
    name: "Réseau",
    from_name: "Ada",
    from_email: "news@acme.example",
    reply_to: "hello@acme.example",
    postal_address: "1 High Street, London",
  });
  const ada = await addSubscriber(app, listId, "ada@example.com", { first_name: "Ada" });
  await addSubscriber(app, listId, "zoë@bücher.example", { first_name: "Zoë" });
  await addSubscriber(app, listId, "bounce@example.com");
  await addSubscriber(app, listId, "defer@example.com");
  const left = await addSubscriber(app, listId, "left@example.com");
  await app.api("POST", `/v1/subscribers/${left["id"]}/unsubscribe`);
  await addSubscriber(app, listId, "blocked@example.com");
  await suppress(app, "blocked@example.com", "manual");
  const { id } = await makeCampaign(app, listId, {
    subject: "For {{ first_name | default: 'you' }}",
    html: "<p>Dear {{ first_name | default: 'friend' }}, <a href='https://acme.example/a'>look</a></p>",
  });
  const explained = await app.api("GET", `/v1/campaigns/${id}/audience`);
  assert.equal(explained.body.on_list, 6, explained.text);
  assert.equal(explained.body.will_get, 4);

  const sent = await act(app, id, "send");
  assert.deepEqual([sent.status, sent.body.status], [202, "sending"], sent.text);
  await becomes(id, "sent");

  const done = await readCampaign(app, id);
  assert.deepEqual(done["allowed_actions"], ["duplicate"]);
  assert.ok(done["finished_at"] >= done["started_at"]);
  assert.deepEqual(
    [done["progress"].phase, done["progress"].done, done["progress"].remaining],
    [null, done["progress"].total, 0],
  );
  const numbers = await stats(id);
  assertSums(numbers);
  assert.deepEqual(
    [numbers["recipients"], numbers["sent"], numbers["failed"], numbers["skipped"].suppressed],
    [5, 3, 1, 1],
  );
  assert.deepEqual([numbers["bounces"].hard, numbers["rates"].delivery], [1, 0.75]);

  const made = await app.api("POST", "/v1/exports", { body: { campaign_id: id } });
  assert.deepEqual([made.status, made.body.campaign_id, made.body.list_id], [201, id, null], made.text);
  const file = await (await fetch(made.body.download_url)).text();
  const [heading, ...lines] = file.trimEnd().split("\r\n");
  assert.equal(
    heading,
    "email,status,reason,changed_at,attempts,reply_code,reply,opened_at,opens,clicked_at,clicks",
  );
  assert.deepEqual(lines.map((line) => line.split(",").slice(0, 2).join(" ")).toSorted(), [
    "ada@example.com sent",
    "blocked@example.com skipped",
    "bounce@example.com failed",
    "defer@example.com sent",
    "zoë@bücher.example sent",
  ]);
  const leaving = await app.api("POST", `/v1/subscribers/${ada["id"]}/unsubscribe`, {
    body: { campaign_id: id },
  });
  assert.deepEqual([leaving.status, leaving.body.status], [200, "unsubscribed"], leaving.text);
  const foreign = await app.addAccount();
  const refused = await app.api("POST", "/v1/exports", { body: { campaign_id: id }, key: foreign.key });
  assert.deepEqual([refused.status, refused.body.errors[0].code], [422, "not_found"]);

  const mails = await caught(id);
  assert.deepEqual(
    mails.map(({ envelope_to }) => envelope_to).toSorted(),
    ["ada@example.com", "defer@example.com", "zoë@bücher.example"].toSorted(),
  );
  const own = mails.find(({ envelope_to }) => envelope_to === "ada@example.com");
  assert.ok(own);
  const mail = await readMail(own);
  assert.equal(own.envelope_from, "news@acme.example");
  assert.deepEqual([mail.from?.name, mail.from?.address], ["Ada", "news@acme.example"]);
  assert.equal(mail.subject, "For Ada");
  assert.match(mail.html ?? "", /Dear Ada, <a href=["']http:\/\/127\.0\.0\.1:\d+\/c\/[\w-]{87}\/0["']/);
  assert.match(mail.html ?? "", /1 High Street, London/);
  assert.match(mail.text ?? "", /Dear Ada/);
  const unsubscribe = /^<(http:\/\/127\.0\.0\.1:\d+\/u\/([\w-]{87}))>$/.exec(
    header(mail, "list-unsubscribe") ?? "",
  );
  assert.ok(unsubscribe, "a way out");
  assert.ok(mail.html?.includes(unsubscribe[1] ?? ""), "the footer has the same way out");
  const token = Buffer.from(unsubscribe[2] ?? "", "base64url");
  assert.equal(token.subarray(17, 33).toString("hex"), uuidOf("cmp", id).replaceAll("-", ""));
  assert.equal(token.subarray(33, 49).toString("hex"), uuidOf("con", ada["contact_id"]).replaceAll("-", ""));
  assert.equal(header(mail, "list-unsubscribe-post"), "List-Unsubscribe=One-Click");
  assert.match(header(mail, "list-id") ?? "", new RegExp(`<${listId}\\.acme\\.example>$`));
  assert.match(header(mail, "feedback-id") ?? "", new RegExp(`^${id}:${listId}:campaign:[0-9a-z]{10}$`));
  assert.equal(header(mail, "precedence"), "bulk");
  assert.match(mail.messageId ?? "", /@acme\.example>$/);
  assert.equal(mail.replyTo?.[0]?.address, "hello@acme.example");

  const recipients = await walk(app, `/v1/campaigns/${id}/recipients?limit=2`);
  assert.equal(recipients.length, 5);
  const [failed] = (await app.api("GET", `/v1/campaigns/${id}/recipients?status=failed`)).body.data;
  assert.deepEqual([failed.email, failed.reply.code], ["bounce@example.com", 550]);
  const [skipped] = (await app.api("GET", `/v1/campaigns/${id}/recipients?status=skipped`)).body.data;
  assert.deepEqual([skipped.email, skipped.reason], ["blocked@example.com", "suppressed"]);

  const download = async (query: string) => app.api("GET", `/v1/campaigns/${id}/recipients/download${query}`);
  const addresses = async (query: string) => {
    const [head, ...lines] = (await download(query)).text.trimEnd().split("\r\n");
    assert.match(head ?? "", /^email,status,reason,/);
    return lines.map((line) => line.split(",")[0]);
  };
  assert.equal((await addresses("")).length, 5);
  assert.deepEqual(await addresses("?status=failed&reason=hard_bounce&domain=EXAMPLE.com"), [
    "bounce@example.com",
  ]);
  assert.deepEqual(await addresses("?status=failed&domain=example.org"), []);
  assert.deepEqual(await addresses("?status=skipped&reason=unsubscribed"), []);
  for (const query of ["?reason=hard_bounce", "?status=sent&domain=example.com"])
    assert.equal((await download(query)).status, 400, query);
});

test("the timeline of a subscriber has each mail once, with what became of it, newest first", async () => {
  const listId = await makeList(app);
  const { id: good } = await addSubscriber(app, listId, "timeline@example.com");
  const { id: bad } = await addSubscriber(app, listId, "bounce@timeline.example");
  const names = ["First", "Second", "Third"];
  for (const name of names) {
    const { id } = await makeCampaign(app, listId, { name });
    await act(app, id, "send");
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
  }
  const mails = async (id: string) =>
    (await walk(app, `/v1/subscribers/${id}/activity?limit=1`)).filter((one) =>
      one["type"].startsWith("email."),
    );
  const received = await mails(good);
  assert.deepEqual(
    received.map(({ type, data }) => [type, data.campaign_name, data.status, data.code]),
    names.toReversed().map((name) => ["email.sent", name, "sent", 250]),
  );
  assert.ok(received.every(({ id, created_at, updated_at }) => /^dlv_/.test(id) && created_at <= updated_at));
  assert.deepEqual(
    (await mails(bad)).map(({ type, data }) => [type, data.campaign_name, data.reason, data.code]),
    [["email.failed", "First", "hard_bounce", 550]],
  );
});

test("progress is told as it happens, and ends with the campaign", async () => {
  const listId = await makeList(app);
  await addMany(listId, 500);
  const { id } = await makeCampaign(app, listId);
  await act(app, id, "send");
  const headers = { authorization: `Bearer ${app.key}` };
  const stream = await fetch(`${app.baseUrl}/v1/campaigns/${id}/progress`, { headers });
  assert.match(stream.headers.get("content-type") ?? "", /^text\/event-stream/);
  const events = (await stream.text())
    .split("\n\n")
    .filter((one) => one.startsWith("event:"))
    .map((one) => /^event: (\w+)\ndata: (.*)$/.exec(one) ?? []);
  const last = JSON.parse(events.at(-1)?.[2] ?? "{}");
  assert.deepEqual([events.at(-1)?.[1], last.status, last.progress.done], ["done", "sent", 500]);
  const steps = events.map(([, , data = "{}"]) => JSON.parse(data).progress.done);
  assert.deepEqual(
    steps,
    steps.toSorted((a, b) => a - b),
  );
});

describe("in the midst of sending", () => {
  it("a pause stops it, stats add up, and resume goes on with exactly the rest", async () => {
    const listId = await makeList(app);
    await addMany(listId, 3_000);
    const { id } = await makeCampaign(app, listId);
    await act(app, id, "send");
    await until(async () => (await stats(id))["sent"] > 0);
    const paused = await act(app, id, "pause");
    assert.equal(paused.status, 200, paused.text);
    await until(async () => (await isQuiet(id)) === true);
    const before = await stats(id);
    assertSums(before);
    assert.ok(before["sent"] < 3_000, "it was paused in the midst");
    assert.equal((await caught(id)).length, before["sent"]);
    assert.equal((await act(app, id, "resume")).status, 200);
    while ((await readCampaign(app, id))["status"] === "sending") assertSums(await stats(id));
    const mails = await caught(id);
    assert.equal((await stats(id))["sent"], 3_000);
    assert.equal(new Set(mails.map(({ contact_id }) => contact_id)).size, 3_000);
    assert.equal(mails.length, 3_000);
  });

  it("a cancel skips everybody who hasn't got it", async () => {
    const listId = await makeList(app);
    await addMany(listId, 3_000);
    const { id } = await makeCampaign(app, listId);
    await act(app, id, "send");
    await until(async () => (await stats(id))["sent"] > 0);
    assert.equal((await act(app, id, "cancel")).body.status, "canceled");
    await until(async () => (await stats(id))["queued"] === 0);
    const numbers = await stats(id);
    assertSums(numbers);
    assert.equal(numbers["sent"], (await caught(id)).length);
    assert.ok(numbers["skipped"].canceled > 0);
  });
});

/**
 * Tells whether messages that were under way have arrived: no row of the ledger is `inflight`, and none became so for longer than an
 * admission lasts that began before the pause.
 */
async function isQuiet(id: string): Promise<boolean> {
  const sent = (await stats(id))["sent"];
  await sleep(300);
  const { data } = (await app.api("GET", `/v1/campaigns/${id}/recipients?status=inflight&limit=1`)).body;
  return data.length === 0 && (await stats(id))["sent"] === sent;
}

test("one that failed for want of recipients goes out once there is somebody", async () => {
  const listId = await makeList(app);
  const { id } = await makeCampaign(app, listId);
  const soon = new Date(Date.now() + 1_000).toISOString();
  assert.equal((await act(app, id, "schedule", { send_at: soon })).status, 200);
  await becomes(id, "failed");
  const failed = await readCampaign(app, id);
  assert.equal(failed["status_reason"], "no_recipients");
  assert.ok(failed["started_at"] >= soon, "not before its time");
  await addSubscriber(app, listId, "late@example.com");
  assert.equal((await act(app, id, "send")).status, 202);
  await becomes(id, "sent");
  assert.equal((await caught(id)).length, 1);
});

test("a template with a loop in it is rendered for each", async () => {
  const listId = await makeList(app);
  await addSubscriber(app, listId, "a@example.com", { tags: ["red", "blue"] });
  await addSubscriber(app, listId, "b@example.com");
  const html = "<p>{% for tag in subscriber.tags %}[{{ tag }}]{% endfor %}</p>";
  const { id } = await makeCampaign(app, listId, { html });
  await act(app, id, "send");
  await becomes(id, "sent");
  const mails = await caught(id);
  const first = mails.find(({ envelope_to }) => envelope_to === "a@example.com");
  assert.ok(first);
  assert.match((await readMail(first)).html ?? "", /\[blue\]\[red\]|\[red\]\[blue\]/);
});

test("a test is caught, is in no ledger, and its way out does nothing", async () => {
  const listId = await makeList(app);
  const mia = await addSubscriber(app, listId, "mia@example.com", { first_name: "Mia" });
  const { id } = await makeCampaign(app, listId, { subject: "Hi {{ first_name }}" });
  const body = { to: ["boss@example.com", "me@example.com"], subscriber_id: mia["id"] };
  const sent = await act(app, id, "test", body);
  assert.deepEqual([sent.status, sent.body.to], [202, body.to], sent.text);
  const mails = await app.db.many<Caught>(sql`
    select contact_id, envelope_from, envelope_to, raw from sandbox_messages
    where owner_id is null and envelope_to in ('boss@example.com', 'me@example.com')`);
  assert.equal(mails.length, 2);
  for (const one of mails) {
    const mail = await readMail(one);
    assert.equal(mail.subject, "Hi Mia");
    assert.equal(header(mail, "list-unsubscribe"), `<${app.baseUrl}/u/test>`);
  }
  assert.equal((await stats(id))["recipients"], 0);
  assert.equal((await readCampaign(app, id))["status"], "draft");
});

test("sent to nobody, given another list and sent again, it is that list's alone, also in an export", async () => {
  const [nobody, somebody] = [await makeList(app), await makeList(app)];
  await addSubscriber(app, nobody, "gone@relaunch.example");
  await addSubscriber(app, somebody, "here@relaunch.example");
  await suppress(app, "gone@relaunch.example", "manual");
  const { id } = await makeCampaign(app, nobody);
  const sent = await act(app, id, "send", { undo_seconds: 1 });
  assert.equal(sent.status, 422, "nobody would get it");
  await act(app, id, "schedule", { send_at: new Date(Date.now() + 500).toISOString() });
  await becomes(id, "failed");
  assert.equal((await stats(id))["recipients"], 1);
  await app.api("PATCH", `/v1/campaigns/${id}`, { body: { list_id: somebody } });
  assert.equal((await act(app, id, "send")).status, 202);
  await becomes(id, "sent");
  const numbers = await stats(id);
  assertSums(numbers);
  assert.deepEqual([numbers["recipients"], numbers["sent"], numbers["skipped"].total], [1, 1, 0]);
  const recipients = await walk(app, `/v1/campaigns/${id}/recipients`);
  assert.deepEqual(
    recipients.map(({ email, status }) => [email, status]),
    [["here@relaunch.example", "sent"]],
  );
  const [mail] = await caught(id);
  assert.ok(mail);
  const token = /\/u\/([\w-]+)/.exec(header(await readMail(mail), "list-unsubscribe") ?? "")?.[1] ?? "";
  const inToken = Buffer.from(token, "base64url").subarray(17, 33).toString("hex");
  const { ownerId } = await app.db.one<{ ownerId: string }>(
    sql`select owner_id as "ownerId" from sources where id = ${inToken}::uuid`,
  );
  assert.equal(ownerId, uuidOf("cmp", id), "its links name a source of the campaign");
  const inbox = await app.api("GET", "/v1/sandbox/messages?to=here@relaunch.example");
  assert.equal(inbox.body.data[0].campaign_id, id);
  const made = await app.api("POST", "/v1/exports", { body: { campaign_id: id } });
  const file = await fetch(made.body.download_url ?? made.body.url);
  assert.match(await file.text(), /here@relaunch\.example/);
  assert.equal((await app.api("GET", `/v1/campaigns/${id}`)).body.progress.total, 1);
});
