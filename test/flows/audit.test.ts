/**
 * These tests hold for every route that writes, also for those that are added later: what succeeds adds the rows to the audit log that the
 * route declares, and what is refused or rolled back adds none. POSTs by keys are counted in `one-effect.test.ts`, which makes each of them.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import i18next from "i18next";
import { sql } from "../../src/platform/db/db.ts";
import type { Route } from "../../src/platform/http/route.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { auditRows, declaredRows, type StoredRow } from "../support/audit.ts";
import { addChangingPerson } from "../support/email-changes.ts";
import { makeFixture, makeFixtures } from "../support/fixtures.ts";
import { addPerson, cookieOf, type Person } from "../support/people.ts";
import { allRoutes, bodyFor, exampleOf, fillPath, idsIn } from "../support/routes.ts";
import { addApp } from "../support/second-factors.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";

let app: TestApp;
let accountId: string;
let owner: Person;
let count = 0;
const unique = () => `audited${++count}`;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  accountId = uuidOf("acc", app.accountId);
  owner = await addPerson(app, "owner@example.com", "owner");
});
after(() => app.stop());

const AGENT = "Auditor/1.0";
const UNKNOWN = "01k9zq4t3xe8k8y0v6d3m2n1pq";

async function send(route: Route, path: string, body: unknown, as?: Person): Promise<Reply> {
  const { headers, ...rest } = bodyFor(route, body);
  const person = as && { cookie: cookieOf(as.browser.token), origin: app.baseUrl };
  return app.api(route.method, path, {
    ...(as && { key: null }),
    ...rest,
    headers: { ...headers, ...person, "user-agent": AGENT },
  });
}

type Ready = { readonly ids?: ReadonlyMap<string, string>; readonly body?: unknown; readonly as?: Person };
const given = async (prefix: string, body: unknown): Promise<Ready> => ({
  ids: new Map([["id", await makeFixture(app, app.key, prefix)]]),
  body,
});
const somebody = async () => ({ as: await addPerson(app, `${unique()}@example.com`) });
const withFactor = async (): Promise<Ready> => {
  const { as } = await somebody();
  const { id } = await addApp(as.browser, new Date());
  return { as, ids: new Map([["id", id]]) };
};
const mail = () => ({ from: "us@example.com", to: ["ada@example.com"], subject: unique(), text: "Hello" });
const someone = async (list: object = {}) =>
  new Map([["id", (await addSubscriber(app, await makeList(app, list), `${unique()}@example.com`)).id]]);

/** Prepares routes for which an example of the schema and a new object of the kind in the path are not enough. */
const readied: Readonly<Record<string, () => Promise<Ready>>> = {
  "PUT /v1/transport_pools/:stream": async () => ({
    body: { transports: [await makeFixture(app, app.key, "trn")] },
  }),
  "PATCH /v1/subscribers/:id": () => given("sub", { first_name: "Ada" }),
  "PATCH /v1/subscribers/:id/topics": async () =>
    given("sub", { topics: { [await makeFixture(app, app.key, "top")]: false } }),
  "PATCH /v1/fields/:id": () => given("fld", { name: unique() }),
  "PATCH /v1/sections/:id": () => given("sec", { name: unique() }),
  "PATCH /v1/domains/:id": () => given("dom", { ed25519: true }),
  "PUT /v1/deliverability/complaint_rates": async () => ({
    body: {
      provider: "gmail",
      day: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
      rate: 0.001,
    },
  }),
  "DELETE /v1/account/deletion": async () => {
    const { body } = await app.api("GET", "/v1/account");
    const asked = await owner.browser.send("POST", "/v1/account/deletion", { name: body.name });
    assert.equal(asked.status, 201, asked.text);
    return { as: owner };
  },
  "DELETE /v1/session": somebody,
  "DELETE /v1/sessions": somebody,
  "DELETE /v1/sessions/:id": async () => {
    const { as } = await somebody();
    const { body } = await as.browser.send("GET", "/v1/sessions");
    return { as, ids: new Map([["id", body.data[0].id]]) };
  },
  "DELETE /v1/email_changes": async () => ({
    as: (await addChangingPerson(app, `${unique()}@example.com`)).person,
  }),
  "PATCH /v1/factors/:id": async () => ({ ...(await withFactor()), body: { name: "Telephone" } }),
  "DELETE /v1/factors/:id": () => withFactor(),
  "POST /v1/emails": async () => ({ body: mail() }),
  "POST /v1/emails/batch": async () => ({ body: { emails: [mail()] } }),
  "POST /v1/subscribers": async () => ({
    body: { email: `${unique()}@example.com`, list_id: await makeList(app) },
  }),
  "POST /v1/track": async () => ({
    body: { subscriber_id: await makeFixture(app, app.key, "sub"), name: "seen" },
  }),
  "POST /v1/subscribers/batch": async () => ({
    body: { subscribers: [{ email: `${unique()}@example.com`, list_id: await makeList(app) }] },
  }),
  "POST /v1/subscribers/:id/resubscribe": async () => {
    const ids = await someone();
    assert.equal((await app.api("POST", `/v1/subscribers/${ids.get("id")}/unsubscribe`)).status, 200);
    return { ids, body: { consent: { attested: true, source: "telephone" } } };
  },
  "POST /v1/subscribers/:id/resend_confirmation": async () => {
    const ids = await someone({ double_opt_in: true });
    await app.db.execute(sql`update confirmations set requested_at = requested_at - interval '1 hour'`);
    return { ids };
  },
  "POST /v1/suppressions": async () => ({ body: { email: `${unique()}@example.com` } }),
};

