/**
 * These tests hold for every POST route, also for those that are added later: under one idempotency key it has one
 * effect, in the database and outside it, when it is repeated and when it runs at once. Only the `api` role runs, so
 * that nothing else changes.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { raw } from "sql-template-tag";
import { sql } from "../../src/platform/db/db.ts";
import type { Route } from "../../src/platform/http/route.ts";
import { createApp, type Reply, type RequestOptions, type TestApp } from "../support/app.ts";
import { declaredRows } from "../support/audit.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { campaignThatIs, inAnHour, makeAudience } from "../support/campaigns.ts";
import { recentReport } from "../support/dmarc.ts";
import { addDomain } from "../support/domains.ts";
import { addChangingPerson } from "../support/email-changes.ts";
import { makeFixture, makeFixtures } from "../support/fixtures.ts";
import { addPerson, type Browser, cookieOf, PASSWORD, setToken } from "../support/people.ts";
import { freePort } from "../support/ports.ts";
import { allRoutes, bodyFor, exampleOf, fillPath, formOf, idsIn } from "../support/routes.ts";
import { addApp, appWith } from "../support/second-factors.ts";
import { type Relay, relayUser, startRelay } from "../support/smtp/relay.ts";
import { act, addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";

/** Passkeys need a host name. */
let host: string;
let app: TestApp;
let relay: Relay;
let audience: string;
before(async () => {
  relay = await startRelay();
  const port = String(await freePort());
  host = `http://localhost:${port}`;
  const inbound = { INBOUND_DOMAIN: "bounces.example.net", INBOUND_PORT: "0" };
  app = await createApp({
    settings: { ROLES: "api", INTERNAL_HOSTS: "127.0.0.1", BASE_URL: host, PORT: port, ...inbound },
  });
  audience = await makeAudience(app);
});
after(async () => {
  await app.stop();
  await relay.close();
});

let count = 0;
const unique = () => `once${++count}`;

/** A request that is prepared so that it will succeed. */
type Ready = {
  id?: string;
  /** The other ids of the path, by their names. */
  others?: ReadonlyMap<string, string>;
  body?: unknown;
  browser?: Browser;
  /** A key of another account. */
  key?: string;
  /** What is uploaded. */
  file?: string;
};

const campaign = (state: string, body?: unknown) => async (): Promise<Ready> => ({
  id: await campaignThatIs(app, audience, state),
  body,
});
const subscriber = async (list: object = {}) =>
  addSubscriber(app, await makeList(app, list), `${unique()}@example.com`);

/** The first mail of a day opens a wave, which the others share. */
async function mailOfOpenWave() {
  const body = { from: "us@example.com", to: ["ada@example.com"], subject: unique(), text: "Hello" };
  assert.equal((await app.api("POST", "/v1/emails", { body })).status, 202);
  return body;
}

