/** These tests report what people did, through the API, and look where it shows. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { keepEvents } from "../../src/events/events.ts";
import { sql } from "../../src/platform/db/db.ts";
import { maintainPartitions } from "../../src/platform/db/partitions.ts";
import { createLog } from "../../src/platform/log.ts";
import { customEventPartitions, removeOldKeys } from "../../src/subscribers/subscribers.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { act, addSubscriber, type Json, makeList, settled, uuidOf, walk } from "../support/subscribers.ts";

const DAY_MS = 24 * 3_600_000;
const clock = createTestClock(new Date("2026-11-14T12:00:00Z"));
let app: TestApp;
let listId: string;
let count = 0;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" }, clock });
  listId = await makeList(app);
});
after(() => app.stop());

const track = (body: Json, key = app.key): Promise<Reply> => app.api("POST", "/v1/track", { body, key });
const batch = (events: unknown[]): Promise<Reply> => app.api("POST", "/v1/track/batch", { body: { events } });
const add = () => addSubscriber(app, listId, `person-${++count}@example.com`);
const codes = (reply: Reply) => reply.body.errors?.map((one: Json) => [one["pointer"], one["code"]]);
const rows = async (subscriber: Json) =>
  await app.db.one<{ events: number; keys: number }>(sql`
      select (select count(*) from custom_events where subscriber_id = ${uuidOf("sub", subscriber["id"])})::int as events,
             (select count(*) from custom_event_keys where subscriber_id = ${uuidOf("sub", subscriber["id"])})::int as keys`);
const isIn = async (rules: Json, subscriber: Json): Promise<boolean> => {
  const made = await app.api("POST", "/v1/segments", { body: { name: `Segment ${++count}`, rules } });
  assert.equal(made.status, 201, made.text);
  const found = await walk(app, `/v1/subscribers?segment_id=${made.body.id}&limit=200`);
  return found.some(({ id }) => id === subscriber["id"]);
};
const did = (value: Json, op = "did") => ({ field: "event", op, value });

describe("an event", () => {
  it("is taken for a subscriber by id and by address, and stands in the timeline when it happened", async () => {
    const person = await add();
    const at = "2026-11-10T08:00:00.000Z";
    const told = await track({
      subscriber_id: person["id"],
      name: "order.placed",
      properties: { total: 49.9 },
      occurred_at: at,
    });
    assert.equal(told.status, 202, told.text);
    const { id, created_at, ...rest } = told.body;
    assert.match(id, /^cev_/);
    assert.deepEqual(rest, {
      object: "custom_event",
      subscriber_id: person["id"],
      name: "order.placed",
      is_new: true,
      occurred_at: at,
      updated_at: created_at,
    });
    const byAddress = await track({ email: ` ${String(person["email"]).toUpperCase()}`, name: "signed_in" });
    assert.equal(byAddress.status, 202, byAddress.text);
    const entries = await walk(app, `/v1/subscribers/${person["id"]}/activity?limit=1`);
    const done = entries.filter((one) => one["type"] === "subscriber.event_tracked");
    assert.deepEqual(
      done.map((one) => [one["id"], one["data"], one["created_at"]]),
      [
        [byAddress.body.id, { name: "signed_in", key: null, properties: {} }, clock.now().toISOString()],
        [id, { name: "order.placed", key: null, properties: { total: 49.9 } }, at],
      ],
    );
  });

  it("needs the list where an address is on several", async () => {
    const [person, other] = [await add(), await makeList(app)];
    const email = person["email"] as string;
    const there = await addSubscriber(app, other, email);
    const unclear = await track({ email, name: "seen" });
    assert.deepEqual([unclear.status, codes(unclear)], [422, [["/list_id", "required"]]]);
    const clear = await track({ email, list_id: other, name: "seen" });
    assert.deepEqual([clear.status, clear.body.subscriber_id], [202, there["id"]]);
  });

  it("told again with its key is the same event, also by two at once and in one batch", async () => {
    const person = await add();
    const event = { subscriber_id: person["id"], name: "order.placed", key: "4711" };
    const all = await Promise.all(Array.from({ length: 5 }, () => track(event)));
    assert.deepEqual(
      all.map(({ status }) => status),
      Array(5).fill(202),
    );
    assert.equal(new Set(all.map(({ body }) => body.id)).size, 1);
    assert.equal(all.filter(({ body }) => body.is_new).length, 1);
    const again = await batch([
      event,
      { ...event, key: "4712" },
      { ...event, key: "4712" },
      { ...event, name: "order.sent" },
    ]);
    assert.deepEqual(
      again.body.results.map((one: Json) => one["event"].is_new),
      [false, true, false, true],
    );
    assert.equal(again.body.results[1].event.id, again.body.results[2].event.id);
    assert.deepEqual(await rows(person), { events: 3, keys: 3 });
  });

  it("is refused with every fault at its place", async () => {
    const person = await add();
    const good = { subscriber_id: person["id"], name: "seen" };
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
    const cases: [Json, string[][]][] = [
      [{ name: "seen" }, [["/subscriber_id", "required"]]],
      [{ ...good, email: "ada@example.com" }, [["/subscriber_id", "invalid_value"]]],
      [{ ...good, list_id: listId }, [["/list_id", "invalid_value"]]],
      [{ email: "nobody@example.com", name: "seen" }, [["/email", "not_found"]]],
      [{ email: "no address", name: "seen" }, [["/email", "invalid_email"]]],
      [{ ...good, subscriber_id: "sub_01k9zq4t3xe8k8y0v6d3m2n1pq" }, [["/subscriber_id", "not_found"]]],
      [{ ...good, name: "ada@example.com" }, [["/name", "invalid_value"]]],
      [{ ...good, name: "x".repeat(101) }, [["/name", "too_long"]]],
      [{ ...good, properties: [] }, [["/properties", "invalid_type"]]],
      [{ ...good, properties: nested(11) }, [["/properties", "too_deep"]]],
      [{ ...good, properties: { text: "x".repeat(8_192) } }, [["/properties", "too_large"]]],
      [{ ...good, occurred_at: "2026-11-14T12:06:00Z" }, [["/occurred_at", "invalid_value"]]],
      [{ ...good, occurred_at: "2025-10-01T12:00:00Z" }, [["/occurred_at", "invalid_value"]]],
      [{ ...good, occurred_at: "yesterday" }, [["/occurred_at", "invalid_format"]]],
      [{ ...good, extra: 1 }, [["/extra", "unknown_field"]]],
    ];
    for (const [body, faults] of cases) {
      const reply = await track(body);
      assert.deepEqual([reply.status, codes(reply)], [422, faults], JSON.stringify(body));
    }
    assert.equal((await track({ ...good, properties: nested(10) })).status, 202);
    assert.equal((await track({ ...good, properties: { text: "x".repeat(8_100) } })).status, 202);
    // Bodies so deep are refused before anybody reads them.
    const deep = `{"name":"seen","subscriber_id":"${person["id"]}","properties":${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}}`;
    const refused = await fetch(`${app.baseUrl}/v1/track`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json" },
      body: deep,
    });
    assert.equal(refused.status, 400);
    assert.deepEqual(await rows(person), { events: 2, keys: 0 });
  });

  it("of another account's subscriber is of nobody, and needs its scope", async () => {
    const person = await add();
    const other = await app.addAccount();
    for (const whose of [{ subscriber_id: person["id"] }, { email: person["email"] }])
      assert.equal((await track({ ...whose, name: "seen" }, other.key)).status, 422);
    const event = { subscriber_id: person["id"], name: "seen" };
    assert.equal((await track(event, await app.addKey(["subscribers:write"]))).status, 403);
    assert.equal((await track(event, await app.addKey(["events:write"]))).status, 202);
  });

  it("stands in the log by ids and its name alone, and only where somebody wants it", async () => {
    const person = await add();
    const accountId = uuidOf("acc", app.accountId);
    const event = { subscriber_id: person["id"], name: "seen", properties: { secret: "words" } };
    await track(event);
    await keepEvents(app.db, accountId, "test", ["subscriber.event_tracked"]);
    const told = await track(event);
    await keepEvents(app.db, accountId, "test", []);
    await track(event);
    await settled(app);
    const log = await app.api("GET", "/v1/events?type=subscriber.event_tracked");
    assert.deepEqual(
      log.body.data.map((one: Json) => one["data"]),
      [
        {
          subscriber_id: person["id"],
          list_id: listId,
          contact_id: person["contact_id"],
          custom_event_id: told.body.id,
          name: "seen",
          at: told.body.occurred_at,
        },
      ],
    );
    const timeline = await walk(app, `/v1/subscribers/${person["id"]}/activity`);
    assert.equal(timeline.filter((one) => one["type"] === "subscriber.event_tracked").length, 3);
  });
});

describe("a batch of events", () => {
  it("has a result for each, and one that is wrong stops no other", async () => {
    const person = await add();
    const good = { email: person["email"], name: "seen" };
    const reply = await batch([
      good,
      { ...good, email: "nobody@example.com" },
      7,
      { ...good, name: "" },
      good,
    ]);
    assert.equal(reply.status, 202, reply.text);
    assert.deepEqual(
      reply.body.results.map((one: Json) => one["status"]),
      [202, 422, 422, 422, 202],
    );
    assert.deepEqual(reply.body.results[1].error.errors[0].pointer, "/email");
    assert.deepEqual(await rows(person), { events: 2, keys: 0 });
  });

  it("may have a thousand with all the properties that they may have, and no more", async () => {
    const person = await add();
    const properties = { text: "x".repeat(8_100) };
    const many = Array.from({ length: 1_000 }, () => ({
      subscriber_id: person["id"],
      name: "seen",
      properties,
    }));
    assert.equal((await batch(many)).status, 202);
    assert.equal((await batch([...many, 1])).status, 422);
    assert.deepEqual(await rows(person), { events: 1_000, keys: 0 });
  });
});

describe("a segment", () => {
  it("asks who did something, in which days, how often and with which properties", async () => {
    const [ann, bob] = [await add(), await add()];
    const at = (days: number) => new Date(clock.now().getTime() - days * DAY_MS).toISOString();
    const of = (person: Json, days: number, properties: Json = {}) =>
      track({ subscriber_id: person["id"], name: "bought", occurred_at: at(days), properties });
    await of(ann, 5, { plan: "pro", seats: 3 });
    await of(ann, 40, { plan: "free" });
    await of(bob, 100, { plan: "pro", seats: "3" });
    const cases: [Json, boolean, boolean][] = [
      [did({ name: "bought" }), true, true],
      [did({ name: "bought", days: 30 }), true, false],
      [did({ name: "bought", days: 30 }, "did_not"), false, true],
      [{ not: did({ name: "bought", days: 30 }) }, false, true],
      [{ not: did({ name: "bought", days: 30 }, "did_not") }, true, false],
      [did({ name: "bought", days: 50, count: 2 }), true, false],
      [did({ name: "bought", days: 30, count: 2 }), false, false],
      [did({ name: "bought", where: { plan: "pro" } }), true, true],
      [did({ name: "bought", where: { plan: "pro", seats: 3 } }), true, false],
      [did({ name: "bought", where: { plan: "Pro" } }), false, false],
      [did({ name: "bought.not" }), false, false],
    ];
    for (const [rules, isAnn, isBob] of cases)
      assert.deepEqual(
        [await isIn(rules, ann), await isIn(rules, bob)],
        [isAnn, isBob],
        JSON.stringify(rules),
      );
  });

  it("says it in words, shows it as it was written, and names every fault", async () => {
    const value = { name: "order.placed", days: 30, count: 2, where: { plan: "pro" } };
    const made = await app.api("POST", "/v1/segments", { body: { name: "Loyal", rules: did(value) } });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.rules, did(value));
    assert.equal(
      made.body.sentence,
      "Did “order.placed” at least 2 times in the last 30 days with plan “pro”.",
    );
    const wrong = did({ name: "?", days: 401, count: 0, where: { "a b": 1, plan: null }, when: 1 }, "does");
    const refused = await app.api("POST", "/v1/segments", { body: { name: "Loyal", rules: wrong } });
    assert.deepEqual(codes(refused), [
      ["/rules/op", "invalid_value"],
      ["/rules/value/when", "unknown_field"],
      ["/rules/value/name", "invalid_value"],
      ["/rules/value/days", "invalid_value"],
      ["/rules/value/count", "invalid_value"],
      ["/rules/value/where/a b", "invalid_value"],
      ["/rules/value/where/plan", "invalid_type"],
    ]);
  });
});

describe("events of somebody who goes", () => {
  it("go with a subscriber who is deleted or forgotten, keys included, and can't come back", async () => {
    for (const go of [
      (id: string) => app.api("DELETE", `/v1/subscribers/${id}`),
      (id: string) => act(app, id, "forget"),
    ]) {
      const person = await add();
      const event = { subscriber_id: person["id"], name: "seen", key: "1", properties: { a: 1 } };
      assert.equal((await track(event)).status, 202);
      assert.ok((await go(person["id"] as string)).status < 300);
      assert.deepEqual(await rows(person), { events: 0, keys: 0 });
      assert.equal((await track(event)).status, 422);
    }
  });

  it("are never left behind by a report that comes at the same time", async () => {
    for (let round = 0; round < 10; round++) {
      const person = await add();
      const event = { subscriber_id: person["id"], name: "seen", key: "1" };
      const told = Array.from({ length: 3 }, (_, at) => track({ ...event, key: String(at) }));
      const [gone, ...replies] = await Promise.all([act(app, person["id"] as string, "forget"), ...told]);
      assert.equal(gone?.status, 202, gone?.text);
      for (const { status, text } of replies) assert.ok(status === 202 || status === 422, text);
      assert.deepEqual(await rows(person), { events: 0, keys: 0 });
    }
  });

  it("are gone after 400 days, with their keys", async () => {
    const person = await add();
    await track({ subscriber_id: person["id"], name: "seen", key: "old" });
    const log = createLog({ level: "silent", pretty: false });
    const later = new Date(Date.now() + 440 * DAY_MS);
    await app.db.execute(sql`
      update custom_event_keys set created_at = ${new Date(Date.now() - 440 * DAY_MS)}
      where subscriber_id = ${uuidOf("sub", person["id"])}`);
    await app.db.execute(sql`
      update custom_events set created_at = ${new Date(Date.now() - 440 * DAY_MS)}
      where subscriber_id = ${uuidOf("sub", person["id"])}`);
    await maintainPartitions(app.db, createTestClock(later), [customEventPartitions], log);
    await removeOldKeys(app.db, new Date());
    assert.deepEqual(await rows(person), { events: 0, keys: 0 });
  });
});
