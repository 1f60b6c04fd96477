/** These tests cover the stream of events: what it tells, to whom, what it costs, and when it ends. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { recordEvents } from "../../src/events/events.ts";
import { SYSTEM } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { type EventStream, messagesOf, openStream } from "../support/event-stream.ts";
import { addPerson, cookieOf } from "../support/people.ts";
import { openSocket } from "../support/raw-http.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const clock = createTestClock();
let database: { url: string; drop(): Promise<void> };
let proxy: DatabaseProxy;
let app: TestApp;
before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  app = await createApp({ clock, databaseUrl: proxy.url, settings: { ROLES: "api" } });
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

const withKey = (key = app.key) => ({ authorization: `Bearer ${key}` });
const open = (query = "", headers: Record<string, string> = withKey()) =>
  openStream(`${app.baseUrl}/v1/events/stream${query}`, headers);
const eventsOf = (stream: EventStream) => messagesOf(stream).filter(({ name }) => name === "message");
const lists = (stream: EventStream) => eventsOf(stream).map(({ data }) => data.data.list_id);

/** Waits until no transaction on the server can hold back what has happened so far. */
async function settle(): Promise<void> {
  const { now } = await app.db.one<{ now: string }>(
    sql`select pg_snapshot_xmax(pg_current_snapshot())::text as now`,
  );
  await until(async () => {
    const { isPast } = await app.db.one<{ isPast: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${now}::xid8 as "isPast"`,
    );
    return isPast;
  });
}

async function begin(query?: string, headers?: Record<string, string>): Promise<EventStream> {
  await settle();
  const stream = await open(query, headers);
  assert.equal(stream.status, 200);
  await until(() => messagesOf(stream).length > 0);
  return stream;
}

async function makeList(key = app.key): Promise<string> {
  const made = await app.api("POST", "/v1/lists", { body: { name: "Letter" }, key });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function makeLists(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await makeList());
  return ids;
}

/** Records so many events at once, as a large change does. */
function burst(count: number): Promise<void> {
  const accountId = fromPublicId("acc", app.accountId) as string;
  const events = Array.from({ length: count }, () => ({
    type: "list.updated" as const,
    data: { list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq", changed: ["name"] },
  }));
  return app.db.transaction((tx) => recordEvents({ sql: tx, accountId, actor: SYSTEM, clock }, events));
}

test("new events come in the order of the log, as the list shows them, and none from before", async () => {
  await makeList();
  const stream = await begin();
  const ids = await makeLists(5);
  await until(() => lists(stream).length >= 5);
  assert.deepEqual(lists(stream), ids);
  const [first] = eventsOf(stream);
  assert.deepEqual(first?.data, (await app.api("GET", `/v1/events/${first?.data.id}`)).body);
  stream.close();
});

test("a stream goes on after the last event or a cursor of the replay, with nothing lost or twice", async () => {
  const first = await begin("?type=list.created");
  const ids = await makeLists(3);
  await until(() => lists(first).length === 3);
  first.close();
  const lastSeen = String(eventsOf(first)[1]?.id);
  ids.push(...(await makeLists(2)));
  const resumed = [
    await open("?type=list.created", { ...withKey(), "last-event-id": lastSeen }),
    await open(`?type=list.created&cursor=${lastSeen}`),
  ];
  for (const stream of resumed) {
    await until(() => lists(stream).length >= 3);
    assert.deepEqual(lists(stream), ids.slice(2));
    stream.close();
  }
  const replay = await app.api("GET", `/v1/events?sort=created_at&type=list.created&cursor=${lastSeen}`);
  assert.deepEqual(
    replay.body.data.map((event: { data: { list_id: string } }) => event.data.list_id),
    ids.slice(2),
  );
  const other = await app.addAccount();
  for (const [query, headers] of [
    ["?type=list.created", { ...withKey(other.key), "last-event-id": lastSeen }],
    [`?type=list.updated&cursor=${lastSeen}`, withKey()],
    ["?cursor=nonsense", withKey()],
  ] as const) {
    const refused = await app.api("GET", `/v1/events/stream${query}`, { key: null, headers });
    assert.deepEqual([refused.status, refused.body.code], [400, "invalid_cursor"]);
  }
});

test("a stream has the types that were asked for, of its own account, for who may read events", async () => {
  const other = await app.addAccount();
  const [ofType, ofOther] = [await begin("?type=list.deleted"), await begin("", withKey(other.key))];
  const [id = ""] = await makeLists(1);
  assert.equal((await app.api("DELETE", `/v1/lists/${id}`)).status, 204);
  const theirs = await makeList(other.key);
  await until(() => eventsOf(ofType).length > 0 && eventsOf(ofOther).length > 0);
  assert.deepEqual(
    [ofType, ofOther].map((stream) => eventsOf(stream).map(({ data }) => [data.type, data.data.list_id])),
    [[["list.deleted", id]], [["list.created", theirs]]],
  );
  for (const stream of [ofType, ofOther]) stream.close();
  const key = await app.addKey(["subscribers:read"]);
  assert.equal((await app.api("GET", "/v1/events/stream", { key })).status, 403);
  assert.equal((await app.api("GET", "/v1/events/stream", { key: null })).status, 401);
  assert.equal((await app.api("GET", "/v1/events/stream?type=nothing.happened")).status, 400);
});

test("sixty streams of three accounts cost one look a second", async () => {
  const accounts = [{ key: app.key }, await app.addAccount(), await app.addAccount()];
  const streams = await Promise.all(
    accounts.flatMap(({ key }) => Array.from({ length: 20 }, () => begin("", withKey(key)))),
  );
  const looks = () => proxy.received().split(/select found\.\* from/).length - 1;
  const [started, before] = [performance.now(), looks()];
  const id = await makeList();
  await until(() => streams.slice(0, 20).every((stream) => lists(stream).includes(id)));
  await sleep(2_000);
  const most = (performance.now() - started) / 1_000 + 2;
  assert.ok(looks() - before >= 1 && looks() - before <= most, `${looks() - before} looks`);
  assert.ok(streams.slice(20).every((stream) => eventsOf(stream).length === 0));
  for (const stream of streams) stream.close();
});

test("a burst is told by one word, from which what was left out can be read", async () => {
  const stream = await begin();
  await burst(20_000);
  const id = await makeList();
  await until(() => messagesOf(stream).some(({ name }) => name === "many"));
  await sleep(1_500);
  const messages = messagesOf(stream).filter(({ name }) => name !== "alive");
  assert.ok(messages.length <= 4 && stream.text.length < 4_000, `${messages.length} messages`);
  const { cursor } = messages.find(({ name }) => name === "many")?.data ?? {};
  const page = await app.api("GET", `/v1/events?sort=created_at&limit=2&cursor=${cursor}`);
  assert.deepEqual([page.status, page.body.data[0].type], [200, "list.updated"]);
  // Whoever was away for long is told the same, and both go on with what comes next.
  const late = await begin("", { ...withKey(), "last-event-id": cursor });
  assert.deepEqual(
    messagesOf(late).map(({ name }) => name),
    ["many"],
  );
  const next = await makeList();
  await until(() => [stream, late].every((one) => lists(one).includes(next)));
  assert.ok(!lists(late).includes(id), "what many stands for doesn't come again");
  for (const one of [stream, late]) one.close();
});

test("a stream that has nothing to tell says that it is alive", async () => {
  const stream = await begin();
  for (let said = 1; said <= 3; said++) {
    clock.advance(5_000);
    await until(() => messagesOf(stream).length === said + 1);
  }
  assert.ok(messagesOf(stream).every(({ name, id }) => name === "alive" && id));
  stream.close();
});

test("a key has twenty at once, and a closed one makes room", async () => {
  const key = await app.addKey(["events:read"]);
  const streams = await Promise.all(Array.from({ length: 20 }, () => begin("", withKey(key))));
  const refused = await app.api("GET", "/v1/events/stream", { key });
  assert.deepEqual([refused.status, refused.body.code], [429, "too_many_streams"]);
  assert.equal(refused.headers.get("retry-after"), "60");
  streams[0]?.close();
  await until(async () => {
    const next = await open("", withKey(key));
    streams.push(next);
    return next.status === 200;
  });
  for (const stream of streams) stream.close();
});

test("after an hour a stream ends with a word on when to come again", async () => {
  const stream = await begin();
  clock.advance(HOUR_MS);
  await until(() => stream.hasEnded);
  assert.match(stream.text, /retry: \d{4}\nevent: reconnect\ndata: {"reason":"hour_over"}\n\n$/);
});

test("a replaced secret loses its stream once its time of grace is over, and the new one doesn't", async () => {
  const { body: made } = await app.api("POST", "/v1/api_keys", {
    body: { name: "Rotated", scopes: ["events:read"] },
  });
  const before = await begin("", withKey(made.key));
  const rotated = await app.api("POST", `/v1/api_keys/${made.id}/rotate`, { body: { grace_hours: 0 } });
  assert.equal(rotated.status, 200, rotated.text);
  const next = await begin("", withKey(rotated.body.key));
  clock.advance(31_000);
  await until(() => before.hasEnded);
  assert.match(before.text, /"reason":"access_ended"/);
  assert.equal(next.hasEnded, false);
  next.close();
});

test("a revoked key, an ended session and a deleted user lose their streams, and others don't", async () => {
  const { body: made } = await app.api("POST", "/v1/api_keys", {
    body: { name: "Watcher", scopes: ["events:read"] },
  });
  const signedOut = await addPerson(app, "watcher@example.com", "owner");
  const deleted = await addPerson(app, "gone@example.com", "owner");
  const losers = await Promise.all([
    begin("", withKey(made.key)),
    begin("", { cookie: cookieOf(signedOut.browser.token) }),
    begin("", { cookie: cookieOf(deleted.browser.token) }),
  ]);
  const other = await begin();
  assert.equal((await app.api("DELETE", `/v1/api_keys/${made.id}`)).status, 204);
  assert.equal((await signedOut.browser.send("DELETE", "/v1/session")).status, 204);
  assert.equal((await app.api("DELETE", `/v1/users/${deleted.id}`)).status, 204);
  clock.advance(31_000);
  await until(() => losers.every(({ hasEnded }) => hasEnded));
  for (const { text } of losers) assert.match(text, /event: reconnect\ndata: {"reason":"access_ended"}/);
  assert.equal(other.hasEnded, false);
  other.close();
});

test("with the database away a stream stays open and quiet, and then tells what happened meanwhile", async () => {
  const stream = await begin();
  const ofOther = await createApp({ clock, databaseUrl: database.url, settings: { ROLES: "api" } });
  await proxy.cut();
  const before = messagesOf(stream).length;
  const made = await ofOther.api("POST", "/v1/lists", { body: { name: "Meanwhile" }, key: app.key });
  assert.equal(made.status, 201, made.text);
  clock.advance(61_000);
  await sleep(2_000);
  assert.deepEqual([stream.hasEnded, messagesOf(stream).length], [false, before]);
  await proxy.restore();
  await until(() => lists(stream).includes(made.body.id));
  stream.close();
  await ofOther.stop();
});

test("a stop ends every stream, also that of a reader who fetches nothing", async () => {
  const other = await createApp({ clock, databaseUrl: proxy.url, settings: { ROLES: "api" } });
  const deaf = await openSocket(other.baseUrl);
  deaf.pause();
  deaf.write(`GET /v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.key}\r\n\r\n`);
  const stream = await openStream(`${other.baseUrl}/v1/events/stream`, withKey());
  await until(() => messagesOf(stream).length > 0);
  const started = performance.now();
  await other.stop();
  assert.ok(performance.now() - started < 8_000);
  await until(() => stream.hasEnded);
  assert.match(stream.text, /event: reconnect\ndata: {"reason":"stopping"}/);
  deaf.destroy();
});