/** Prepares routes for which an example of the schema and a new object of the kind in the path are not enough. */
const readied: Readonly<Record<string, () => Promise<Ready>>> = {
  "/v1/invitations": async () => ({ body: { email: `${unique()}@example.com` } }),
  "/v1/session/password": async () => ({
    browser: (await addPerson(app, `${unique()}@example.com`)).browser,
    body: { current_password: PASSWORD, new_password: "sturdy mule charger clip" },
  }),
  "/v1/account/deletion": async () => {
    const { key } = await app.addAccount();
    const { browser } = await addPerson(app, `${unique()}@example.com`, "owner", key);
    return { browser, body: { name: "Another" } };
  },
  "/v1/session/confirm": async () => ({
    browser: (await addPerson(app, `${unique()}@example.com`)).browser,
    body: { password: PASSWORD },
  }),
  "/v1/factors": async () => ({
    browser: (await addPerson(app, `${unique()}@example.com`)).browser,
    body: { type: "totp" },
  }),
  "/v1/factors/:id/activate": async () => {
    const { browser } = await addPerson(app, `${unique()}@example.com`);
    const { body } = await browser.send("POST", "/v1/factors", { type: "totp" });
    return { browser, id: body.id, body: { code: appWith(body.secret)(new Date()) } };
  },
  "/v1/recovery_codes": async () => {
    const { browser } = await addPerson(app, `${unique()}@example.com`);
    await addApp(browser, new Date());
    return { browser };
  },
  "/v1/session/confirm/passkey_options": async () => ({
    browser: (await addPerson(app, `${unique()}@example.com`)).browser,
  }),
  "/v1/factors/passkey_options": async () => ({
    browser: (await addPerson(app, `${unique()}@example.com`)).browser,
  }),
  "/v1/factors/passkeys": async () => {
    const { browser } = await addPerson(app, `${unique()}@example.com`);
    const { body } = await browser.send("POST", "/v1/factors/passkey_options");
    return { browser, body: { passkey: createAuthenticator(host).create(body.public_key) } };
  },
  "/v1/email_changes/redeem": async () => {
    const { person, token } = await addChangingPerson(app, `${unique()}@example.com`);
    return { browser: person.browser, body: { token } };
  },
  "/v1/subscribers": async () => ({ body: { email: `${unique()}@example.com`, list_id: audience } }),
  "/v1/track": async () => ({
    body: { subscriber_id: await makeFixture(app, app.key, "sub"), name: "seen" },
  }),
  "/v1/track/batch": async () => ({
    body: { events: [{ subscriber_id: await makeFixture(app, app.key, "sub"), name: "seen" }] },
  }),
  "/v1/subscribers/batch": async () => ({
    body: { subscribers: [{ email: `${unique()}@example.com`, list_id: audience }] },
  }),
  "/v1/subscribers/:id/resubscribe": async () => {
    const { id } = await subscriber();
    assert.equal((await act(app, id, "unsubscribe")).status, 200);
    return { id, body: { consent: { attested: true, source: "telephone" } } };
  },
  "/v1/subscribers/:id/resend_confirmation": async () => {
    const { id } = await subscriber({ double_opt_in: true });
    await app.db.execute(sql`
      update confirmations set requested_at = requested_at - interval '1 hour' where subscriber_id = ${uuidOf("sub", id)}`);
    return { id };
  },
  "/v1/subscribers/:id/tags": async () => ({ id: (await subscriber())["id"], body: { add: [unique()] } }),
  "/v1/fields": async () => ({ body: { key: unique(), name: unique(), type: "text" } }),
  "/v1/segments": async () => ({
    body: { name: unique(), rules: { all: [{ field: "status", op: "is", value: "active" }] } },
  }),
  "/v1/emails": async () => ({ body: await mailOfOpenWave() }),
  "/v1/emails/batch": async () => ({ body: { emails: [await mailOfOpenWave(), await mailOfOpenWave()] } }),
  "/v1/templates": async () => ({ body: { name: unique(), subject: "Hello", html: "<p>Hello</p>" } }),
  "/v1/sections": async () => ({
    body: { name: unique(), blocks: { version: 1, blocks: [{ id: "b1", type: "spacer", height: 24 }] } },
  }),
  "/v1/templates/:id/publish": async () => {
    const id = await makeFixture(app, app.key, "tpl");
    assert.equal(
      (await app.api("PATCH", `/v1/templates/${id}`, { body: { subject: unique() } })).status,
      200,
    );
    return { id };
  },
  "/v1/templates/:id/versions/:number/restore": async () => {
    const id = await makeFixture(app, app.key, "tpl");
    assert.equal(
      (await app.api("PATCH", `/v1/templates/${id}`, { body: { subject: unique() } })).status,
      200,
    );
    return { id };
  },
  "/v1/automations": async () => ({ body: { name: unique(), list_id: audience } }),
  "/v1/forms": async () => ({ body: { name: unique(), list_id: audience } }),
  "/v1/suppressions": async () => ({ body: { email: `${unique()}@example.com` } }),
  "/v1/imports/preview": async () => ({ body: {} }),
  "/v1/imports": async () => ({ body: { list_id: audience } }),
  "/v1/imports/:id/undo": async () => {
    const id = await makeFixture(app, app.key, "imp");
    await app.db.execute(
      sql`update imports set status = 'completed', finished_at = now() where id = ${uuidOf("imp", id)}`,
    );
    return { id };
  },
  "/v1/bulk_changes": async () => ({
    body: { ids: [(await subscriber())["id"]], action: { type: "add_tags", tags: [unique()] } },
  }),
  "/v1/bulk_changes/:id/undo": async () => {
    const id = await makeFixture(app, app.key, "blk");
    await app.db.execute(sql`
      update bulk_changes set status = 'completed', changed = 1, finished_at = now() where id = ${uuidOf("blk", id)}`);
    return { id };
  },
  "/v1/exports": async () => ({ body: { list_id: audience } }),
  "/v1/transports": async () => ({ body: { name: unique(), host: "smtp.example.com" } }),
  "/v1/transports/:id/test": async () => {
    const reached = { host: "127.0.0.1", port: relay.port, verify_certificate: false, ...relayUser };
    const made = await app.api("POST", "/v1/transports", { body: { name: unique(), ...reached } });
    return { id: made.body.id, body: { to: "ada@example.com", from: "news@example.org" } };
  },
  "/v1/domains": async () => ({ body: { name: `${unique()}.example` } }),
  "/v1/domains/:id/rotate_key": async () => {
    const id = await makeFixture(app, app.key, "dom");
    await app.db.execute(sql`update domain_keys set seen_at = now() where domain_id = ${uuidOf("dom", id)}`);
    return { id };
  },
  "/v1/deliverability/blocklists/check": async () => {
    await app.db.execute(sql`delete from blocklist_checks`);
    await app.db.execute(sql`delete from graphile_worker._private_jobs`);
    return {};
  },
  "/v1/deliverability/reports": async () => {
    const domain = `${unique()}.example`;
    await addDomain(app.db, uuidOf("acc", app.accountId), { name: domain });
    // The job that names sources is one for the account, and it may wait already.
    await app.db.execute(sql`delete from graphile_worker._private_jobs`);
    return { file: recentReport({ domain, reportId: domain }) };
  },
  // From an account with a server of its own mail leaves, and from others it goes into the sandbox.
  "/v1/deliverability/tests": async () => {
    const { key } = await app.addAccount();
    const made = async (path: string, body: unknown) => (await app.api("POST", path, { key, body })).body.id;
    const list_id = await made("/v1/lists", { name: unique(), postal_address: "1 High Street, London" });
    const reached = { host: "127.0.0.1", port: relay.port, verify_certificate: false, ...relayUser };
    assert.ok(await made("/v1/transports", { name: unique(), streams: ["campaign"], ...reached }));
    const mail = { subject: "News", html: "<p>News</p>", from_email: "news@example.org" };
    return { key, body: { campaign_id: await made("/v1/campaigns", { name: unique(), list_id, ...mail }) } };
  },
  "/v1/webhooks": async () => {
    await app.db.execute(sql`delete from webhooks`);
    return { body: { url: "https://hooks.invalid/", events: ["campaign.sent"] } };
  },
  "/v1/webhooks/:id/enable": async () => {
    const id = await makeFixture(app, app.key, "whk");
    const body = { status: "disabled" };
    assert.equal((await app.api("PATCH", `/v1/webhooks/${id}`, { body })).status, 200);
    return { id };
  },
  "/v1/webhooks/:id/deliveries/:delivery_id/retry": async () => {
    const prefixes = new Map([
      ["id", "whk"],
      ["delivery_id", "whd"],
    ]);
    return { others: await makeFixtures(app, app.key, prefixes) };
  },
  "/v1/campaigns": async () => ({
    body: { name: unique(), list_id: audience, subject: "News", html: "<p>News</p>" },
  }),
  "/v1/campaigns/:id/versions/:number/restore": async () => {
    const id = await campaignThatIs(app, audience, "draft");
    const { browser } = await addPerson(app, `${unique()}@example.com`);
    const changed = await browser.send("PATCH", `/v1/campaigns/${id}`, { subject: "By somebody else" });
    assert.equal(changed.status, 200, changed.text);
    return { id };
  },
  // The contacts of the made-up people stay for ever, so they are there before each time alike.
  "/v1/sample_data": async () => {
    for (const method of ["POST", "DELETE"]) await app.api(method, "/v1/sample_data");
    return {};
  },
  "/v1/automations/:id/publish": async () => {
    const id = await makeFixture(app, app.key, "aut");
    const draft = {
      format: 1,
      start: "end",
      entry: { on: [{ type: "manual" }] },
      nodes: { end: { type: "end" } },
    };
    assert.equal((await app.api("PATCH", `/v1/automations/${id}`, { body: { draft } })).status, 200);
    return { id };
  },
  "/v1/automations/:id/pause": automation("start"),
  "/v1/automations/:id/resume": automation("start", "pause"),
  "/v1/automations/:id/drain": automation("start"),
  "/v1/automations/:id/cancel": automation("start"),
  "/v1/automations/:id/enrollments": async () => {
    const made = await enrolled();
    return { id: made.get("id") ?? "", body: { everyone: true } };
  },
  "/v1/automations/:id/enrollments/:enrollment_id/cancel": async () => ({ others: await enrolled() }),
  "/v1/automations/:id/test": async () => {
    const mail = { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "end" };
    const nodes = { mail, end: { type: "end" } };
    const draft = { format: 1, start: "mail", entry: { on: [{ type: "manual" }] }, nodes };
    const body = { name: unique(), list_id: audience, draft };
    const { id } = (await app.api("POST", "/v1/automations", { body })).body;
    return { id, body: { to: ["ada@example.com"] } };
  },
  "/v1/campaigns/:id/send": campaign("draft"),
  "/v1/campaigns/:id/schedule": async () => campaign("draft", { send_at: inAnHour() })(),
  "/v1/campaigns/:id/unschedule": campaign("scheduled"),
  "/v1/campaigns/:id/pause": campaign("sending"),
  "/v1/campaigns/:id/resume": campaign("paused, from sending"),
  "/v1/campaigns/:id/cancel": campaign("sending"),
  "/v1/campaigns/:id/recipients/segments": async () => campaign("draft", { name: unique(), event: "sent" })(),
  "/v1/campaigns/:id/resend": campaign("sent"),
  "/v1/campaigns/:id/test": campaign("draft", { to: ["ada@example.com"] }),
};