async function readyFor(route: Route): Promise<Ready> {
  const ready = await readied[`${route.method} ${route.path}`]?.();
  if (ready) return ready;
  return { ids: await makeFixtures(app, app.key, new Map(idsIn(route.params))), body: exampleOf(route) };
}

/** Sends a write that will succeed, and returns it with the rows that it added. */
async function write(route: Route, as?: Person) {
  const ready = await readyFor(route);
  const by = ready.as ?? as;
  const before_ = await auditRows(app);
  const path = fillPath(route, (name) => ready.ids?.get(name) ?? "");
  const reply = await send(route, path, ready.body, by);
  assert.ok(reply.status < 300, reply.text);
  const rows = await auditRows(app);
  return { ready, by, reply, added: rows.slice(before_.length) };
}

function assertTells(route: Route, { ready, by, reply, added }: Awaited<ReturnType<typeof write>>) {
  const { audit } = route;
  assert.ok(audit && "action" in audit);
  const [row] = added as [StoredRow];
  assert.deepEqual(
    [row.account_id, row.action, row.network, row.user_agent, row.request_id],
    [accountId, audit.action, "127.0.0.1", AGENT, reply.headers.get("x-request-id")],
  );
  assert.deepEqual(
    [row.actor_kind, by ? row.actor_id : row.actor_id?.slice(0, 4)],
    by ? ["user", by.id] : ["api_key", "key_"],
  );
  const target = {
    path: ready.ids?.get("id"),
    answer: reply.body?.id,
    account: app.accountId,
    people: by?.id,
  };
  assert.equal(row.target_id, target[audit.of]);
  const names = Object.keys((ready.body as object | undefined) ?? {});
  assert.deepEqual(row.fields, route.body && audit.of !== "people" ? names : []);
  assert.ok(!JSON.stringify(row).includes("@"), JSON.stringify(row));
}

const everyWrite = allRoutes().filter(({ method }) => method !== "GET");
/** What operators do stands in two logs (`instance.test.ts`). */
const writes = everyWrite.filter(({ ofInstance }) => !ofInstance);
const isOnlyByPeople = ({ audit }: Route) => !!audit && "action" in audit && audit.onlyByPeople !== undefined;

for (const route of writes) {
  const { method, path, audit, scope } = route;
  describe(`${method} ${path}`, () => {
    it("says what the audit log holds of it, and where its target is found", () => {
      assert.ok(audit, "there is no declaration");
      if ("none" in audit) {
        assert.ok(audit.none.length > 10, "there is no reason");
        return;
      }
      assert.match(audit.action, /^[a-z_]+\.[a-z_]+$/);
      if (scope === null) assert.equal(audit.of, "people", "nobody is signed in");
      if (audit.of === "path") assert.match(path, /:id\b/);
      const { properties } = (route.success.schema ?? {}) as { properties?: object };
      if (audit.of === "answer") assert.ok("id" in (properties ?? {}), "the answer has no id");
    });

    if (method !== "POST") {
      it("adds one row by whoever may do it", async () => {
        const done = await write(route);
        assert.equal(done.added.length, declaredRows(route, done.by ? "person" : "key"));
        if (done.added.length > 0) assertTells(route, done);
      });
    }

    if (method === "PATCH") {
      it("adds none where it changes nothing", async () => {
        const { ready, by } = await write(route, owner);
        const before_ = await auditRows(app);
        const own = fillPath(route, (name) => ready.ids?.get(name) ?? "");
        const again = await send(route, own, ready.body, by);
        assert.equal(again.status, 200, again.text);
        assert.equal((await auditRows(app)).length, before_.length);
      });
    }

    if (isOnlyByPeople(route)) {
      it("adds one row by a person", async () => {
        const done = await write(route, owner);
        assert.equal(done.added.length, 1);
        assertTells(route, done);
      });
    }

    if (path.includes(":id")) {
      it("adds none where there is no such object", async () => {
        const before_ = await auditRows(app);
        const prefixes = new Map(idsIn(route.params));
        const unknown = fillPath(route, (name) => `${prefixes.get(name)}_${UNKNOWN}`);
        assert.equal((await send(route, unknown, exampleOf(route), owner)).status, 404);
        assert.equal((await auditRows(app)).length, before_.length);
      });
    }

    if (route.body && !route.upload && audit && "action" in audit) {
      it("adds none where the body is refused", async () => {
        const ready = await readyFor(route);
        const before_ = await auditRows(app);
        const own = fillPath(route, (name) => ready.ids?.get(name) ?? "");
        const reply = await send(route, own, { no_such_field: 1 }, scope === null ? undefined : owner);
        assert.equal(reply.status, 422, reply.text);
        assert.equal((await auditRows(app)).length, before_.length);
      });
    }
  });
}

