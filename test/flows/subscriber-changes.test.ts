import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import {
  act,
  addSubscriber,
  confirmByMail,
  eventsSince,
  firstList,
  type Json,
  makeList,
  readSubscriber,
  suppress,
  uuidOf,
} from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await firstList(app);
});
after(() => app.stop());

let turn = 0;
const newAddress = (name = "someone") => `${name}${++turn}@example.com`;
const create = (body: Json, query = "") =>
  app.api("POST", `/v1/subscribers${query}`, { body: { list_id: listId, ...body } });
const patch = (id: string, body: Json, headers = {}) =>
  app.api("PATCH", `/v1/subscribers/${id}`, { body, headers });
const faultsOf = (reply: Reply): string[] =>
  reply.body.errors.map((one: Json) => `${one["pointer"] ?? one["parameter"]} ${one["code"]}`);
const typesOf = (events: Json[]) => events.map(({ type }) => type.replace("subscriber.", ""));

describe("changing a subscriber", () => {
  it("leaves what isn't named, clears by null, replaces tags", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), {
      first_name: "Ada",
      last_name: "Lovelace",
      locale: "en",
      time_zone: "UTC",
      tags: ["a", "b"],
    });
    const reply = await patch(id, { first_name: null, locale: null, tags: ["B", "c"] });
    assert.equal(reply.status, 200, reply.text);
    const { first_name, last_name, locale, time_zone, tags } = reply.body;
    assert.deepEqual(
      [first_name, last_name, locale, time_zone, tags],
      [null, "Lovelace", null, "UTC", ["b", "c"]],
    );
    assert.deepEqual((await patch(id, { tags: null })).body.tags, []);
  });

  it("merges fields, and null clears one or all", async () => {
    for (const key of ["company", "size"])
      await app.api("POST", "/v1/fields", { body: { key, type: key === "size" ? "number" : "text" } });
    const made = await addSubscriber(app, listId, newAddress(), { fields: { company: "Acme" } });
    const { id } = made;
    assert.deepEqual((await patch(id, { fields: { size: 5 } })).body.fields, { company: "Acme", size: 5 });
    assert.deepEqual((await patch(id, { fields: { company: null } })).body.fields, { size: 5 });
    assert.deepEqual((await patch(id, { fields: null })).body.fields, {});
  });

  it("refuses list and status, names the action to use, and every other fault with them", async () => {
    const made = await addSubscriber(app, listId, newAddress());
    const reply = await patch(made["id"], {
      list_id: listId,
      status: "active",
      email: "nobody",
      fields: { nothing: 1 },
      first_name: "Changed",
    });
    assert.equal(reply.status, 422);
    assert.deepEqual(faultsOf(reply), [
      "/list_id read_only",
      "/status read_only",
      "/email invalid_email",
      "/fields/nothing unknown_field",
    ]);
    assert.match(reply.body.errors[0].detail, /POST \/v1\/subscribers/);
    assert.match(reply.body.errors[1].detail, /unsubscribe.*resubscribe/);
    assert.deepEqual(await readSubscriber(app, made["id"]), made);
  });

  it("with a stale If-Match is 412; a change of status doesn't make it stale", async () => {
    const { id } = await addSubscriber(app, listId, newAddress());
    const etag = String((await app.api("GET", `/v1/subscribers/${id}`)).headers.get("etag"));
    await act(app, id, "unsubscribe");
    assert.equal((await patch(id, { first_name: "One" }, { "if-match": etag })).status, 200);
    assert.equal((await patch(id, { first_name: "Two" }, { "if-match": etag })).status, 412);
    await act(app, id, "tags", { add: ["new"] });
    const one = await readSubscriber(app, id);
    assert.equal(one["first_name"], "One");
  });

  it("that changes nothing isn't a change", async () => {
    const made = await addSubscriber(app, listId, newAddress(), { first_name: "Ada", tags: ["a"] });
    const { cursor } = await eventsSince(app);
    const reply = await patch(made["id"], {
      first_name: "Ada",
      last_name: null,
      tags: ["A"],
      email: made["email"],
    });
    assert.deepEqual(reply.body, made);
    assert.deepEqual((await eventsSince(app, cursor)).events, []);
  });

  it("racing a delete is 200 or 404, and afterwards it is gone", async () => {
    for (let round = 0; round < 15; round++) {
      const { id } = await addSubscriber(app, listId, newAddress());
      const [patched, deleted] = await Promise.all([
        patch(id, { first_name: "Late", tags: ["late"] }),
        app.api("DELETE", `/v1/subscribers/${id}`),
      ]);
      assert.ok(patched.status === 200 || patched.status === 404, patched.text);
      assert.equal(deleted.status, 204);
      assert.equal((await app.api("GET", `/v1/subscribers/${id}`)).status, 404);
      const uuid = uuidOf("sub", id);
      assert.equal(await app.db.execute(sql`select from subscriber_tags where subscriber_id = ${uuid}`), 0);
    }
  });

  it("racing an unsubscribe never loses the status, nor the change", async () => {
    for (let round = 0; round < 15; round++) {
      const { id } = await addSubscriber(app, listId, newAddress());
      const [patched, left] = await Promise.all([
        patch(id, { first_name: "Changed" }),
        act(app, id, "unsubscribe"),
        create({ email: `someone${turn}@example.com`, last_name: "Merged" }, "?on_conflict=update"),
      ]);
      assert.deepEqual([patched.status, left.status], [200, 200]);
      const now = await readSubscriber(app, id);
      assert.deepEqual(
        [now["status"], now["first_name"], now["last_name"]],
        ["unsubscribed", "Changed", "Merged"],
      );
    }
  });
});

