/** These tests cover streams of progress: what many of them cost, and when they end. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createApp, type TestApp } from "../support/app.ts";
import { act, inAnHour, makeAudience, makeCampaign } from "../support/campaigns.ts";
import { createTestClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { type EventStream, openStream } from "../support/event-stream.ts";
import { addPerson, cookieOf } from "../support/people.ts";
import { openSocket } from "../support/raw-http.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const clock = createTestClock();
let database: { url: string; drop(): Promise<void> };
let proxy: DatabaseProxy;
let app: TestApp;
let listId: string;
before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  app = await createApp({ clock, databaseUrl: proxy.url, settings: { ROLES: "api" } });
  listId = await makeAudience(app);
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

const open = (id: string, headers: Record<string, string>) =>
  openStream(`${app.baseUrl}/v1/campaigns/${id}/progress`, headers);
const withKey = (key: string) => ({ authorization: `Bearer ${key}` });

function eventsOf({ text }: EventStream): string[] {
  return [...text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => String(name));
}

async function scheduled(): Promise<string> {
  const { id } = await makeCampaign(app, listId);
  const reply = await act(app, id, "schedule", { send_at: inAnHour(clock) });
  assert.equal(reply.status, 200, reply.text);
  return id;
}

/** Counts how often a campaign was looked at, by the text of the statement. */
const looks = () =>
  proxy.received().split(/select account_id, id, name[^;]*? from campaigns where/).length - 1;

test("sixty streams of one campaign cost one look when it moves, and none while it waits", async () => {
  const id = await scheduled();
  const keys = await Promise.all(Array.from({ length: 3 }, () => app.addKey(["campaigns:read"])));
  const all = keys.flatMap((key) => Array.from({ length: 20 }, () => open(id, withKey(key))));
  const streams = await Promise.all(all);
  await until(() => streams.every((stream) => eventsOf(stream).length === 1));
  const opened = looks();
  await sleep(3_000);
  assert.equal(looks() - opened, 0, "while nothing moves");
  assert.equal((await act(app, id, "pause")).status, 200);
  await until(() => streams.every((stream) => eventsOf(stream).length === 2));
  const moved = looks() - opened;
  assert.ok(moved >= 1 && moved <= 3, `${moved} looks`);
  assert.ok(streams.every(({ text }) => /"status":"paused"/.test(text)));
  clock.advance(16_000);
  await until(() => streams.every(({ text }) => text.includes(": still here\n\n")));
  const cancelled = await act(app, id, "unschedule");
  assert.equal(cancelled.status, 200, cancelled.text);
  await until(() => streams.every(({ hasEnded }) => hasEnded));
  assert.ok(streams.every((stream) => eventsOf(stream).at(-1) === "done"));
});

test("a key has twenty at once, and a closed one makes room", async () => {
  const id = await scheduled();
  const key = await app.addKey(["campaigns:read"]);
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(id, withKey(key))));
  const refused = await app.api("GET", `/v1/campaigns/${id}/progress`, { key });
  assert.deepEqual([refused.status, refused.body.code], [429, "too_many_streams"]);
  assert.equal(refused.headers.get("retry-after"), "60");
  const other = await open(id, withKey(app.key));
  assert.equal(other.status, 200);
  streams[0]?.close();
  await until(async () => {
    const next = await open(id, withKey(key));
    streams.push(next);
    return next.status === 200;
  });
  for (const stream of [...streams, other]) stream.close();
});

test("after an hour a stream ends with a word on when to come again", async () => {
  const id = await scheduled();
  const stream = await open(id, withKey(app.key));
  await until(() => eventsOf(stream).length === 1);
  clock.advance(HOUR_MS - 1);
  await sleep(1_500);
  assert.equal(stream.hasEnded, false);
  clock.advance(1);
  await until(() => stream.hasEnded);
  assert.match(stream.text, /retry: \d{4}\nevent: reconnect\ndata: {"reason":"hour_over"}\n\n$/);
});

test("a revoked key and a session that has ended lose their streams within a minute, and others don't", async () => {
  const id = await scheduled();
  const { body: made } = await app.api("POST", "/v1/api_keys", {
    body: { name: "Watcher", scopes: ["campaigns:read"] },
  });
  const person = await addPerson(app, "watcher@example.com");
  const [byKey, bySession, byOther] = await Promise.all([
    open(id, withKey(made.key)),
    open(id, { cookie: cookieOf(person.browser.token) }),
    open(id, withKey(app.key)),
  ]);
  await until(() => [byKey, bySession, byOther].every((stream) => eventsOf(stream).length === 1));
  clock.advance(31_000);
  await sleep(1_500);
  assert.ok(![byKey, bySession, byOther].some(({ hasEnded }) => hasEnded));
  assert.equal((await app.api("DELETE", `/v1/api_keys/${made.id}`)).status, 204);
  assert.equal((await person.browser.send("DELETE", "/v1/session")).status, 204);
  clock.advance(31_000);
  await until(() => byKey.hasEnded && bySession.hasEnded);
  for (const { text } of [byKey, bySession])
    assert.match(text, /event: reconnect\ndata: {"reason":"access_ended"}/);
  assert.equal(byOther.hasEnded, false);
  byOther.close();
});

test("with the database away streams stay open, and tell of what happened meanwhile", async () => {
  const id = await scheduled();
  const stream = await open(id, withKey(app.key));
  await until(() => eventsOf(stream).length === 1);
  await proxy.cut();
  clock.advance(61_000);
  await sleep(2_000);
  assert.equal(stream.hasEnded, false);
  await proxy.restore();
  await until(async () => (await act(app, id, "unschedule")).status === 200);
  clock.advance(61_000);
  await until(() => stream.hasEnded);
  assert.equal(eventsOf(stream).at(-1), "done");
});

test("a stop ends every stream, also that of a reader who fetches nothing", async () => {
  const id = await scheduled();
  const other = await createApp({ clock, databaseUrl: proxy.url, settings: { ROLES: "api" } });
  const request = `GET /v1/campaigns/${id}/progress HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.key}\r\n\r\n`;
  const deaf = await openSocket(other.baseUrl);
  deaf.pause();
  deaf.write(request);
  const reply = await fetch(`${other.baseUrl}/v1/campaigns/${id}/progress`, { headers: withKey(app.key) });
  const text = reply.text();
  const started = performance.now();
  await other.stop();
  assert.ok(performance.now() - started < 8_000);
  assert.match(await text, /event: reconnect\ndata: {"reason":"stopping"}/);
  deaf.destroy();
});
