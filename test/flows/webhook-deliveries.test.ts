/** These tests read the log of deliveries through the API, try one again, test an endpoint and replay what was. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { insertDeliveries } from "../../src/webhooks/delivering/delivery-store.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { eventsSince, type Json, makeList, settled, uuidOf, walk } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { makeWebhook, type Receiver, startReceiver } from "../support/webhooks.ts";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api,jobs", INTERNAL_HOSTS: "127.0.0.1" } });
});
after(() => app.stop());

const open: Receiver[] = [];
after(() => Promise.all(open.map((receiver) => receiver.close())));

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver();
  open.push(receiver);
  return receiver;
}

const pathOf = ({ id }: Json) => `/v1/webhooks/${id}`;
const deliveriesOf = async (webhook: Json, query = "") =>
  (await app.api("GET", `${pathOf(webhook)}/deliveries${query}`)).body.data as Json[];
const act = (webhook: Json, action: string, body?: Json) =>
  app.api("POST", `${pathOf(webhook)}/${action}`, body && { body });
const faultsOf = (reply: Reply) =>
  reply.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`).join(", ");

/** Stores deliveries as they are once they are over, one for each of these, a millisecond apart. */
async function storeDeliveries(webhook: Json, some: readonly (readonly [type: string, state: string])[]) {
  const clock = createTestClock();
  const rows = some.map(([type, state], n) => {
    clock.advance(1);
    return {
      account_id: uuidOf("acc", app.accountId),
      id: newId(clock),
      webhook_id: uuidOf("whk", webhook["id"]),
      event_ids: [],
      message_id: `evt_${n + 1}`,
      type,
      origin: "log" as const,
      state: state as "failed",
      attempts: [],
      next_attempt_at: null,
      answer: null,
    };
  });
  await app.db.transaction((tx) => insertDeliveries(tx, rows));
}

describe("the log of deliveries", () => {
  it("has what was posted and what was answered", async () => {
    const receiver = await receive();
    receiver.answerWith(200, `taken${"é".repeat(5_000)}`);
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["list.created"] });
    const listId = await makeList(app);
    await until(async () => (await deliveriesOf(webhook)).length === 1);
    const [delivery = {}] = await deliveriesOf(webhook);
    const [posted] = receiver.received;
    const [attempt] = delivery["attempts"];
    assert.ok(attempt.duration_ms >= 0 && Date.parse(attempt.at) > 0);
    assert.deepEqual(delivery, {
      object: "webhook_delivery",
      id: delivery["id"],
      webhook_id: webhook["id"],
      message_id: posted?.headers["webhook-id"],
      type: "list.created",
      event_ids: [posted?.headers["webhook-id"]],
      origin: "log",
      status: "delivered",
      attempts: [{ at: attempt.at, duration_ms: attempt.duration_ms, status: 200, failure: null }],
      next_attempt_at: null,
      created_at: delivery["created_at"],
      updated_at: attempt.at,
    });
    const one = await app.api("GET", `${pathOf(webhook)}/deliveries/${delivery["id"]}`);
    assert.equal(one.status, 200, one.text);
    const { request, answer, ...rest } = one.body;
    assert.deepEqual(rest, delivery);
    assert.deepEqual(request, { url: receiver.url, body: posted?.text });
    // The bytes that are kept end in the middle of a character.
    assert.equal(answer, `taken${"é".repeat(2_045)}`);
    assert.deepEqual(posted?.body["data"], { list_id: listId });
    const { body: shown } = await app.api("GET", pathOf(webhook));
    assert.ok(shown.last_delivered_at);
  });

  it("is filtered by status and type, and read page by page", async () => {
    const webhook = await makeWebhook(app, { url: "http://127.0.0.1:9/", events: ["bounces.held"] });
    const kinds = ["list.created", "list.updated", "email.batch"];
    const all = Array.from({ length: 30 }, (_, n) => {
      return [kinds[n % 3] ?? "", n % 5 === 0 ? "failed" : "delivered"] as const;
    });
    await storeDeliveries(webhook, all);
    const path = `${pathOf(webhook)}/deliveries`;
    for (const [query, fits] of [
      ["", () => true],
      ["status=failed", (_type: string, state: string) => state === "failed"],
      ["type=list.updated", (type: string) => type === "list.updated"],
      [
        "type=email.batch&status=failed",
        (type: string, state: string) => type === "email.batch" && state === "failed",
      ],
      ["status=waiting", () => false],
    ] as const) {
      const expected = all
        .flatMap(([type, state], n) => (fits(type, state) ? [`evt_${n + 1}`] : []))
        .toReversed();
      const found = await walk(app, `${path}?limit=2&${query}`);
      assert.deepEqual(
        found.map((one) => one["message_id"]),
        expected,
        query,
      );
      const { body } = await app.api("GET", `${path}?include_total=true&${query}`);
      assert.equal(body.total, expected.length, query);
    }
    const bad = await app.api("GET", `${path}?status=lost`);
    assert.deepEqual([bad.status, bad.body.errors[0].parameter], [400, "status"]);
    const { body: page } = await app.api("GET", `${path}?limit=2`);
    const elsewhere = await app.api("GET", `${path}?limit=2&status=failed&cursor=${page.next_cursor}`);
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [400, "invalid_cursor"]);
  });

  it("knows a delivery by its own endpoint alone", async () => {
    const [one, other] = [
      await makeWebhook(app, { url: "http://127.0.0.1:9/", events: ["bounces.held"] }),
      await makeWebhook(app, { url: "http://127.0.0.1:9/", events: ["bounces.held"] }),
    ];
    const { body: test } = await act(one, "test");
    assert.equal((await app.api("GET", `${pathOf(one)}/deliveries/${test.id}`)).status, 200);
    assert.equal((await app.api("GET", `${pathOf(other)}/deliveries/${test.id}`)).status, 404);
    assert.equal((await act(other, `deliveries/${test.id}/retry`)).status, 404);
  });
});