describe("changing the address", () => {
  it("to the same in another case keeps the contact and the consent", async () => {
    const made = await addSubscriber(app, listId, newAddress("case"));
    const reply = await patch(made["id"], { email: made["email"].toUpperCase() });
    assert.deepEqual(
      [reply.body.email, reply.body.contact_id, reply.body.status],
      [made["email"].toUpperCase(), made["contact_id"], "active"],
    );
  });

  it("to a new one makes another contact, and the old address is free", async () => {
    const made = await addSubscriber(app, listId, newAddress());
    const email = newAddress();
    const reply = await patch(made["id"], { email });
    assert.equal(reply.status, 200, reply.text);
    assert.notEqual(reply.body.contact_id, made["contact_id"]);
    assert.equal(reply.body.status, "active");
    const search = async (address: string) =>
      (await app.api("GET", `/v1/subscribers/search?email=${address}`)).body.data.length;
    assert.deepEqual([await search(email), await search(made["email"])], [1, 0]);
    assert.equal((await create({ email: made["email"] })).status, 201);
  });

  it("to one that is on the list already is 409", async () => {
    const taken = await addSubscriber(app, listId, newAddress());
    const made = await addSubscriber(app, listId, newAddress());
    const reply = await patch(made["id"], { email: taken["email"].toUpperCase(), first_name: "X" });
    assert.deepEqual(
      [reply.status, reply.body.code, reply.body.subscriber_id],
      [409, "subscriber_exists", taken["id"]],
    );
    assert.deepEqual(await readSubscriber(app, made["id"]), made);
  });

  it("of two to one address at once succeeds for one", async () => {
    const email = newAddress();
    const two = [
      await addSubscriber(app, listId, newAddress()),
      await addSubscriber(app, listId, newAddress()),
    ];
    const replies = await Promise.all(two.map(({ id }) => patch(id, { email })));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409]);
  });

  it("on a list with double opt-in makes it pending, with a mail to the new address", async () => {
    const double = await makeList(app, { double_opt_in: true });
    const { id } = await addSubscriber(app, double, newAddress());
    await confirmByMail(app, id);
    const reply = await patch(id, { email: newAddress() });
    assert.deepEqual(
      [reply.body.status, reply.body.status_reason, reply.body.confirmed_at, reply.body.sendable],
      ["pending", "address_changed", null, false],
    );
    const asked = sql`select from confirmations where contact_id = ${uuidOf("con", reply.body.contact_id)}`;
    assert.equal(await app.db.execute(asked), 1);
  });

  it("tells of a status that changed with it", async () => {
    const { id } = await addSubscriber(app, await makeList(app, { double_opt_in: true }), newAddress());
    await confirmByMail(app, id);
    const { cursor } = await eventsSince(app);
    await patch(id, { email: newAddress() });
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.changed]),
      [["subscriber.updated", ["email", "status"]]],
    );
  });

  it("of one still pending asks the new address instead", async () => {
    const { id } = await addSubscriber(app, await makeList(app, { double_opt_in: true }), newAddress());
    const reply = await patch(id, { email: newAddress() });
    const asked = sql`select from confirmations where contact_id = ${uuidOf("con", reply.body.contact_id)}`;
    assert.deepEqual([reply.body.status, await app.db.execute(asked)], ["pending", 1]);
  });

  it("to one that opted out makes it unsubscribed", async () => {
    const gone = await addSubscriber(app, listId, newAddress());
    const left = await act(app, gone["id"], "unsubscribe");
    await app.api("DELETE", `/v1/subscribers/${gone["id"]}`);
    const made = await addSubscriber(app, listId, newAddress());
    const reply = await patch(made["id"], { email: gone["email"] });
    assert.deepEqual(
      [reply.body.status, reply.body.status_reason, reply.body.unsubscribed_at, reply.body.sendable],
      ["unsubscribed", "opted_out_before", left.body.unsubscribed_at, false],
    );
  });

  it("to one that complained makes it complained", async () => {
    const email = newAddress();
    await suppress(app, email, "complaint");
    const made = await addSubscriber(app, listId, newAddress());
    const reply = await patch(made["id"], { email });
    assert.deepEqual([reply.body.status, reply.body.status_reason], ["complained", "suppressed_complaint"]);
  });

  it("revives nobody: who unsubscribed stays so, also deleted and added again", async () => {
    const made = await addSubscriber(app, listId, newAddress());
    await act(app, made["id"], "unsubscribe");
    const email = newAddress();
    assert.equal((await patch(made["id"], { email })).body.status, "unsubscribed");
    await app.api("DELETE", `/v1/subscribers/${made["id"]}`);
    assert.equal((await create({ email })).body.status, "unsubscribed");
  });
});

