import assert from "node:assert/strict";
import { openAlert } from "../../src/alerts/alerts.ts";
import { insertPlan } from "../../src/billing/plans/plan-store.ts";
import { putSubscription } from "../../src/billing/subscriptions/subscriptions.ts";
import { insertTest } from "../../src/deliverability/mail-tests/store.ts";
import { sendTestMessages } from "../../src/delivery/delivery.ts";
import { insertReview } from "../../src/delivery/sources/review-store.ts";
import { storeInbound } from "../../src/inbound/intake/store-inbound.ts";
import { openStorm } from "../../src/inbound/storms/storm-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId, newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { insertDeliveries } from "../../src/webhooks/delivering/delivery-store.ts";
import { TEST_SECRET_KEY, type TestApp } from "./app.ts";
import { addPerson } from "./people.ts";
import { formOf, SMALL_GIF } from "./routes.ts";
import { addApp } from "./second-factors.ts";

type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ id: string; data: { id: string }[] }>;

let count = 0;
const unique = () => `fixture${++count}`;
const SPACER = { version: 1, blocks: [{ id: "b1", type: "spacer", height: 24 }] };

/** Each function creates an object of its kind through the API. A new kind of id in a path needs an entry here. */
const makers: Readonly<Record<string, (send: Send) => Promise<string>>> = {
  key: async (send) => (await send("POST", "/v1/api_keys", { name: unique(), scopes: ["account:read"] })).id,
  inv: async (send) => (await send("POST", "/v1/invitations", { email: `${unique()}@example.com` })).id,
  evt: async (send) => (await send("GET", "/v1/events?limit=1")).data[0]?.id ?? "",
  lst: async (send) => {
    const { id } = await send("POST", "/v1/lists", { name: unique() });
    await send("PUT", `/v1/lists/${id}/sunset`, { days: 365, mails: 12 });
    return id;
  },
  sub: async (send) => {
    const list_id = await make("lst", send);
    return (await send("POST", "/v1/subscribers", { email: `${unique()}@example.com`, list_id })).id;
  },
  fld: async (send) => (await send("POST", "/v1/fields", { key: unique(), name: unique(), type: "text" })).id,
  top: async (send) => (await send("POST", "/v1/topics", { name: unique() })).id,
  seg: async (send) => {
    const rules = { all: [{ field: "status", op: "is", value: "active" }] };
    return (await send("POST", "/v1/segments", { name: unique(), rules })).id;
  },
  imp: async (send) => {
    const { body, headers } = formOf({ list_id: await make("lst", send) }, "email\nada@example.com\n");
    return (await send("POST", "/v1/imports", body, headers)).id;
  },
  blk: async (send) => {
    const ids = [await make("sub", send)];
    return (await send("POST", "/v1/bulk_changes", { ids, action: { type: "add_tags", tags: [unique()] } }))
      .id;
  },
  exp: async (send) => (await send("POST", "/v1/exports", { list_id: await make("lst", send) })).id,
  cmp: async (send) => {
    const list_id = await make("lst", send);
    const body = { name: unique(), list_id, subject: "News", html: "<p>News</p>" };
    return (await send("POST", "/v1/campaigns", body)).id;
  },
  dom: async (send) => (await send("POST", "/v1/domains", { name: `${unique()}.example` })).id,
  // A test of this host is refused at once, whatever the network is.
  trn: async (send) => {
    const { id } = await send("POST", "/v1/transports", { name: unique(), host: "localhost" });
    await send("PUT", `/v1/transports/${id}/warmup`, {
      start_per_day: 200,
      growth: 1.5,
      target_per_day: 5_000,
    });
    return id;
  },
  mbx: async (send) => {
    const signIn = { username: "bounces", password: "secret words" };
    return (await send("POST", "/v1/inbound/mailboxes", { name: unique(), host: "localhost", ...signIn })).id;
  },
  iep: async (send) => (await send("POST", "/v1/inbound/endpoints", { provider: "ses" })).id,
  fil: async (send) => {
    const { body, headers } = formOf(undefined, SMALL_GIF);
    return (await send("POST", "/v1/files", body, headers)).id;
  },
  frm: async (send) =>
    (await send("POST", "/v1/forms", { name: unique(), list_id: await make("lst", send) })).id,
  tpl: async (send) => {
    const { id } = await send("POST", "/v1/templates", {
      name: unique(),
      subject: "Hello",
      html: "<p>Hello</p>",
    });
    await send("POST", `/v1/templates/${id}/publish`);
    return id;
  },
  aut: async (send) => {
    const { id } = await send("POST", "/v1/automations", {
      name: unique(),
      list_id: await make("lst", send),
    });
    await send("POST", `/v1/automations/${id}/publish`, {});
    return id;
  },
  sec: async (send) => (await send("POST", "/v1/sections", { name: unique(), blocks: SPACER })).id,
  // No such name is ever found, so nothing that is posted to it leaves.
  whk: async (send) =>
    (await send("POST", "/v1/webhooks", { url: "https://hooks.invalid/", events: ["campaign.sent"] })).id,
  sup: async (send) => (await send("POST", "/v1/suppressions", { email: `${unique()}@example.com` })).id,
};

