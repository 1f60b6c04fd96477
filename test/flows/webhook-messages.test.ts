/** These tests look at what endpoints get: signed by which secrets, about whom, and of which types, until one is disabled by itself. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Webhook } from "standardwebhooks";
import { sql } from "../../src/platform/db/db.ts";
import { notify } from "../../src/platform/db/listen.ts";
import { WEBHOOKS_CHANGED } from "../../src/webhooks/delivering/delivering.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { sendEmail, untilStatus } from "../support/emails.ts";
import { addPerson } from "../support/people.ts";
import { addSubscriber, eventsSince, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { makeWebhook, type ReceivedPost, type Receiver, startReceiver } from "../support/webhooks.ts";

let app: TestApp;
let receiver: Receiver;
const receivers: Receiver[] = [];
before(async () => {
  app = await createApp({ settings: { INTERNAL_HOSTS: "127.0.0.1" } });
  receiver = await receive();
});
after(async () => {
  await app.stop();
  for (const one of receivers) await one.close();
});

async function receive(): Promise<Receiver> {
  const started = await startReceiver();
  receivers.push(started);
  return started;
}

const pathOf = ({ id }: Json) => `/v1/webhooks/${id}`;
const remove = (webhook: Json) => app.api("DELETE", pathOf(webhook));
const read = async (webhook: Json) => (await app.api("GET", pathOf(webhook))).body as Json;

/** Waits for a post whose data has this member, and returns it. */
async function posted(type: string, name: string, value: unknown): Promise<ReceivedPost> {
  const isIt = ({ body }: ReceivedPost) => body["type"] === type && body["data"][name] === value;
  await until(() => receiver.received.some(isIt));
  return receiver.received.find(isIt) ?? assert.fail();
}

