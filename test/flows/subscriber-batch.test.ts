import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { addSubscriber, firstList, type Json, readSubscriber } from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await firstList(app);
});
after(() => app.stop());

let turn = 0;
const newAddress = (name = "someone") => `${name}${++turn}@example.com`;
const faultsOf = (reply: Reply): string[] =>
  reply.body.errors.map((one: Json) => `${one["pointer"] ?? one["parameter"]} ${one["code"]}`);

describe("a batch", () => {
  const batch = (subscribers: unknown, more: Json = {}, headers = {}) =>
    app.api("POST", "/v1/subscribers/batch", { body: { subscribers, ...more }, headers });

  it("answers for each item in order, and one bad item stops no other", async () => {
    const [first, last] = [newAddress(), newAddress()];
    const tag = "of-a-refused-item";
    const reply = await batch([
      { email: first, list_id: listId },
      { email: "not an address", list_id: "lst_00000000000000000000000000", colour: "red" },
      { email: first.toUpperCase(), list_id: listId, tags: [tag] },
      { email: newAddress(), list_id: "lst_00000000000000000000000000", tags: [tag] },
      { email: newAddress(), list_id: "nonsense" },
      "no object",
      null,
      { email: last, list_id: listId, tags: ["batch"] },
    ]);
    assert.equal(reply.status, 200, reply.text);
    const { object, results } = reply.body;
    assert.equal(object, "batch");
    assert.deepEqual(
      results.map((one: Json) => one["status"]),
      [201, 422, 409, 422, 422, 422, 422, 201],
    );
    assert.deepEqual(Object.keys(results[7].subscriber), ["id", "status"]);
    assert.equal(results[2].error.subscriber_id, results[0].subscriber.id);
    assert.deepEqual(
      results[1].error.errors.map((one: Json) => one["pointer"]),
      ["/colour", "/email", "/list_id"],
    );
    assert.equal(results[3].error.errors[0].pointer, "/list_id");
    assert.equal((await readSubscriber(app, results[7].subscriber.id))["email"], last);
    const tags = (await app.api("GET", "/v1/tags?limit=200")).body.data;
    assert.ok(tags.every((one: Json) => one["name"] !== tag));
  });

  it("tells an item of a bad address and an unknown list at once", async () => {
    const { body } = await batch([{ email: "nobody", list_id: "lst_00000000000000000000000000" }]);
    assert.deepEqual(
      body.results[0].error.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`),
      ["/email invalid_email", "/list_id not_found"],
    );
  });

  it("with update merges, also two items of the same address, and counts each once", async () => {
    const [old, fresh] = [newAddress(), newAddress()];
    const existing = await addSubscriber(app, listId, old, { first_name: "Old", tags: ["a"] });
    const reply = await batch(
      [
        { email: old, list_id: listId, last_name: "Merged", tags: ["b"] },
        { email: fresh, list_id: listId, first_name: "One", tags: ["a"] },
        { email: fresh, list_id: listId, last_name: "Two", tags: ["b"] },
      ],
      { on_conflict: "update" },
    );
    const statuses = reply.body.results.map((one: Json) => one["status"]);
    assert.deepEqual(statuses, [200, 201, 200]);
    const merged = await readSubscriber(app, existing["id"]);
    assert.deepEqual(
      [merged["first_name"], merged["last_name"], merged["tags"]],
      ["Old", "Merged", ["a", "b"]],
    );
    const both = await readSubscriber(app, reply.body.results[1].subscriber.id);
    assert.deepEqual([both["first_name"], both["last_name"], both["tags"]], ["One", "Two", ["a", "b"]]);
    assert.equal(reply.body.results[2].subscriber.id, both["id"]);
  });

  it("with skip leaves what is there", async () => {
    const existing = await addSubscriber(app, listId, newAddress(), { first_name: "Old" });
    const items = [{ email: existing["email"], list_id: listId, first_name: "New" }];
    const { body } = await batch(items, { on_conflict: "skip" });
    assert.deepEqual(body.results, [{ status: 200, subscriber: { id: existing["id"], status: "active" } }]);
    assert.equal((await readSubscriber(app, existing["id"]))["first_name"], "Old");
  });

  it("refuses one item of too many tags and takes the rest", async () => {
    const existing = await addSubscriber(app, listId, newAddress(), {
      tags: Array.from({ length: 100 }, (_, i) => `brim${i}`),
    });
    const items = [
      { email: existing["email"], list_id: listId, tags: ["over"] },
      { email: newAddress(), list_id: listId },
    ];
    const { body } = await batch(items, { on_conflict: "update" });
    assert.deepEqual(
      body.results.map((one: Json) => one["status"]),
      [422, 201],
    );
  });

  it("takes a thousand and refuses one more, or none, or a field it doesn't know", async () => {
    const items = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ email: `t${i}@thousand.example`, list_id: listId }));
    assert.equal((await batch(items(1_001))).status, 422);
    assert.equal((await batch([])).status, 422);
    assert.equal((await batch({})).status, 422);
    const unknown = await batch(items(1), { dry_run: true });
    assert.deepEqual([unknown.status, ...faultsOf(unknown)], [422, "/dry_run unknown_field"]);
    const found = await app.api("GET", "/v1/subscribers/search?email=t0@thousand.example");
    assert.equal(found.body.data.length, 0);

    const headers = { "idempotency-key": "a thousand" };
    const first = await batch(items(1_000), {}, headers);
    assert.equal(first.status, 200, first.text.slice(0, 200));
    assert.ok(first.body.results.every((one: Json) => one["status"] === 201));
    const replayed = await batch(items(1_000), {}, headers);
    assert.equal(replayed.headers.get("idempotency-replayed"), "true");
    assert.equal(replayed.text, first.text);
  });
});