const downloads = allRoutes().filter(({ method, audit }) => method === "GET" && audit);
for (const route of downloads) {
  describe(`GET ${route.path}`, () => {
    it("adds one row before the first byte, and a HEAD none", async () => {
      const ready = await readyFor(route);
      const path = fillPath(route, (name) => ready.ids?.get(name) ?? "");
      const ask = (method: string) => app.api(method, path, { headers: { "user-agent": AGENT } });
      const before_ = await auditRows(app);
      const head = await ask("HEAD");
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal((await auditRows(app)).length, before_.length);
      const reply = await ask("GET");
      assert.equal(reply.status, 200, reply.text);
      const added = (await auditRows(app)).slice(before_.length);
      assert.equal(added.length, 1);
      assertTells(route, { ready, by: undefined, reply, added });
    });

    it("adds none where there is nothing to download", async () => {
      if (!route.path.includes(":id")) return;
      const before_ = await auditRows(app);
      const prefixes = new Map(idsIn(route.params));
      const unknown = fillPath(route, (name) => `${prefixes.get(name)}_${UNKNOWN}`);
      assert.equal((await app.api("GET", unknown)).status, 404);
      assert.equal((await auditRows(app)).length, before_.length);
    });
  });
}

it("has a row for whoever follows the link of an export, and none for a HEAD", async () => {
  const { body } = await app.api("POST", "/v1/exports", { body: { list_id: await makeList(app) } });
  const before_ = await auditRows(app);
  const ask = (method: string) =>
    fetch(new URL(new URL(body.download_url).pathname + new URL(body.download_url).search, app.baseUrl), {
      method,
      headers: { "user-agent": AGENT },
    });
  assert.equal((await ask("HEAD")).status, 200);
  const reply = await ask("GET");
  assert.match(await reply.text(), /^email,/);
  const added = (await auditRows(app)).slice(before_.length);
  assert.deepEqual(
    added.map((row) => [
      row.account_id,
      row.actor_kind,
      row.actor_id,
      row.action,
      row.target_id,
      row.user_agent,
    ]),
    [[accountId, "stranger", null, "export.downloaded", body.id, AGENT]],
  );
});

it("has no row of a batch in which everybody was skipped or refused", async () => {
  const listId = await makeList(app);
  const { email } = await addSubscriber(app, listId, `${unique()}@example.com`);
  const batch = (emails: readonly string[]) =>
    owner.browser.send("POST", "/v1/subscribers/batch", {
      on_conflict: "skip",
      subscribers: emails.map((one) => ({ email: one, list_id: listId })),
    });
  const before_ = await auditRows(app);
  const skipped = await batch([email, "nobody"]);
  assert.deepEqual(
    skipped.body.results.map(({ status }: { status: number }) => status),
    [200, 422],
  );
  assert.equal((await auditRows(app)).length, before_.length);
  assert.equal((await batch([email, `${unique()}@example.com`])).status, 200);
  assert.equal((await auditRows(app)).length, before_.length + 1);
});

it("has words in the dashboard for every action and kind of thing", async () => {
  await i18next.init({ lng: "en", resources: {} });
  const { audit: words } = (await import("../../dashboard/src/i18n/later/settings/audit.ts")).audit;
  const actions: Readonly<Record<string, Readonly<Record<string, string>>>> = words.actions;
  for (const { audit } of [...everyWrite, ...downloads]) {
    if (!audit || "none" in audit) continue;
    const [kind = "", verb = ""] = audit.action.split(".");
    assert.ok(actions[kind]?.[verb], `${audit.action} has no words`);
    assert.ok(kind in words.kinds, `${kind} has no words`);
  }
});

describe("a change that is rolled back", () => {
  before(async () => {
    await app.db.execute(sql`
      create function fail_at_the_end() returns trigger language plpgsql as $$
      begin raise exception 'the commit fails'; end $$`);
    await app.db.execute(sql`
      create constraint trigger fails after insert on audit_log deferrable initially deferred
      for each row execute function fail_at_the_end()`);
  });
  after(() => app.db.execute(sql`drop trigger fails on audit_log`));

  it("leaves no row, and a row that can't be written leaves no change", async () => {
    const before_ = await auditRows(app);
    const { body: account } = await app.api("GET", "/v1/account");
    const reply = await app.api("PATCH", "/v1/account", { body: { name: "Never" } });
    assert.equal(reply.status, 500, reply.text);
    assert.equal((await app.api("GET", "/v1/account")).body.name, account.name);
    assert.equal((await auditRows(app)).length, before_.length);
  });
});