/** An automation with an enrollment that waits for its job. */
function enrolled(): Promise<Map<string, string>> {
  const prefixes = new Map([
    ["id", "aut"],
    ["enrollment_id", "enr"],
  ]);
  return makeFixtures(app, app.key, prefixes);
}

/** An automation that these actions were done to. */
function automation(...actions: readonly string[]): () => Promise<Ready> {
  return async () => {
    const id = await makeFixture(app, app.key, "aut");
    for (const action of actions) {
      const done = await app.api("POST", `/v1/automations/${id}/${action}`);
      assert.equal(done.status, 200, done.text);
    }
    return { id };
  };
}

async function readyFor(route: Route): Promise<Ready> {
  const ready = await readied[route.path]?.();
  if (ready) return ready;
  const [param] = idsIn(route.params);
  const body = exampleOf(route);
  return { body, ...(param && { id: await makeFixture(app, app.key, param[1]) }) };
}

function sender(route: Route, ready: Ready, idempotencyKey: string): () => Promise<Reply> {
  const path = fillPath(route, (name) => ready.others?.get(name) ?? ready.id ?? "");
  const { body, headers } =
    ready.file === undefined ? bodyFor(route, ready.body) : formOf(undefined, ready.file);
  const key = { "idempotency-key": idempotencyKey };
  return () => {
    const person = ready.browser && { origin: app.baseUrl, cookie: cookieOf(ready.browser.token) };
    const options: RequestOptions = { body, headers: { ...headers, ...key, ...person } };
    const as = person ? { key: null } : ready.key !== undefined ? { key: ready.key } : {};
    return app.api(route.method, path, { ...options, ...as });
  };
}

