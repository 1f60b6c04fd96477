/** SECRET_KEY is rotated while people wait at steps and mail of theirs is queued: all of it goes on, and links in mail sent before still work. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import PostalMime from "postal-mime";
import { Webhook } from "standardwebhooks";
import { resealStepSecrets } from "../../src/automations/automations.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertBalanced, runsOf } from "../support/automations.ts";
import { cloneDatabase } from "../support/database.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { type Receiver, startReceiver } from "../support/webhooks.ts";

const BEFORE = "the secret key of before with 32 letters and more";
const NOW = "the secret key of now with 32 letters and more";
const ADA = "ada@example.com";
const BOB = "bob@example.com";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let receiver: Receiver;
let app: TestApp;
before(async () => {
  database = await cloneDatabase();
  receiver = await startReceiver();
});
after(async () => {
  await app.stop();
  await receiver.close();
  await database.drop();
});

/** Starts the service with these keys, in place of the one that runs. */
async function restart(keys: string, roles = "api,public,jobs,sender"): Promise<void> {
  await app?.stop();
  const settings = { SECRET_KEY: keys, ROLES: roles, INTERNAL_HOSTS: "127.0.0.1" };
  app = await createApp({ databaseUrl: database.url, settings });
}

/** Starts an automation with two mails, a day between them, and a post that is signed. */
async function start(listId: string): Promise<{ id: string; secret: string }> {
  const html =
    '<p><a href="https://example.com/shop">Shop</a>, <a href="{{ unsubscribe_url }}">leave</a></p>';
  const draft = {
    format: 1,
    start: "hello",
    entry: { on: [{ type: "list_joined" }] },
    nodes: {
      hello: { type: "email", subject: "Hello", html, next: "pause" },
      pause: { type: "wait", for: "P1D", next: "again" },
      again: { type: "email", subject: "Again", html, next: "hook" },
      hook: { type: "webhook", url: receiver.url, next: "end" },
      end: { type: "end" },
    },
  };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Hello", list_id: listId, draft } });
  const path = `/v1/automations/${made.body.id}`;
  assert.equal((await app.api("POST", `${path}/start`)).status, 200);
  const { secret } = (await app.api("POST", `${path}/rotate_webhook_secret`)).body;
  return { id: uuidOf("aut", made.body.id), secret };
}

async function mailsTo(email: string) {
  const rows = await app.db.many<{ raw: Buffer }>(
    sql`select raw from sandbox_messages where envelope_to = ${email} order by id`,
  );
  return Promise.all(rows.map(({ raw }) => PostalMime.parse(raw)));
}
const subjectsTo = async (email: string) => (await mailsTo(email)).map(({ subject }) => subject);

/** Lets the day go by that somebody waits for. */
const passDay = (id: string, personId: string) =>
  app.db.execute(sql`
    update automation_runs set arrived_at = arrived_at - interval '1 day', due_at = due_at - interval '1 day'
    where automation_id = ${id} and subscriber_id = ${personId} and node = 'pause'`);
const secretOf = async (id: string) =>
  (
    await app.db.one<{ sealed: Buffer }>(
      sql`select webhook_secret as sealed from automations where id = ${id}`,
    )
  ).sealed;

it("people who wait go on, mail that is queued leaves, and links of before work under the new key alone", async () => {
  await restart(BEFORE);
  const listId = await makeList(app);
  const { id, secret } = await start(listId);
  const join = async (email: string) =>
    uuidOf("sub", String((await addSubscriber(app, listId, email))["id"]));
  const ada = await join(ADA);
  await until(async () => (await subjectsTo(ADA)).length === 1);
  const sealed = await secretOf(id);
  // Nobody sends, so the mail waits.
  await restart(BEFORE, "api,jobs");
  const bob = await join(BOB);
  await until(async () => (await runsOf(app, id)).every(({ node }) => node === "pause"));
  assert.deepEqual(await subjectsTo(BOB), []);

  await restart(`${NOW},${BEFORE}`);
  await until(async () => (await subjectsTo(BOB)).length === 1);
  await passDay(id, ada);
  await until(() => receiver.received.length === 1);
  await until(async () => (await subjectsTo(ADA)).length === 2);
  // The service does so within the hour.
  await resealStepSecrets(app.db, createSecrets([NOW, BEFORE]));
  assert.ok(!(await secretOf(id)).equals(sealed));

  await restart(NOW);
  await passDay(id, bob);
  await until(() => receiver.received.length === 2);
  await until(async () => (await subjectsTo(BOB)).length === 2);
  for (const post of receiver.received)
    new Webhook(secret).verify(post.text, post.headers as Record<string, string>);
  await until(async () => (await runsOf(app, id)).every(({ state }) => state === "completed"));
  await assertBalanced(app, id);
  for (const email of [ADA, BOB]) assert.deepEqual(await subjectsTo(email), ["Hello", "Again"]);

  const [mail] = await mailsTo(ADA);
  const pathOf = (kind: string) =>
    new RegExp(`href="[^"]*(/${kind}/[^"]+)"`).exec(mail?.html ?? "")?.[1] ?? "";
  const clicked = await fetch(`${app.baseUrl}${pathOf("c")}`, { redirect: "manual" });
  assert.equal(clicked.headers.get("location"), "https://example.com/shop");
  const left = await fetch(`${app.baseUrl}${pathOf("u")}`, {
    method: "POST",
    body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
  });
  assert.equal(left.status, 200);
  const { status } = await app.db.one<{ status: string }>(
    sql`select status from subscribers where id = ${ada}`,
  );
  assert.equal(status, "unsubscribed");
});