describe("tags", () => {
  it("are added and removed, in any case, and again is no change", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), { tags: ["Beta"] });
    const first = await act(app, id, "tags", { add: ["VIPs", "beta"], remove: ["nobody-has-this"] });
    assert.deepEqual([first.status, first.body.tags], [200, ["Beta", "VIPs"]]);
    const { cursor } = await eventsSince(app);
    const again = await act(app, id, "tags", { add: ["vips"], remove: ["nobody-has-this"] });
    assert.deepEqual(again.body, first.body);
    assert.deepEqual((await eventsSince(app, cursor)).events, []);
    const removed = await act(app, id, "tags", { remove: ["BETA"] });
    assert.deepEqual(removed.body.tags, ["VIPs"]);
  });

  it("in both lists are added", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), { tags: ["x"] });
    assert.deepEqual((await act(app, id, "tags", { add: ["X"], remove: ["x"] })).body.tags, ["x"]);
  });

  it("beyond a hundred, too long or blank are 422, and none is added", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), {
      tags: Array.from({ length: 100 }, (_, i) => `full${i}`),
    });
    const beyond = await act(app, id, "tags", { add: ["one more"] });
    assert.deepEqual([beyond.status, ...faultsOf(beyond)], [422, "/add too_many"]);
    const long = await act(app, id, "tags", { add: ["x".repeat(65)], remove: [" "] });
    assert.equal(long.status, 422);
    const swapped = await act(app, id, "tags", { add: ["one more"], remove: ["full0"] });
    assert.deepEqual([swapped.status, swapped.body.tags.length], [200, 100]);
    assert.equal((await create({ email: newAddress(), tags: Array(101).fill("x") })).status, 422);
  });

  it("are listed by name, each once, in the spelling first used", async () => {
    const other = await app.addAccount();
    const list = await makeList(app, {}, other.key);
    const body = { email: newAddress(), list_id: list, tags: ["zebra", "Ärger", "apple"] };
    await app.api("POST", "/v1/subscribers", { body, key: other.key });
    const again = { email: newAddress(), list_id: list, tags: ["APPLE"] };
    await app.api("POST", "/v1/subscribers", { body: again, key: other.key });
    const page = await app.api("GET", "/v1/tags?limit=2&include_total=true", { key: other.key });
    assert.deepEqual(
      [page.body.data.map((one: Json) => one["name"]), page.body.total],
      [["apple", "zebra"], 3],
    );
    const rest = await app.api("GET", `/v1/tags?limit=2&cursor=${page.body.next_cursor}`, { key: other.key });
    assert.deepEqual(
      rest.body.data.map((one: Json) => one["name"]),
      ["Ärger"],
    );
  });
});