/** Ids in a path that belong together are made together. */
export async function makeFixtures(
  app: TestApp,
  key: string,
  prefixes: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const made = new Map<string, string>();
  for (const [name, prefix] of prefixes) made.set(name, await makeFixture(app, key, prefix));
  const campaignId = made.get("id");
  if (prefixes.has("segment_id") && campaignId?.startsWith("cmp_")) {
    const body = { name: unique(), event: "sent" };
    const reply = await app.api("POST", `/v1/campaigns/${campaignId}/recipients/segments`, { key, body });
    assert.equal(reply.status, 202, reply.text);
    made.set("segment_id", reply.body.segment_id);
  }
  const webhookId = made.get("id");
  if (prefixes.has("delivery_id") && webhookId?.startsWith("whk_")) {
    made.set("delivery_id", await postedTo(app, key, webhookId));
  }
  if (prefixes.has("enrollment_id")) {
    const enrollment = await enroll(app, key);
    made.set("id", enrollment.automation_id).set("enrollment_id", enrollment.id);
  }
  return made;
}

function make(prefix: string, send: Send): Promise<string> {
  const maker = makers[prefix];
  assert.ok(maker, `test/support/fixtures.ts has no maker for ${prefix}_ ids: add one`);
  return maker(send);
}

/** Creates an object of that kind in the account of `key` and returns its id. */
export function makeFixture(app: TestApp, key: string, prefix: string): Promise<string> {
  if (prefix === "msg") return catchMessage(app, key);
  if (prefix === "inb") return storeBounce(app, key);
  if (prefix === "alr") return raiseAlert(app, key);
  if (prefix === "stm") return beginStorm(app, key);
  if (prefix === "whd") return makeFixture(app, key, "whk").then((id) => postedTo(app, key, id));
  if (prefix === "rev") return makeFixture(app, key, "cmp").then((id) => askForReview(app, key, id));
  if (prefix === "pln") return storePlan(app);
  if (prefix === "sta") return openStatement(app, key);
  if (prefix === "mtt") return storeMailTest(app, key);
  if (prefix === "acc") return app.api("GET", "/v1/account", { key }).then(({ body }) => body.id);
  if (prefix === "ses") return openSession(app);
  if (prefix === "run") return standInAutomation(app, key);
  if (prefix === "enr") return enroll(app, key).then(({ id }) => id);
  if (prefix === "usr")
    return addPerson(app, `${unique()}@example.com`, "marketer", key).then(({ id }) => id);
  if (prefix === "fac") return addFactor(app);
  return make(prefix, async (method, path, body, headers = {}) => {
    const reply = await app.api(method, path, { key, headers, ...(body !== undefined && { body }) });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  });
}

/** Puts everybody of an empty list into an automation. */
async function enroll(app: TestApp, key: string): Promise<{ id: string; automation_id: string }> {
  const ask = async (path: string, body?: unknown) => {
    const reply = await app.api("POST", path, { key, ...(body !== undefined && { body }) });
    assert.ok(reply.status < 300, `${path}: ${reply.text}`);
    return reply.body;
  };
  const draft = {
    format: 1,
    start: "end",
    entry: { on: [{ type: "manual" }] },
    nodes: { end: { type: "end" } },
  };
  const list_id = await makeFixture(app, key, "lst");
  const { id } = await ask("/v1/automations", { name: unique(), list_id, draft });
  await ask(`/v1/automations/${id}/start`);
  return ask(`/v1/automations/${id}/enrollments`, { everyone: true });
}

