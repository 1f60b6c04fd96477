import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApiKey } from "../../src/accounts/accounts.ts";
import { eventPartitions } from "../../src/events/events.ts";
import { sql } from "../../src/platform/db/db.ts";
import { maintainPartitions } from "../../src/platform/db/partitions.ts";
import { fromPublicId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;
const log = createLog({ level: "silent", pretty: false });

// Retention also uses the database's clock, so the time of these tests begins long before it.
const clock = createTestClock(new Date(Date.now() - 100 * DAY_MS));
let app: TestApp;
before(async () => {
  app = await createApp({ clock });
});
after(() => app.stop());

// biome-ignore lint/suspicious/noExplicitAny: as the client reads it
type Listed = any;

async function makeKey(name: string, key = app.key): Promise<string> {
  const made = await app.api("POST", "/v1/api_keys", { body: { name, scopes: ["events:read"] }, key });
  assert.equal(made.status, 201);
  return made.body.id;
}

/** Reads all pages, again until `enough` holds, because transactions elsewhere on the server may hold events back. */
async function listAll(
  query: string,
  enough: (events: Listed[]) => boolean,
  key = app.key,
): Promise<Listed[]> {
  let events: Listed[] = [];
  await until(async () => {
    events = [];
    let cursor = "";
    for (let hasMore = true; hasMore; ) {
      const page = await app.api("GET", `/v1/events?${query}${cursor}`, { key });
      assert.equal(page.status, 200, page.text);
      events.push(...page.body.data);
      hasMore = page.body.has_more;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    return enough(events);
  });
  return events;
}

test("what is done to keys and the account is in the log, newest first, by whom, with ids and no names", async () => {
  const id = await makeKey("Jane's key");
  await app.api("PATCH", `/v1/api_keys/${id}`, { body: { name: "Jack's key" } });
  await app.api("PATCH", `/v1/api_keys/${id}`, { body: { name: "Jack's key" } });
  await app.api("DELETE", `/v1/api_keys/${id}`);
  await app.api("PATCH", "/v1/account", { body: { time_zone: "Europe/London" } });
  const events = await listAll("limit=3", (all) => all.length >= 6);
  assert.deepEqual(
    events.slice(0, 4).map((event) => [event.type, event.data]),
    [
      ["account.updated", { changed: ["time_zone"] }],
      ["api_key.revoked", { api_key_id: id }],
      ["api_key.updated", { api_key_id: id, changed: ["name"] }],
      ["api_key.created", { api_key_id: id }],
    ],
  );
  const [newest] = events;
  assert.equal(newest.object, "event");
  assert.match(newest.id, /^evt_/);
  assert.equal(newest.account_id, app.accountId);
  assert.equal(newest.actor.kind, "api_key");
  assert.match(newest.actor.id, /^key_/);
  assert.equal(events.at(-1).type, "account.created");
  assert.deepEqual(events.at(-1).actor, { kind: "system", id: null });
  assert.equal(newest.timestamp, clock.now().toISOString());
  assert.equal(newest.created_at, newest.timestamp);
  assert.equal(newest.updated_at, newest.timestamp);
  assert.deepEqual((await app.api("GET", `/v1/events/${newest.id}`)).body, newest);
});

test("a replay goes from the oldest to the newest, and its cursor goes on for ever", async () => {
  const { key } = await app.addAccount();
  const oldest = await listAll("sort=created_at", (all) => all.length >= 2, key);
  assert.deepEqual(
    oldest.slice(0, 2).map((event) => event.type),
    ["account.created", "api_key.created"],
  );
  let cursor: string | undefined;
  const seen: string[] = [];
  const poll = async () => {
    const place = cursor ? `&cursor=${cursor}` : "";
    const page = await app.api("GET", `/v1/events?sort=created_at&limit=2${place}`, { key });
    assert.equal(page.status, 200);
    assert.equal(typeof page.body.next_cursor, "string", "also on an empty page");
    assert.equal(page.headers.has("link"), page.body.has_more);
    cursor = page.body.next_cursor;
    seen.push(...page.body.data.map((event: Listed) => event.data.api_key_id));
    return page.body.data.length;
  };
  while ((await poll()) > 0);
  for (let round = 0; round < 3; round++) {
    seen.length = 0;
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await makeKey(`round ${round}`, key));
    await until(async () => {
      await poll();
      return seen.length >= ids.length;
    });
    assert.equal(await poll(), 0);
    assert.deepEqual(seen, ids);
  }
});

test("a replay of an account without events gives a cursor too, and misses nothing after it", async () => {
  const { key, accountId } = await app.addAccount();
  await app.db.execute(sql`delete from events where account_id = ${accountId}`);
  const first = await app.api("GET", "/v1/events?sort=created_at", { key });
  assert.deepEqual(first.body.data, []);
  const id = await makeKey("later", key);
  const query = `sort=created_at&cursor=${first.body.next_cursor}`;
  await until(async () => (await app.api("GET", `/v1/events?${query}`, { key })).body.data.length > 0);
  const later = await app.api("GET", `/v1/events?${query}`, { key });
  assert.equal(later.body.data[0].data.api_key_id, id);
});

test("events can be filtered by one type or several, and an unknown one is a fault", async () => {
  const { key } = await app.addAccount();
  const id = await makeKey("filtered", key);
  await app.api("DELETE", `/v1/api_keys/${id}`, { key });
  const types = async (query: string, count: number) =>
    (await listAll(query, (all) => all.length >= count, key)).map((event) => event.type);
  assert.deepEqual(await types("type=api_key.revoked", 1), ["api_key.revoked"]);
  assert.deepEqual(await types("type=api_key.revoked&type=account.created&limit=1", 2), [
    "api_key.revoked",
    "account.created",
  ]);
  const counted = await app.api("GET", "/v1/events?type=api_key.created&include_total=true&limit=1", { key });
  assert.equal(counted.body.total, 2);
  const unknown = await app.api("GET", "/v1/events?type=api_key.revoked&type=nothing.happened", { key });
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.errors[0].parameter, "type");
  assert.equal((await app.api("GET", "/v1/events?sort=id", { key })).status, 400);
});