describe("the timeline", () => {
  it("has consent and changes, newest first, page by page", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), { consent: { wording: "Yes." } });
    await patch(id, { first_name: "Ada" });
    await act(app, id, "tags", { add: ["t"] });
    await act(app, id, "unsubscribe");
    const path = `/v1/subscribers/${id}/activity`;
    const all = (await app.api("GET", path)).body.data;
    assert.deepEqual(all.map((one: Json) => one["type"]).toSorted(), [
      "consent.granted",
      "consent.withdrawn",
      "subscriber.created",
      "subscriber.tag_added",
      "subscriber.unsubscribed",
      "subscriber.updated",
    ]);
    const times = all.map((one: Json) => one["created_at"]);
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.ok(all.every((one: Json) => /^(evt|cns)_\w{26}$/.test(one["id"])));
    const granted = all.find((one: Json) => one["type"] === "consent.granted");
    assert.equal(granted.data.wording, "Yes.");
    const paged: Json[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { body }: Reply = await app.api("GET", `${path}?limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...body.data);
      cursor = body.next_cursor;
    }
    assert.deepEqual(paged, all);
  });
});

describe("events", () => {
  const address = "eventful.person@example.com";
  const steps: [string, (id: string) => Promise<unknown>, string[]][] = [
    [
      "a patch",
      (id) => patch(id, { first_name: "Ada", tags: ["one"] }),
      ["updated", "tag_added", "tag_removed"],
    ],
    ["tags", (id) => act(app, id, "tags", { add: ["two"], remove: ["one"] }), ["tag_added", "tag_removed"]],
    [
      "a merge",
      () => create({ email: address, last_name: "L", tags: ["three"] }, "?on_conflict=update"),
      ["updated", "tag_added"],
    ],
    ["an unsubscribe", (id) => act(app, id, "unsubscribe", { reason: address }), ["unsubscribed"]],
    ["another", (id) => act(app, id, "unsubscribe"), []],
    ["a resubscribe", (id) => act(app, id, "resubscribe", { consent: { attested: true } }), ["resubscribed"]],
    ["a suppression", () => suppress(app, address, "hard_bounce"), ["suppressed"]],
    ["a graver one", () => suppress(app, address, "complaint"), ["suppressed"]],
    ["a confirmation", (id) => confirmByMail(app, id), ["unsuppressed", "confirmed"]],
    ["another address", (id) => patch(id, { email: `new.${address}` }), ["updated"]],
    ["a delete", (id) => app.api("DELETE", `/v1/subscribers/${id}`), ["deleted"]],
  ];

  it("tell of every change, in order, once, and never with an address", async () => {
    let { cursor } = await eventsSince(app);
    const made = await create({ email: address, tags: ["zero"] });
    const seen: Json[] = [];
    const next = async () => {
      const since = await eventsSince(app, cursor);
      cursor = since.cursor;
      seen.push(...since.events);
      return typesOf(since.events);
    };
    assert.deepEqual(await next(), ["created"]);
    for (const [what, work, expected] of steps) {
      await work(made.body.id);
      assert.deepEqual(await next(), expected, what);
    }
    assert.ok(!JSON.stringify(seen).includes("@"));
    assert.ok(seen.every(({ data }) => data.subscriber_id === made.body.id));
    const updated = seen.filter(({ type }) => type === "subscriber.updated").map(({ data }) => data.changed);
    assert.deepEqual(updated, [["first_name", "tags"], ["last_name"], ["email"]]);
  });

  it("of a suppression tell also when nobody has the address", async () => {
    const { cursor } = await eventsSince(app);
    const { id, contact_id } = await suppress(app, newAddress(), "manual");
    await app.api("DELETE", `/v1/suppressions/${id}`);
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(typesOf(events), ["suppressed", "unsuppressed"]);
    assert.ok(events.every(({ data }) => data.contact_id === contact_id));
  });

  it("of a batch are one for each that was added", async () => {
    const { cursor } = await eventsSince(app);
    const subscribers = [newAddress(), newAddress()].map((email) => ({
      email,
      list_id: listId,
      tags: ["t"],
    }));
    await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    assert.deepEqual(typesOf((await eventsSince(app, cursor)).events), ["created", "created"]);
  });
});