/** Puts somebody onto the first step of an automation that is paused, so that nobody leads them on. */
async function standInAutomation(app: TestApp, key: string): Promise<string> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await app.api(method, path, { key, ...(body !== undefined && { body }) });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  };
  const list = await makeFixture(app, key, "lst");
  const nodes = { wait: { type: "wait", for: "P3D", next: "end" }, end: { type: "end" } };
  const draft = { format: 1, start: "wait", entry: { on: [{ type: "manual" }] }, nodes };
  const automation = await ask("POST", "/v1/automations", { name: unique(), list_id: list, draft });
  for (const action of ["start", "pause"]) await ask("POST", `/v1/automations/${automation.id}/${action}`);
  const person = { email: `${unique()}@example.com`, list_id: list };
  const subscriber = await ask("POST", "/v1/subscribers", person);
  const account = await ask("GET", "/v1/account");
  const [accountId, automationId] = [fromPublicId("acc", account.id), fromPublicId("aut", automation.id)];
  const id = newId(systemClock);
  await app.db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
    values (${accountId}, ${automationId}, ${id}, ${fromPublicId("sub", subscriber.id)}, 1, 'wait', now(), now(), now() + interval '3 days')`);
  await app.db.execute(sql`
    insert into automation_counts (account_id, automation_id, node, what, shard, count)
    select ${accountId}, ${automationId}, node, 'entered', 0, 1 from unnest(array['', 'wait']) as node`);
  return toPublicId("run", id);
}

/** Opens a session of somebody new, who alone may see it. */
async function openSession(app: TestApp): Promise<string> {
  const { browser } = await addPerson(app, `${unique()}@example.com`);
  const { body } = await browser.send("GET", "/v1/sessions");
  return body.data[0].id;
}

/** Sets up an authenticator app of somebody new, who alone may see it. */
async function addFactor(app: TestApp): Promise<string> {
  const { browser } = await addPerson(app, `${unique()}@example.com`);
  return (await addApp(browser, new Date())).id;
}

/** Stores a bounce of a mail of nobody's, as it is stored when it comes. */
async function storeBounce(app: TestApp, key: string): Promise<string> {
  const { body } = await app.api("GET", "/v1/account", { key });
  const accountId = fromPublicId("acc", body.id) ?? "";
  const addressed = { kind: "bounce", sourceId: newId(systemClock), contactId: newId(systemClock) } as const;
  const raw = Buffer.from(`Subject: ${unique()}\r\n\r\nIt bounced.\r\n`);
  const tools = { secrets: createSecrets([TEST_SECRET_KEY]), clock: systemClock };
  const item = { accountId, channel: "smtp", channelId: null, provider: null, envelopeFrom: "" } as const;
  const [id] = await app.db.transaction((tx) => storeInbound(tx, tools, [{ ...item, addressed, raw }]));
  return toPublicId("inb", id ?? "");
}

/** Opens an alert, as whoever watches something does. */
async function raiseAlert(app: TestApp, key: string): Promise<string> {
  const { body } = await app.api("GET", "/v1/account", { key });
  const subject = `${unique()}.example`;
  const words = { title: `${subject} is gone`, detail: "It was there.", remedy: "Bring it back.", data: {} };
  const log = createLog({ level: "silent", pretty: false });
  await app.db.transaction((tx) => {
    const ctx = systemCtx({ clock: systemClock, log }, tx, fromPublicId("acc", body.id) ?? "");
    return openAlert(ctx, { kind: "domain_failing", subject, severity: "warning", ...words });
  });
  const { body: page } = await app.api("GET", "/v1/deliverability/alerts?limit=1", { key });
  return page.data[0].id;
}

/** Stores a delivery to the endpoint that was given up. Its event is one that the account has. */
async function postedTo(app: TestApp, key: string, webhookId: string): Promise<string> {
  const { body } = await app.api("GET", "/v1/account", { key });
  const accountId = fromPublicId("acc", body.id) ?? "";
  const { id: eventId } = await app.db.one<{ id: string }>(
    sql`select id from events where account_id = ${accountId} order by id desc limit 1`,
  );
  const id = newId(systemClock);
  await app.db.transaction((tx) =>
    insertDeliveries(tx, [
      {
        account_id: accountId,
        id,
        webhook_id: fromPublicId("whk", webhookId) ?? "",
        event_ids: [eventId],
        message_id: toPublicId("evt", eventId),
        type: "campaign.sent",
        origin: "log",
        state: "failed",
        attempts: [{ at: systemClock.now().toISOString(), duration_ms: 12, status: 500, failure: null }],
        next_attempt_at: null,
        answer: Buffer.from("Not now"),
      },
    ]),
  );
  return toPublicId("whd", id);
}

/** Stores a plan, which is no account's. */
async function storePlan(app: TestApp): Promise<string> {
  const [id, now] = [newId(systemClock), systemClock.now()];
  const terms = { name: unique(), price: 2_900, currency: "EUR", interval: "month", features: [] } as const;
  const limits = { included_mails: 1_000, daily_mails: null, contacts: null, members: null };
  const beyond = { at_limit: "stop", overage_per_1000: null, transactional_reserve: 0 } as const;
  const row = { id, ...terms, ...limits, ...beyond, trial_days: 0, stripe_price_id: null, is_default: false };
  await app.db.transaction((tx) =>
    insertPlan(tx, { ...row, created_at: now, updated_at: now, archived_at: null }),
  );
  return toPublicId("pln", id);
}

/** Gives the account a plan, and returns the statement of the period that begins. */
async function openStatement(app: TestApp, key: string): Promise<string> {
  const { body: account } = await app.api("GET", "/v1/account", { key });
  const plan = await storePlan(app);
  const log = createLog({ level: "silent", pretty: false });
  await app.db.transaction((tx) => {
    const ctx = systemCtx({ clock: systemClock, log }, tx, fromPublicId("acc", account.id) ?? "");
    return putSubscription(ctx, { plan_id: plan }, undefined);
  });
  const { body } = await app.api("GET", "/v1/usage/statements?limit=1", { key });
  return body.data[0].id;
}

/** Stores a mail test whose mail never left. */
async function storeMailTest(app: TestApp, key: string): Promise<string> {
  const { body } = await app.api("GET", "/v1/account", { key });
  const id = newId(systemClock);
  const now = systemClock.now();
  await app.db.transaction((tx) =>
    insertTest(tx, {
      account_id: fromPublicId("acc", body.id) ?? "",
      id,
      campaign_id: newId(systemClock),
      campaign_name: unique(),
      subject: "News",
      from_address: "news@example.org",
      transport_id: null,
      transport_name: "relay.example.org",
      proofs: [],
      checks: [],
      created_at: now,
      expires_at: now,
    }),
  );
  return toPublicId("mtt", id);
}

/** Opens a storm that holds nothing. */
async function askForReview(app: TestApp, key: string, campaignId: string): Promise<string> {
  const { body } = await app.api("GET", "/v1/account", { key });
  const id = newId(systemClock);
  await app.db.transaction((tx) =>
    insertReview(tx, {
      account_id: fromPublicId("acc", body.id) ?? "",
      id,
      owner_id: fromPublicId("cmp", campaignId) ?? "",
      created_at: systemClock.now(),
    }),
  );
  return toPublicId("rev", id);
}

async function beginStorm(app: TestApp, key: string): Promise<string> {
  const { body } = await app.api("GET", "/v1/account", { key });
  const id = newId(systemClock);
  const storm = { id, domain: `${unique()}.example`, hard: 20, mails: 40, usual_share: 0.01 };
  await app.db.transaction((tx) =>
    openStorm(tx, fromPublicId("acc", body.id) ?? "", { ...storm, created_at: systemClock.now() }),
  );
  return toPublicId("stm", id);
}

/** Schedules a mail, and puts a message into the sandbox that has the same id: both kinds of message have ids of this prefix. */
async function catchMessage(app: TestApp, key: string): Promise<string> {
  const { body } = await app.api("GET", "/v1/account", { key });
  const accountId = fromPublicId("acc", body.id) ?? "";
  const log = createLog({ level: "silent", pretty: false });
  const message = Buffer.from(
    "From: news@example.org\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\nHello\r\n",
  );
  const to = `${unique()}@example.com`;
  await app.db.transaction((tx) =>
    sendTestMessages(
      { sql: tx, accountId, actor: { kind: "system", id: null }, clock: systemClock, log },
      [{ to, from: "news@example.org", message }],
      { stream: "campaign", hasRelay: false, isSandbox: true },
    ),
  );
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const mail = { from: "news@example.org", to: [to], subject: "Hello", text: "Hello", send_at };
  const scheduled = await app.api("POST", "/v1/emails", { key, body: mail });
  const id = fromPublicId("msg", scheduled.body.id) ?? "";
  await app.db.execute(sql`update sandbox_messages set id = ${id} where envelope_to = ${to}`);
  return scheduled.body.id;
}