/**
 * Returns every table of ours and the queue of jobs, except those that keep answers for idempotency keys or only
 * record uses.
 */
async function tables(): Promise<string[]> {
  const rows = await app.db.many<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ('idempotency_answers', 'workers')
      and (n.nspname = 'public' or c.relname = '_private_jobs')`);
  return rows.map(({ name }) => name);
}

type Snapshot = { rows: Record<string, string>; counts: Record<string, number>; mails: number };

async function look(): Promise<Snapshot> {
  const parts = (await tables()).map(
    (
      name,
    ) => `select '${name}' as name, count(*)::int as count, md5(coalesce(string_agg(row, '' order by row), '')) as hash
      from (select (to_jsonb(t) - 'last_used_at')::text as row from ${name} t) as r`,
  );
  const found = await app.db.many<{ name: string; count: number; hash: string }>(
    raw(parts.join(" union all ")),
  );
  return {
    rows: Object.fromEntries(found.map(({ name, hash }) => [name, hash])),
    counts: Object.fromEntries(found.map(({ name, count }) => [name, count])),
    mails: relay.received.length,
  };
}

/** Rows of these tables are shared, so whether one is added is chance: a list's counts, an account's, the attempts of a network. */
const SHARED = new Set([
  "public.list_counts",
  "public.list_growth",
  "public.file_totals",
  "public.guesses",
  "public.dmarc_sources",
  "public.automation_feeds",
]);

/** Returns by how many rows each table has grown. */
function grown(from: Snapshot, to: Snapshot): Record<string, number> {
  const tablesGrown = Object.entries(to.counts)
    .filter(([name]) => !SHARED.has(name))
    .map(([name, now]) => [name, now - (from.counts[name] ?? 0)] as [string, number])
    .filter(([, by]) => by !== 0);
  return { ...Object.fromEntries(tablesGrown), mails: to.mails - from.mails };
}

/** These give the session another token at once, so other requests may come too late for the one before. */
const RENEWING = new Set(["/v1/session/password", "/v1/email_changes/redeem"]);

const isReplay = (reply: Reply) => reply.headers.get("idempotency-replayed") === "true";

/** Those of operators are in `instance.test.ts`. */
const posts = allRoutes().filter(({ method, ofInstance }) => method === "POST" && !ofInstance);

/**
 * The first needs SMTP_URL, with which campaigns here would leave the sandbox; email-changes.test.ts holds it to one effect. The others need Stripe:
 * stripe.test.ts holds them to it.
 */
const ELSEWHERE = new Set([
  "/v1/email_changes",
  "/v1/billing/checkout",
  "/v1/billing/portal",
  "/v1/billing/change",
  "/v1/billing/cancel",
]);

for (const route of posts.filter(({ scope, path }) => scope !== null && !ELSEWHERE.has(path))) {
  describe(`POST ${route.path}`, () => {
    let one: Record<string, number>;

    it("has one effect when it is repeated under its key", async () => {
      const ready = await readyFor(route);
      const send = sender(route, ready, unique());
      const before_ = await look();
      const first = await send();
      let done = await look();
      one = grown(before_, done);
      assert.ok(first.status < 300 && !isReplay(first), first.text);
      const rows = declaredRows(route, ready.browser ? "person" : "key");
      assert.equal(one["public.audit_log"] ?? 0, rows, "rows of the audit log");
      const token = ready.browser && setToken(first);
      if (ready.browser && token) {
        ready.browser.token = token;
        // The first use of a new token is recorded once, whatever request it comes with.
        await ready.browser.send("GET", "/v1/session");
        done = await look();
      }
      for (let i = 0; i < 2; i++) {
        const again = await send();
        assert.deepEqual([again.status, isReplay(again)], [first.status, true], again.text);
      }
      assert.deepEqual(await look(), done);
    });

    it("has one effect when it is sent five times at once under its key", async () => {
      const send = sender(route, await readyFor(route), unique());
      const before_ = await look();
      const replies = await Promise.all(Array.from({ length: 5 }, send));
      const done = replies.filter((reply) => reply.status < 300);
      assert.equal(
        done.filter((reply) => !isReplay(reply)).length,
        1,
        replies.map(({ text }) => text).join(),
      );
      assert.deepEqual(grown(before_, await look()), one);
      const refusals = RENEWING.has(route.path) ? [409, 401] : [409];
      for (const reply of replies)
        assert.ok(reply.status < 300 || refusals.includes(reply.status), reply.text);
    });
  });
}

it("is heeded by every POST but those that are open to anyone, who have no account to keep it", () => {
  const open = posts.filter(({ scope }) => scope === null).map(({ path }) => path);
  assert.deepEqual(open, [
    "/v1/session",
    "/v1/password_resets",
    "/v1/password_links/inspect",
    "/v1/password_links/redeem",
    "/v1/session/second_factor",
    "/v1/session/passkey_options",
    "/v1/session/passkey",
    "/v1/session/sso",
    "/v1/session/sso/callback",
    "/v1/sign_ups",
    "/v1/sign_ups/inspect",
    "/v1/sign_ups/redeem",
  ]);
});