describe("a retry", () => {
  it("posts the same message once more under the same id", async () => {
    const receiver = await receive();
    receiver.answerWith(500, "broken");
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["list.created"] });
    await makeList(app);
    await until(async () => (await deliveriesOf(webhook, "?status=waiting")).length === 1);
    const [waiting = {}] = await deliveriesOf(webhook);
    assert.ok(waiting["next_attempt_at"] > waiting["attempts"][0].at);
    assert.ok((await app.api("GET", pathOf(webhook))).body.failing_since);
    receiver.answerWith(204);
    const asked = await act(webhook, `deliveries/${waiting["id"]}/retry`);
    assert.deepEqual([asked.status, asked.body.status], [202, "waiting"], asked.text);
    await until(async () => (await deliveriesOf(webhook, "?status=delivered")).length === 1);
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    assert.ok(ids.length > 1);
    assert.deepEqual([...new Set(ids)], [waiting["message_id"]]);
    assert.equal(new Set(receiver.received.map(({ text }) => text)).size, 1);
    const [done = {}] = await deliveriesOf(webhook);
    const statuses = done["attempts"].map((one: Json) => one["status"]);
    // On a slow machine it may have been tried again by itself meanwhile.
    assert.deepEqual([statuses[0], statuses.at(-1)], [500, 204]);
    assert.equal((await app.api("GET", pathOf(webhook))).body.failing_since, null);
    assert.equal((await act(webhook, `deliveries/${done["id"]}/retry`)).status, 202, "what went well, too");
    await until(() => receiver.received.length > ids.length);
  });

  it("is refused where there is nothing to post, or nobody to post it to", async () => {
    const webhook = await makeWebhook(app, { url: "http://127.0.0.1:9/", events: ["bounces.held"] });
    const { body: test } = await act(webhook, "test");
    const again = await act(webhook, `deliveries/${test.id}/retry`);
    assert.deepEqual([again.status, again.body.code], [409, "event_gone"]);
    await app.api("PATCH", pathOf(webhook), { body: { status: "disabled" } });
    const disabled = await act(webhook, `deliveries/${test.id}/retry`);
    assert.deepEqual([disabled.status, disabled.body.code], [409, "webhook_disabled"]);
  });
});

