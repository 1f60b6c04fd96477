/** These tests make topics and choose them for people, through the API. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { findPause, pauseContact, setTopicChoices } from "../../src/subscribers/subscribers.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  act,
  addSubscriber,
  eventsSince,
  type Json,
  makeList,
  uuidOf,
  walk,
} from "../support/subscribers.ts";

const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  listId = await makeList(app);
});
after(() => app.stop());

const createTopic = (body: Json, key = app.key) => app.api("POST", "/v1/topics", { body, key });
const makeTopic = async (name: string, more: Json = {}): Promise<string> => {
  const made = await createTopic({ name, ...more });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
const topicsOf = async (subscriber: Json): Promise<Json[]> => {
  const read = await app.api("GET", `/v1/subscribers/${subscriber["id"]}/topics`);
  assert.equal(read.status, 200, read.text);
  return read.body.topics;
};
const choose = (subscriber: Json, topics: Json) =>
  app.api("PATCH", `/v1/subscribers/${subscriber["id"]}/topics`, { body: { topics } });
const isOn = async (subscriber: Json, topicId: string) =>
  (await topicsOf(subscriber)).find(({ id }) => id === topicId)?.["on"];

describe("a topic", () => {
  it("needs a name, and is on by default unless it says otherwise", async () => {
    const made = await createTopic({ name: "Product news" });
    assert.equal(made.status, 201, made.text);
    const { id, created_at, updated_at, updated_by, ...rest } = made.body;
    assert.deepEqual(rest, { object: "topic", name: "Product news", description: null, default: true });
    assert.equal(updated_by.kind, "api_key");
    assert.equal(created_at, updated_at);
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/topics/${id}`);
    const read = await app.api("GET", `/v1/topics/${id}`);
    assert.deepEqual([read.status, read.body], [200, made.body]);
    assert.equal((await createTopic({ name: "Offers", default: false })).body.default, false);
    for (const body of [{}, { name: " " }, { name: "x".repeat(101) }, { name: "x", on: true }])
      assert.equal((await createTopic(body)).status, 422, JSON.stringify(body));
  });

  it("is changed under its ETag, and a change of nothing is none", async () => {
    const id = await makeTopic("Before");
    const { headers } = await app.api("GET", `/v1/topics/${id}`);
    const etag = headers.get("etag") ?? "";
    const patch = (body: Json, ifMatch: string) =>
      app.api("PATCH", `/v1/topics/${id}`, { body, headers: { "if-match": ifMatch } });
    const { cursor } = await eventsSince(app);
    assert.equal((await patch({ name: "Before" }, etag)).status, 200);
    const changed = await patch({ name: "After", description: "Monthly." }, etag);
    assert.deepEqual([changed.body.name, changed.body.description], ["After", "Monthly."]);
    assert.equal((await patch({ name: "Late" }, etag)).status, 412);
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.changed]),
      [["topic.updated", ["name", "description"]]],
    );
  });

  it("is gone once deleted, for other accounts it was never there, and pages show each once", async () => {
    const id = await makeTopic("Short-lived");
    const { key } = await app.addAccount();
    for (const method of ["GET", "PATCH", "DELETE"])
      assert.equal(
        (
          await app.api(method, `/v1/topics/${id}`, {
            key,
            ...(method === "PATCH" && { body: { name: "x" } }),
          })
        ).status,
        404,
      );
    assert.deepEqual((await app.api("GET", "/v1/topics", { key })).body.data, []);
    const before = (await walk(app, "/v1/topics?limit=2")).map((one: Json) => one["id"]);
    assert.ok(before.includes(id));
    assert.equal(new Set(before).size, before.length);
    assert.equal((await app.api("DELETE", `/v1/topics/${id}`)).status, 204);
    for (const method of ["GET", "DELETE"])
      assert.equal((await app.api(method, `/v1/topics/${id}`)).status, 404);
    const left = (await walk(app, "/v1/topics?limit=2")).map((one: Json) => one["id"]);
    assert.deepEqual(
      left,
      before.filter((one) => one !== id),
    );
  });

  it("is one of at most 50, also where many are made at once", async () => {
    const { key } = await app.addAccount();
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, n) => createTopic({ name: `Topic ${n}` }, key)),
    );
    const statuses = made.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [...Array(50).fill(201), ...Array(10).fill(409)]);
    assert.equal(made.find(({ status }) => status === 409)?.body.code, "too_many_topics");
  });
});

describe("a subscriber's topics", () => {
  let on: string;
  let off: string;
  before(async () => {
    on = await makeTopic("On by default");
    off = await makeTopic("Off by default", { default: false });
  });

  it("are the defaults, then what was chosen; it holds for the address on every list, and outlives the subscriber", async () => {
    const ada = await addSubscriber(app, listId, "ada@topics.example");
    const found = (await topicsOf(ada)).filter(({ id }) => id === on || id === off);
    assert.deepEqual(
      found.map(({ id, on: isOn, chosen }) => [id, isOn, chosen]),
      [
        [off, false, false],
        [on, true, false],
      ],
    );
    const changed = await choose(ada, { [on]: false, [off]: true });
    assert.equal(changed.status, 200, changed.text);
    const elsewhere = await addSubscriber(app, await makeList(app), "Ada@topics.example");
    assert.deepEqual([await isOn(elsewhere, on), await isOn(elsewhere, off)], [false, true]);
    for (const one of [ada, elsewhere]) await app.api("DELETE", `/v1/subscribers/${one["id"]}`);
    const back = await addSubscriber(app, listId, "ada@topics.example");
    assert.deepEqual([await isOn(back, on), await isOn(back, off)], [false, true]);
  });

  it("tell of a change by an event without an address, and of no change by none", async () => {
    const bo = await addSubscriber(app, listId, "bo@topics.example");
    const { cursor } = await eventsSince(app);
    await choose(bo, { [on]: true, [off]: false });
    await choose(bo, { [on]: false });
    await choose(bo, { [on]: false });
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.subscriber_id, data.joined, data.left, data.source]),
      [["subscriber.topics_changed", bo["id"], [], [on], "api"]],
    );
    assert.ok(!JSON.stringify(events).includes("bo@"));
  });

  it("refuse topics that aren't there, and name each", async () => {
    const cy = await addSubscriber(app, listId, "cy@topics.example");
    const { key } = await app.addAccount();
    const foreign = (await createTopic({ name: "Foreign" }, key)).body.id;
    const refused = await choose(cy, { [on]: false, [foreign]: true, nonsense: true });
    assert.equal(refused.status, 422, refused.text);
    assert.deepEqual(
      refused.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`),
      [`/topics/${foreign} not_found`, "/topics/nonsense not_found"],
    );
    assert.equal(await isOn(cy, on), true);
    for (const body of [{}, { topics: {} }, { topics: { [on]: null } }, { topics: { [on]: "no" } }])
      assert.equal((await app.api("PATCH", `/v1/subscribers/${cy["id"]}/topics`, { body })).status, 422);
    assert.equal((await app.api("GET", `/v1/subscribers/${cy["id"]}/topics`, { key })).status, 404);
  });

  it("are one state whoever writes at once", async () => {
    const di = await addSubscriber(app, listId, "di@topics.example");
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => choose(di, { [on]: n % 2 === 0, [off]: n % 2 === 0 })),
    );
    assert.ok(replies.every(({ status }) => status === 200));
    assert.equal(await isOn(di, on), await isOn(di, off));
  });

  it("go with the pause when the person is forgotten", async () => {
    const eve = await addSubscriber(app, listId, "eve@topics.example");
    const contactId = uuidOf("con", eve["contact_id"]);
    const accountId = uuidOf("acc", app.accountId);
    await app.db.transaction(async (tx) => {
      const ctx = systemCtx({ clock: systemClock, log }, tx, accountId);
      await setTopicChoices(ctx, contactId, [{ topicId: uuidOf("top", on), isOn: false }], "test");
      await pauseContact(ctx, contactId, new Date(Date.now() + 86_400_000));
    });
    assert.ok(await findPause(app.db, accountId, contactId));
    assert.equal((await act(app, eve["id"], "forget")).status, 202);
    assert.equal(await findPause(app.db, accountId, contactId), null);
    const kept = await app.db.many(
      sql`select from topic_choices where account_id = ${accountId} and contact_id = ${contactId}`,
    );
    assert.equal(kept.length, 0);
  });
});
