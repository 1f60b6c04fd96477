import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import {
  act,
  addSubscriber,
  eventsSince,
  firstList,
  type Json,
  makeList,
  readSubscriber,
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

describe("adding a subscriber", () => {
  it("needs an address and a list, and the object is all that the contract says", async () => {
    const made = await create({ email: " Ada@Example.COM " });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/subscribers/${made.body.id}`);
    const { id, contact_id, created_at, updated_at, updated_by, consent, ...rest } = made.body;
    assert.equal(updated_by.kind, "api_key");
    assert.match(`${id} ${contact_id}`, /^sub_\w{26} con_\w{26}$/);
    assert.equal(created_at, updated_at);
    const { at, ...given } = consent;
    assert.ok(at >= created_at);
    assert.deepEqual(given, { action: "granted", attested: false, source: "api", wording: null, ip: null });
    assert.deepEqual(rest, {
      object: "subscriber",
      email: "Ada@Example.COM",
      list_id: listId,
      first_name: null,
      last_name: null,
      tags: [],
      fields: {},
      locale: null,
      time_zone: null,
      status: "active",
      status_reason: null,
      sendable: true,
      paused_until: null,
      dormancy: null,
      eai: false,
      source: "api",
      tracking_consent: null,
      tracking_consent_at: null,
      confirmed_at: null,
      unsubscribed_at: null,
    });
    const read = await app.api("GET", `/v1/subscribers/${id}`);
    assert.deepEqual(read.body, made.body);
    assert.equal(read.headers.get("etag"), made.headers.get("etag"));
  });

  it("says of an address beyond ASCII before the @ that it is one", async () => {
    const eaiOf = async (email: string) =>
      (await app.api("POST", "/v1/subscribers", { body: { email, list_id: listId } })).body.eai;
    assert.equal(await eaiOf("jörg.müller@example.com"), true);
    assert.equal(await eaiOf("jorg.muller@bücher.example"), false);
  });

  it("keeps everything that was given", async () => {
    const body = {
      email: newAddress(),
      first_name: "Ada",
      last_name: "Lovelace",
      tags: ["Beta", "beta", " vip "],
      locale: "en-gb",
      time_zone: "Europe/London",
      source: "website",
      consent: { attested: true, source: "form", wording: "Send me news.", ip: "2001:db8::1" },
    };
    const made = await create(body);
    assert.deepEqual(
      [made.body.tags, made.body.locale, made.body.time_zone, made.body.source],
      [["Beta", "vip"], "en-GB", "Europe/London", "website"],
    );
    const { action: _action, at: _at, ...consent } = made.body.consent;
    assert.deepEqual(consent, body.consent);
  });

  it("that is on the list already is 409 with who it is, whatever the case", async () => {
    const first = await create({ email: "twice@bücher.example" });
    const again = await create({ email: "TWICE@xn--bcher-kva.example" });
    assert.deepEqual(
      [again.status, again.body.code, again.body.subscriber_id, again.body.subscriber_status],
      [409, "subscriber_exists", first.body.id, "active"],
    );
  });

  it("on another list is another subscriber of the same contact", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, listId, email);
    const there = await addSubscriber(app, await makeList(app), email);
    assert.notEqual(here["id"], there["id"]);
    assert.equal(here["contact_id"], there["contact_id"]);
  });

  it("on a list with double opt-in begins pending", async () => {
    const made = await addSubscriber(app, await makeList(app, { double_opt_in: true }), newAddress());
    assert.deepEqual([made["status"], made["sendable"]], ["pending", false]);
    const asked = sql`select from confirmations where subscriber_id = ${uuidOf("sub", made["id"])}`;
    assert.equal(await app.db.execute(asked), 1);
  });

  it("deleted since, but opted out, begins unsubscribed", async () => {
    const email = newAddress();
    const first = await addSubscriber(app, listId, email);
    const left = await act(app, first["id"], "unsubscribe");
    await app.api("DELETE", `/v1/subscribers/${first["id"]}`);
    const again = await create({ email });
    assert.deepEqual(
      [again.status, again.body.status, again.body.sendable, again.body.unsubscribed_at],
      [201, "unsubscribed", false, left.body.unsubscribed_at],
    );
    assert.notEqual(again.body.id, first["id"]);
  });

  it("ten times at once is one 201 and nine 409, and one row", async () => {
    const email = newAddress();
    const replies = await Promise.all(Array.from({ length: 10 }, () => create({ email })));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, ...Array(9).fill(409)]);
    const ids = new Set(replies.map(({ body }) => body.id ?? body.subscriber_id));
    assert.equal(ids.size, 1);
    const found = await app.api("GET", `/v1/subscribers/search?email=${email}`);
    assert.equal(found.body.data.length, 1);
  });

  it("is told of a bad address and an unknown list at once", async () => {
    const reply = await create({ email: "nobody", list_id: "lst_00000000000000000000000000" });
    assert.equal(reply.status, 422);
    assert.deepEqual(faultsOf(reply), ["/email invalid_email", "/list_id not_found"]);
  });

  it("is told of a bad address beside every fault of the body's form", async () => {
    const reply = await app.api("POST", "/v1/subscribers", {
      body: { email: "nobody", colour: "red", first_name: 7 },
    });
    assert.equal(reply.status, 422);
    assert.deepEqual(faultsOf(reply).toSorted(), [
      "/colour unknown_field",
      "/email invalid_email",
      "/first_name invalid_type",
      "/list_id required",
    ]);
    const items = [{ email: "nobody", colour: "red" }, null, "text", { email: 7 }];
    const batch = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers: items } });
    const [first] = batch.body.results;
    assert.deepEqual(first.error.errors.map((one: Json) => one["pointer"]).toSorted(), [
      "/colour",
      "/email",
      "/list_id",
    ]);
    assert.ok(batch.body.results.every((one: Json) => one["status"] === 422));
  });

  it("on a list of another account is 422, and leaves nothing behind", async () => {
    const other = await app.addAccount();
    const foreign = await makeList(app, {}, other.key);
    const tag = "left-behind";
    const reply = await create({ email: newAddress(), list_id: foreign, tags: [tag] });
    assert.deepEqual([reply.status, ...faultsOf(reply)], [422, "/list_id not_found"]);
    const tags = (await app.api("GET", "/v1/tags?limit=200")).body.data;
    assert.ok(tags.every((one: Json) => one["name"] !== tag));
  });
});

describe("on conflict", () => {
  it("update merges what was given and adds tags, and never revives", async () => {
    const email = newAddress();
    const first = await create({ email, first_name: "Old", last_name: "Kept", tags: ["a"] });
    await act(app, first.body.id, "unsubscribe");
    const merged = await create({ email, first_name: "New", tags: ["A", "b"] }, "?on_conflict=update");
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual(
      [merged.body.id, merged.body.first_name, merged.body.last_name, merged.body.tags, merged.body.status],
      [first.body.id, "New", "Kept", ["a", "b"], "unsubscribed"],
    );
    assert.equal(merged.headers.get("location"), null);
  });

  it("update with nothing new changes nothing and tells of nothing", async () => {
    const body = { email: newAddress(), first_name: "Same", tags: ["a"] };
    const first = await create(body);
    const { cursor } = await eventsSince(app);
    const again = await create(body, "?on_conflict=update");
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.deepEqual((await eventsSince(app, cursor)).events, []);
  });

  it("update beyond a hundred tags is 422, and adds none", async () => {
    const email = newAddress();
    const first = await create({ email, tags: Array.from({ length: 99 }, (_, i) => `many${i}`) });
    const reply = await create(
      { email, first_name: "No", tags: ["many1", "x1", "x2"] },
      "?on_conflict=update",
    );
    assert.deepEqual([reply.status, ...faultsOf(reply)], [422, "/tags too_many"]);
    assert.deepEqual(await readSubscriber(app, first.body.id), first.body);
    const fits = await create({ email, tags: ["many1", "x1"] }, "?on_conflict=update");
    assert.equal(fits.body.tags.length, 100);
  });

  it("skip returns it as it is", async () => {
    const first = await create({ email: newAddress(), first_name: "Old" });
    const { email } = first.body;
    const skipped = await create({ email, first_name: "New", tags: ["x"] }, "?on_conflict=skip");
    assert.deepEqual([skipped.status, skipped.body], [200, first.body]);
  });

  it("where there is none, update and skip add it", async () => {
    for (const query of ["?on_conflict=update", "?on_conflict=skip"]) {
      assert.equal((await create({ email: newAddress() }, query)).status, 201);
    }
  });

  it("anything else is 400", async () => {
    const reply = await create({ email: newAddress() }, "?on_conflict=replace");
    assert.deepEqual([reply.status, ...faultsOf(reply)], [400, "on_conflict invalid_value"]);
  });
});

describe("deleting a subscriber", () => {
  it("is 204, then 404 for everything", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), { tags: ["gone"] });
    assert.equal((await app.api("DELETE", `/v1/subscribers/${id}`)).status, 204);
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/activity"],
      ["POST", "/unsubscribe"],
      ["POST", "/resubscribe"],
      ["POST", "/resend_confirmation"],
      ["POST", "/forget"],
    ] as const) {
      assert.equal((await app.api(method, `/v1/subscribers/${id}${path}`)).status, 404, `${method} ${path}`);
    }
    assert.equal((await patch(id, { first_name: "X" })).status, 404);
    assert.equal((await act(app, id, "tags", { add: ["x"] })).status, 404);
  });

  it("takes its data, and the kept answers about it, along", async () => {
    const email = newAddress();
    const key = { "idempotency-key": `delete-${email}` };
    const body = { email, list_id: listId, tags: ["with-data"] };
    const made = await app.api("POST", "/v1/subscribers", { body, headers: key });
    await act(app, made.body.id, "unsubscribe", { reason: `stop mailing ${email}` });
    await app.api("DELETE", `/v1/subscribers/${made.body.id}`);
    const uuid = uuidOf("sub", made.body.id);
    for (const table of ["subscribers", "subscriber_tags", "consents", "confirmations"]) {
      const column = table === "subscribers" ? "id" : "subscriber_id";
      const { rows } = await app.db.one<{ rows: number }>(
        sql([`select count(*) as rows from ${table} where ${column} = '${uuid}'`]),
      );
      assert.equal(rows, 0, table);
    }
    const reasons = await app.db.many<{ reason: string | null }>(
      sql`select reason from opt_outs where contact_id = ${uuidOf("con", made.body.contact_id)}`,
    );
    assert.deepEqual(reasons, [{ reason: null }]);
    const replay = await app.api("POST", "/v1/subscribers", { body, headers: key });
    assert.deepEqual([replay.status, replay.body.code], [422, "idempotency_key_reused"]);
  });

  it("leaves the answers about the same address on another list", async () => {
    const email = newAddress();
    const other = await makeList(app);
    const headers = { "idempotency-key": `kept-${email}` };
    const body = { email, list_id: other };
    const kept = await app.api("POST", "/v1/subscribers", { body, headers });
    const { id } = await addSubscriber(app, listId, email);
    await app.api("DELETE", `/v1/subscribers/${id}`);
    const replay = await app.api("POST", "/v1/subscribers", { body, headers });
    assert.deepEqual([replay.status, replay.body], [201, kept.body]);
  });
});

describe("searching", () => {
  const search = (query: string) => app.api("GET", `/v1/subscribers/search?${query}`);

  it("finds an address on every list, newest first, whatever its case", async () => {
    const other = await makeList(app);
    await create({ email: "find.me+tag@example.com" });
    await create({ email: "Find.Me+Tag@example.com", list_id: other });
    for (const email of [
      "find.me%2Btag@EXAMPLE.com",
      "%20find.me+tag@example.com%20",
      "FIND.ME%20TAG@example.com",
    ]) {
      const { status, body } = await search(`email=${email}&include_total=true`);
      assert.equal(status, 200);
      assert.deepEqual([body.data[0].list_id, body.data[1].list_id, body.total], [other, listId, 2], email);
    }
    const one = await search(`email=find.me%2Btag@example.com&list_id=${listId}`);
    assert.equal(one.body.data.length, 1);
  });

  it("goes on where it was, also when that one was deleted meanwhile", async () => {
    const email = newAddress();
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.unshift((await addSubscriber(app, await makeList(app), email))["id"]);
    const first = (await search(`email=${email}&limit=2`)).body;
    await app.api("DELETE", `/v1/subscribers/${ids[1]}`);
    const second = (await search(`email=${email}&limit=2&cursor=${first.next_cursor}`)).body;
    const found = [...first.data, ...second.data].map((one: Json) => one["id"]);
    assert.deepEqual([found, second.has_more], [ids, false]);
  });

  it("is an empty page on a miss, 400 on nonsense, 404 on an unknown list", async () => {
    const miss = await search("email=nobody@example.com&include_total=true");
    assert.deepEqual(miss.body, { object: "list", data: [], has_more: false, next_cursor: null, total: 0 });
    for (const query of [
      "",
      "email=",
      "email=%20",
      "email=nonsense",
      "email=a@b.co&email=c@d.co",
      "email=a%00@b.co",
    ]) {
      const reply = await search(query);
      assert.deepEqual([reply.status, reply.body.errors[0].parameter], [400, "email"], query);
    }
    assert.equal((await search("email=a@example.com&list_id=lst_00000000000000000000000000")).status, 404);
    assert.equal((await search("email=a@example.com&colour=red")).status, 400);
  });
});

describe("consent", () => {
  it("can be added to and never changed, by the database's own rule", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), { consent: { wording: "Yes." } });
    const change = sql`update consents set wording = 'No.' where subscriber_id = ${uuidOf("sub", id)}`;
    await assert.rejects(app.db.execute(change), /consents is append-only/);
    assert.equal((await readSubscriber(app, id))["consent"].wording, "Yes.");
  });

  it("that was withdrawn stays on record, and the last one given is shown", async () => {
    const { id } = await addSubscriber(app, listId, newAddress(), { consent: { wording: "First." } });
    await act(app, id, "unsubscribe");
    await act(app, id, "resubscribe", { consent: { attested: true, wording: "Second." } });
    assert.equal((await readSubscriber(app, id))["consent"].wording, "Second.");
    const rows = await app.db.many<{ action: string; actor_kind: string }>(
      sql`select action, actor_kind from consents where subscriber_id = ${uuidOf("sub", id)} order by id`,
    );
    assert.deepEqual(rows, [
      { action: "granted", actor_kind: "api_key" },
      { action: "withdrawn", actor_kind: "api_key" },
      { action: "granted", actor_kind: "api_key" },
    ]);
  });
});