describe("a test", () => {
  it("posts an example, signed, and answers with what came back", async () => {
    const receiver = await receive();
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["campaign.*"] });
    const { status, body } = await act(webhook, "test");
    assert.equal(status, 200);
    assert.deepEqual([body.origin, body.status, body.type], ["test", "delivered", "campaign.created"]);
    assert.deepEqual([body.event_ids, body.attempts[0].status], [[], 200]);
    const [posted] = receiver.received;
    const read = new Webhook(webhook["secret"]).verify(posted?.text ?? "", posted?.headers as never);
    assert.deepEqual(read, posted?.body);
    assert.deepEqual(Object.keys(posted?.body ?? {}), ["id", "type", "timestamp", "account_id", "data"]);
    assert.equal(posted?.body["account_id"], app.accountId);
    const { body: shown } = await app.api("GET", `${pathOf(webhook)}/deliveries/${body.id}`);
    assert.equal(shown.request.body, posted?.text);
    const typed = await act(webhook, "test", { type: "email.clicked" });
    assert.equal(typed.body.type, "email.clicked");
    assert.equal(receiver.received[1]?.body["type"], "email.clicked");
  });

  it("that fails says why, and changes nothing about the endpoint", async () => {
    const receiver = await receive();
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["campaign.*"] });
    receiver.answerWith(410, "gone");
    const gone = await act(webhook, "test");
    assert.deepEqual([gone.status, gone.body.status, gone.body.attempts[0].status], [200, "failed", 410]);
    await receiver.close();
    const away = await act(webhook, "test");
    assert.deepEqual([away.body.attempts[0].status, away.body.attempts[0].failure], [null, "unreachable"]);
    const { body: shown } = await app.api("GET", pathOf(webhook));
    assert.deepEqual([shown.status, shown.failing_since], ["enabled", null]);
    await app.api("PATCH", pathOf(webhook), { body: { status: "disabled" } });
    assert.equal((await act(webhook, "test")).status, 200, "one that is disabled can be tested first");
  });

  it("is no event of the log", async () => {
    const webhook = await makeWebhook(app, { url: "http://127.0.0.1:9/", events: ["campaign.*"] });
    const { cursor } = await eventsSince(app);
    await act(webhook, "test");
    assert.deepEqual((await eventsSince(app, cursor)).events, []);
  });
});