function isSignedBy(secret: string, { text, headers }: ReceivedPost): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe("a message", () => {
  it("is signed by both secrets while one replaces the other, and then by the new one alone", async () => {
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["list.created"] });
    const before_ = await posted("list.created", "list_id", await makeList(app));
    const rotate = async (body: Json) =>
      (await app.api("POST", `${pathOf(webhook)}/rotate_secret`, { body })).body.secret as string;
    const second = await rotate({ grace_seconds: 3_600 });
    // Whoever delivers learns of it within moments.
    await until(async () => isSignedBy(second, await posted("list.created", "list_id", await makeList(app))));
    const during = receiver.received.at(-1) ?? assert.fail();
    assert.equal(during.headers["webhook-signature"]?.toString().split(" ").length, 2);
    assert.deepEqual([isSignedBy(webhook["secret"], before_), isSignedBy(second, before_)], [true, false]);
    assert.deepEqual([isSignedBy(webhook["secret"], during), isSignedBy(second, during)], [true, true]);
    const third = await rotate({ grace_seconds: 0 });
    await until(async () => isSignedBy(third, await posted("list.created", "list_id", await makeList(app))));
    const last = receiver.received.at(-1) ?? assert.fail();
    assert.deepEqual([isSignedBy(second, last), isSignedBy(third, last)], [false, true]);
    await remove(webhook);
  });

  it("has the address of the person where the endpoint includes it, and nothing keeps it", async () => {
    const events = ["subscriber.*", "email.sent", "list.created"];
    // An endpoint may say what it got, also in another spelling.
    receiver.answerWith(200, (text) => text.toLowerCase());
    const webhook = await makeWebhook(app, { url: receiver.url, events, include: ["email"] });
    const listId = await makeList(app);
    assert.ok(!("email" in (await posted("list.created", "list_id", listId)).body["data"]));
    const { id } = await addSubscriber(app, listId, "Included.Person@example.com");
    const created = await posted("subscriber.created", "subscriber_id", id);
    assert.equal(created.body["data"].email, "Included.Person@example.com");

    const to = ["Included Ada <included.ada@example.com>", "included.bob@example.com"];
    const mail = await sendEmail(app, { to });
    await untilStatus(app, mail["id"], "sent");
    const sent = () =>
      receiver.received
        .filter(({ body }) => body["data"].email_id === mail["id"])
        .map(({ body }) => body["data"]);
    await until(() => sent().length === 2);
    assert.deepEqual(
      sent()
        .map(({ email }) => email)
        .toSorted(),
      ["included.ada@example.com", "included.bob@example.com"],
    );

    // It is suppressed by the address alone; a list knows whose it is.
    await app.api("POST", "/v1/suppressions", { body: { email: "included.person@example.com" } });
    const suppressed = await posted("subscriber.suppressed", "subscriber_id", id);
    assert.equal(suppressed.body["data"].email, "Included.Person@example.com");

    await app.api("DELETE", `/v1/subscribers/${id}`);
    const deleted = await posted("subscriber.deleted", "subscriber_id", id);
    assert.equal(deleted.body["data"].email, null);

    await settled(app);
    const kept = await app.db.many<{ row: string }>(sql`
      select e::text as row from events e where e::text ilike '%included%'
      union all select d::text || encode(coalesce(d.answer, ''), 'escape') from webhook_deliveries d
      where d::text || encode(coalesce(d.answer, ''), 'escape') ilike '%included%'`);
    assert.deepEqual(kept, []);
    receiver.answerWith(200);
    assert.ok(!/included\.(person|ada|bob)/i.test(app.logs.join("")), "an address is in the log");
    await remove(webhook);
  });

  it("has no address where the endpoint doesn't include it", async () => {
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["subscriber.created"] });
    const { id } = await addSubscriber(app, await makeList(app), "left.out@example.com");
    const { text } = await posted("subscriber.created", "subscriber_id", id);
    assert.ok(!text.includes("left.out"), text);
    await remove(webhook);
  });

  it("that is on its way when its endpoint is deleted leaves nothing behind", async () => {
    const slow = await receive();
    const release = slow.holdAnswers();
    const webhook = await makeWebhook(app, { url: slow.url, events: ["list.created"] });
    await makeList(app);
    await until(() => slow.received.length === 1);
    assert.equal((await remove(webhook)).status, 204);
    release();
    // What comes later goes to others, and the next look finds that the lease is gone.
    const other = await makeWebhook(app, { url: receiver.url, events: ["list.created"] });
    await posted("list.created", "list_id", await makeList(app));
    await app.db.transaction((tx) => notify(tx, WEBHOOKS_CHANGED));
    await until(async () => {
      const { left } = await app.db.one<{ left: number }>(
        sql`select count(*) as left from webhook_deliveries where webhook_id = ${uuidOf("whk", webhook["id"])}`,
      );
      return left === 0;
    });
    assert.equal(slow.received.length, 1);
    await remove(other);
  });
});

describe("types that are written on request", () => {
  /** Sends a mail, and returns the types of the events that tell of it. */
  async function typesOfMail(): Promise<string[]> {
    const { cursor } = await eventsSince(app);
    const { id } = await sendEmail(app);
    await untilStatus(app, id, "sent");
    const { events } = await eventsSince(app, cursor);
    return events.filter(({ data }) => data["email_id"] === id).map(({ type }) => type);
  }

  /** A process takes for granted for a second what an account wants of its transactional mail. */
  const untilTypes = (expected: readonly string[]) =>
    until(async () => isDeepStrictEqual(await typesOfMail(), expected));

  it("are written while an endpoint wants them", async () => {
    await untilTypes([]);
    const one = await makeWebhook(app, { url: receiver.url, events: ["email.*"] });
    await untilTypes(["email.queued", "email.sent"]);
    const other = await makeWebhook(app, { url: receiver.url, events: ["email.sent"] });
    await remove(one);
    await untilTypes(["email.sent"]);
    await app.api("PATCH", pathOf(other), { body: { status: "disabled" } });
    await untilTypes([]);
    await app.api("POST", `${pathOf(other)}/enable`);
    await untilTypes(["email.sent"]);
    await app.api("PATCH", pathOf(other), { body: { events: ["email.failed"] } });
    await untilTypes([]);
    await remove(other);
    const { kept } = await app.db.one<{ kept: number }>(sql`select count(*) as kept from kept_events`);
    assert.equal(kept, 0);
  });

  it("are opens and clicks, too", async () => {
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["email.*"] });
    const rows = await app.db.many<{ type: string }>(
      sql`select type from kept_events where owner = ${`webhook ${webhook["id"]}`} order by type`,
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ["email.clicked", "email.delivered", "email.opened", "email.queued", "email.sent"],
    );
    await remove(webhook);
  });
});