test("a cursor is good for its own account, filter and sort only", async () => {
  const other = await app.addAccount();
  const page = await app.api("GET", "/v1/events?sort=created_at&limit=1");
  const cursor = page.body.next_cursor;
  const wrong = [
    { path: `/v1/events?sort=created_at&cursor=${cursor}`, key: other.key },
    { path: `/v1/events?cursor=${cursor}`, key: app.key },
    { path: `/v1/events?sort=created_at&type=account.created&cursor=${cursor}`, key: app.key },
  ];
  for (const { path, key } of wrong) {
    const refused = await app.api("GET", path, { key });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.code, "invalid_cursor");
  }
  assert.equal((await app.api("GET", `/v1/events?sort=created_at&limit=9&cursor=${cursor}`)).status, 200);
});

test("another account's events are not there, and a key needs the scope", async () => {
  const other = await app.addAccount();
  const theirs = await listAll("", (all) => all.length >= 2, other.key);
  assert.ok(theirs.every((event) => event.account_id === toPublicId("acc", other.accountId)));
  const { id } = theirs[0];
  assert.equal((await app.api("GET", `/v1/events/${id}`, { key: other.key })).status, 200);
  for (const missing of [id, "evt_nonsense", "evt_01k9zq4t3xe8k8y0v6d3m2n1pq"]) {
    assert.equal((await app.api("GET", `/v1/events/${missing}`)).status, 404, missing);
  }
  const key = await app.addKey(["account:read"]);
  assert.equal((await app.api("GET", "/v1/events", { key })).body.required_scope, "events:read");
  const reader = await app.addKey(["events:read"]);
  assert.equal((await app.api("GET", "/v1/events", { key: reader })).status, 200);
});

test("the event and the change are one: rolled back together", async () => {
  const { accountId } = await app.addAccount();
  const count = async () =>
    app.db.one<{ keys: number; events: number }>(sql`
      select (select count(*) from api_keys where account_id = ${accountId}) as keys,
             (select count(*) from events where account_id = ${accountId} and type = 'api_key.created') as events`);
  assert.deepEqual(await count(), { keys: 1, events: 1 });
  const failed = app.db.transaction(async (tx) => {
    const ctx = { sql: tx, accountId, actor: { kind: "system", id: null }, clock, log } as const;
    await createApiKey(ctx, { name: "never", scopes: ["full"], expiresAt: null, unlimited: false });
    throw new Error("afterwards something fails");
  });
  await assert.rejects(failed, /afterwards/);
  assert.deepEqual(await count(), { keys: 1, events: 1 });
});

test("events are shown for 30 days, and are gone a week later", async () => {
  const { key, accountId } = await app.addAccount();
  await maintainPartitions(app.db, clock, [eventPartitions], log);
  const [event] = await listAll("type=account.created", (all) => all.length === 1, key);
  const shown = async () => ({
    one: (await app.api("GET", `/v1/events/${event.id}`, { key })).status,
    list: (await app.api("GET", "/v1/events?type=account.created&include_total=true", { key })).body.total,
  });
  const stored = async () =>
    app.db.many(sql`
      select 1 from events where account_id = ${accountId} and id = ${fromPublicId("evt", event.id)}`);
  clock.advance(30 * DAY_MS - 1_000);
  assert.deepEqual(await shown(), { one: 200, list: 1 });
  clock.advance(1_000);
  assert.deepEqual(await shown(), { one: 404, list: 0 });
  clock.advance(7 * DAY_MS);
  await maintainPartitions(app.db, clock, [eventPartitions], log);
  assert.deepEqual(await stored(), []);
});