describe("a replay", () => {
  const names = (receiver: Receiver) => receiver.received.map(({ body }) => body["data"].list_id);
  const isOver = async (webhook: Json) => (await app.api("GET", pathOf(webhook))).body.replay === null;

  it("posts once more what came after a time, under the same ids", async () => {
    const receiver = await receive();
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["list.*"] });
    const since = new Date().toISOString();
    const lists = [await makeList(app), await makeList(app), await makeList(app)];
    await until(() => receiver.received.length === 3);
    await settled(app);
    const asked = await act(webhook, "replay", { since });
    assert.equal(asked.status, 202, asked.text);
    assert.deepEqual(asked.body.replay, { started_at: asked.body.replay?.started_at, delivered: 0 });
    await until(() => receiver.received.length === 6);
    await until(() => isOver(webhook));
    assert.deepEqual(names(receiver).slice(3).toSorted(), lists.toSorted());
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual(ids.slice(3).toSorted(), ids.slice(0, 3).toSorted());
    const replayed = await deliveriesOf(webhook);
    assert.equal(replayed.filter(({ origin }) => origin === "replay").length, 3);
    const { events } = await eventsSince(app);
    assert.equal(
      events.filter(
        ({ type, data }) => type === "webhook.replay_started" && data["webhook_id"] === webhook["id"],
      ).length,
      1,
    );
  });

  it("posts what came after a cursor, of some types and up to a time", async () => {
    const receiver = await receive();
    await makeList(app);
    const { cursor } = await eventsSince(app);
    const listId = await makeList(app);
    await app.api("PATCH", `/v1/lists/${listId}`, { body: { name: "Renamed" } });
    await settled(app);
    const until_ = new Date().toISOString();
    await until(() => Date.now() > Date.parse(until_));
    const later = await makeList(app);
    const webhook = await makeWebhook(app, { url: receiver.url, events: ["list.*"] });
    const asked = await act(webhook, "replay", {
      since: cursor,
      until: until_,
      types: ["list.created", "topic.*"],
    });
    assert.equal(asked.status, 202, asked.text);
    await until(() => isOver(webhook));
    assert.deepEqual(names(receiver), [listId]);
    assert.equal((await act(webhook, "replay", { since: cursor })).status, 202);
    await until(() => isOver(webhook));
    assert.deepEqual(names(receiver).slice(1).toSorted(), [listId, listId, later].toSorted());
  });

  it("runs one at a time", async () => {
    const webhook = await makeWebhook(app, { url: "http://127.0.0.1:9/", events: ["list.*"] });
    // Nobody delivers to it meanwhile, so that the first one still runs.
    await app.db.execute(sql`
      update webhooks set leased_by = gen_random_uuid(), leased_until = now() + interval '1 hour'
      where id = ${uuidOf("whk", webhook["id"])}`);
    const since = "2026-01-01T00:00:00Z";
    const replies = await Promise.all([1, 2, 3].map(() => act(webhook, "replay", { since })));
    const codes = replies.map(({ status, body }) => `${status} ${body.code ?? ""}`).toSorted();
    assert.deepEqual(codes, ["202 ", "409 replay_running", "409 replay_running"]);
    assert.ok((await app.api("GET", pathOf(webhook))).body.replay);
  });

  it("is refused from a place that isn't one of this account's events", async () => {
    const webhook = await makeWebhook(app, { url: "http://127.0.0.1:9/", events: ["list.*"] });
    const other = await app.addAccount();
    await makeList(app, {}, other.key);
    await settled(app);
    const theirs = await app.api("GET", "/v1/events?sort=created_at&limit=1", { key: other.key });
    const newestFirst = await app.api("GET", "/v1/events?limit=1");
    const filtered = await app.api("GET", "/v1/events?sort=created_at&limit=1&type=list.created");
    const lists = await app.api("GET", "/v1/lists?limit=1");
    for (const since of [
      theirs.body.next_cursor,
      newestFirst.body.next_cursor,
      filtered.body.next_cursor,
      lists.body.next_cursor,
      "yesterday",
      "2026-13-45T00:00:00Z",
      "2026-02-30T00:00:00Z",
      "2026-01-01T25:00:00Z",
      "2026-01-01",
      "",
      "1",
    ]) {
      assert.equal(typeof since, "string");
      const reply = await act(webhook, "replay", { since });
      assert.deepEqual([reply.status, faultsOf(reply)], [422, "/since invalid_since"], since);
    }
    assert.equal((await act(webhook, "replay", {})).status, 422);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const [body, faults] of [
      [{ since: inDays(1) }, "/since invalid_since"],
      [{ since: inDays(-1), until: inDays(1) }, "/until invalid_until"],
      [{ since: inDays(-1), until: inDays(-2) }, "/until invalid_until"],
      [
        { since: inDays(2), until: inDays(1) },
        "/since invalid_since, /until invalid_until, /until invalid_until",
      ],
      [
        { since: "x", until: inDays(1), types: ["x"] },
        "/types/0 unknown_event_type, /since invalid_since, /until invalid_until",
      ],
      [{ since: inDays(-1), until: "2026-02-30T00:00:00Z" }, "/until invalid_format"],
    ] as const) {
      const reply = await act(webhook, "replay", body);
      assert.deepEqual([reply.status, faultsOf(reply)], [422, faults], JSON.stringify(body));
    }
    assert.equal((await app.api("GET", pathOf(webhook))).body.replay, null);
    assert.equal(
      (await act(webhook, "replay", { since: "2026-01-01T00:00:00Z", until: "soon" })).status,
      422,
    );
  });
});