describe("an endpoint is disabled by itself, and its owners are told", () => {
  const mailTo = async (address: string) => {
    const page = await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(address)}`);
    const found = page.body.data.find(({ subject }: Json) => /^The webhook at /.test(subject));
    return found && (await app.api("GET", `/v1/sandbox/messages/${found.id}`)).text;
  };

  it("when it answers 410", async () => {
    const owner = await addPerson(app, "owner.gone@example.com", "owner");
    const quiet = await addPerson(app, "member.gone@example.com", "marketer");
    const gone = await receive();
    gone.answerWith(410);
    const webhook = await makeWebhook(app, { url: gone.url, events: ["list.created", "email.sent"] });
    const { cursor } = await eventsSince(app);
    await makeList(app);
    await until(async () => (await read(webhook))["status"] === "disabled");
    const shown = await read(webhook);
    assert.deepEqual([shown["disabled_reason"], shown["updated_by"]?.kind], ["gone", "system"]);
    assert.ok(shown["disabled_at"]);
    const { events } = await eventsSince(app, cursor);
    const told = events.filter(({ type }) => type === "webhook.disabled");
    assert.deepEqual(
      told.map(({ data }) => data),
      [{ webhook_id: webhook["id"], reason: "gone" }],
    );
    await until(async () => (await mailTo(owner.email)) !== undefined);
    const mail = String(await mailTo(owner.email));
    assert.ok(mail.includes("410") && mail.includes(`/webhooks/${webhook["id"]}`), mail);
    assert.equal(await mailTo(quiet.email), undefined);
    const { kept } = await app.db.one<{ kept: number }>(sql`select count(*) as kept from kept_events`);
    assert.equal(kept, 0);

    // Once it is enabled it goes on where it stopped.
    gone.answerWith(200);
    const count = gone.received.length;
    assert.equal((await app.api("POST", `${pathOf(webhook)}/enable`)).status, 200);
    await until(() => gone.received.length > count);
    assert.equal(gone.received.at(-1)?.text, gone.received[0]?.text);
    await remove(webhook);
  });

  it("when nothing could be delivered for five days", async () => {
    const failing = await receive();
    failing.answerWith(500);
    const webhook = await makeWebhook(app, { url: failing.url, events: ["list.created"] });
    const id = uuidOf("whk", webhook["id"]);
    const failSince = (time: string) =>
      app.db.transaction(async (tx) => {
        await tx.execute(
          sql`update webhooks set failing_since = now() - ${time}::interval, version = version + 1 where id = ${id}`,
        );
        await notify(tx, WEBHOOKS_CHANGED);
      });
    await failSince("119 hours");
    await makeList(app);
    await until(() => failing.received.length === 1);
    assert.equal((await read(webhook))["status"], "enabled");
    await failSince("121 hours");
    await makeList(app);
    await until(async () => (await read(webhook))["status"] === "disabled");
    assert.equal((await read(webhook))["disabled_reason"], "failing");
    const owner = "owner.gone@example.com";
    await until(async () => /five days/.test(String(await mailTo(owner))));
    await remove(webhook);
  });
});
