import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import {
  addSubscriber,
  eventsSince,
  firstList,
  type Json,
  readSubscriber,
  uuidOf,
  walk,
} from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await firstList(app);
});
after(() => app.stop());

let turn = 0;
const newAddress = () => `field${++turn}@example.com`;
const createField = (body: Json, key = app.key) => app.api("POST", "/v1/fields", { body, key });
const makeField = async (key: string, type = "text"): Promise<string> => {
  const made = await createField({ key, type });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
const faultsOf = (reply: Reply): string[] =>
  reply.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`);
/** Returns the version of the row and the values in it. */
const rowOf = (id: string) =>
  app.db.one<{ version: string; updated_at: Date; fields: Json }>(
    sql`select xmin::text as version, updated_at, fields from subscribers where id = ${uuidOf("sub", id)}`,
  );

describe("a custom field", () => {
  it("needs a key and a type; the name is the key unless it is given", async () => {
    const made = await createField({ key: "plain", type: "text" });
    assert.equal(made.status, 201, made.text);
    const { id, created_at, updated_at, updated_by, ...rest } = made.body;
    assert.equal(updated_by.kind, "api_key");
    assert.deepEqual(rest, { object: "field", key: "plain", name: "plain", type: "text" });
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/fields/${id}`);
    const read = await app.api("GET", `/v1/fields/${id}`);
    assert.deepEqual([read.body, created_at], [made.body, updated_at]);
    assert.equal((await createField({ key: "named", type: "date", name: "Born on" })).body.name, "Born on");
  });

  it("is told every fault at once", async () => {
    const reply = await createField({ key: "Bad Key", type: "money", name: " ", colour: "red" });
    assert.equal(reply.status, 422);
    assert.deepEqual(faultsOf(reply).toSorted(), [
      "/colour unknown_field",
      "/key invalid_format",
      "/name required",
      "/type invalid_value",
    ]);
  });

  it("has a key of its own", async () => {
    await makeField("taken");
    const again = await createField({ key: "taken", type: "number" });
    assert.deepEqual([again.status, again.body.code], [409, "field_exists"]);
    const other = await makeField("free");
    const renamed = await app.api("PATCH", `/v1/fields/${other}`, { body: { key: "taken" } });
    assert.deepEqual([renamed.status, renamed.body.code], [409, "field_exists"]);
  });

  it("made five times at once is one 201 and four 409", async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => createField({ key: "raced", type: "text" })),
    );
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409]);
  });

  it("made at once with others has a slot of its own", async () => {
    await Promise.all(Array.from({ length: 5 }, (_, i) => makeField(`slot_${i}`)));
    const fields = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`slot_${i}`, `value ${i}`]));
    const made = await addSubscriber(app, listId, newAddress(), { fields });
    assert.deepEqual(made["fields"], fields);
  });

  it("can't change its type, nor with a stale If-Match anything", async () => {
    const id = await makeField("steady");
    const retyped = await app.api("PATCH", `/v1/fields/${id}`, { body: { type: "number" } });
    assert.deepEqual([retyped.status, ...faultsOf(retyped)], [422, "/type unknown_field"]);
    const etag = String((await app.api("GET", `/v1/fields/${id}`)).headers.get("etag"));
    const rename = (name: string) =>
      app.api("PATCH", `/v1/fields/${id}`, { body: { name }, headers: { "if-match": etag } });
    assert.deepEqual([(await rename("One")).status, (await rename("Two")).status], [200, 412]);
  });

  it("of another account, or none, is 404", async () => {
    const other = await app.addAccount();
    const foreign = (await createField({ key: "theirs", type: "text" }, other.key)).body.id;
    for (const id of [foreign, "fld_00000000000000000000000000", "nonsense"]) {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const more = method === "PATCH" ? { body: { name: "Mine" } } : {};
        assert.equal((await app.api(method, `/v1/fields/${id}`, more)).status, 404, `${method} ${id}`);
      }
    }
  });

  it("tells of each change by an event", async () => {
    const { cursor } = await eventsSince(app);
    const id = await makeField("eventful");
    await app.api("PATCH", `/v1/fields/${id}`, { body: { key: "eventful" } });
    await app.api("PATCH", `/v1/fields/${id}`, { body: { name: "Other" } });
    await app.api("DELETE", `/v1/fields/${id}`);
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        ["field.created", { field_id: id }],
        ["field.updated", { field_id: id, changed: ["name"] }],
        ["field.deleted", { field_id: id }],
      ],
    );
  });

  it("is one of at most 200 in an account; a deleted one makes room", async () => {
    const { accountId, key } = await app.addAccount();
    await app.db.execute(sql`
      insert into fields (account_id, id, slot, key, name, type, created_at, updated_at)
      select ${accountId}, gen_random_uuid(), n, 'made_' || n, 'Made', 'text', now(), now()
      from generate_series(1, 199) as n`);
    const last = await createField({ key: "last", type: "text" }, key);
    assert.equal(last.status, 201, last.text);
    const beyond = await createField({ key: "beyond", type: "text" }, key);
    assert.deepEqual([beyond.status, beyond.body.code], [409, "too_many_fields"]);
    const api: typeof app.api = (method, path, more) => app.api(method, path, { ...more, key });
    const all = await walk({ ...app, api }, "/v1/fields?limit=90");
    assert.deepEqual(
      [all.length, new Set(all.map(({ id }) => id)).size, all[0]?.["key"]],
      [200, 200, "last"],
    );
    assert.equal((await api("GET", "/v1/fields?include_total=true")).body.total, 200);
    await api("DELETE", `/v1/fields/${last.body.id}`);
    assert.equal((await createField({ key: "beyond", type: "text" }, key)).status, 201);
  });
});

describe("values", () => {
  it("of every type are kept as they were given", async () => {
    for (const type of ["text", "number", "date", "boolean", "url"]) await makeField(`a_${type}`, type);
    const fields = {
      a_text: "Ünï 🎉 عربي",
      a_number: -12.5,
      a_date: "2026-11-14",
      a_boolean: false,
      a_url: "https://example.com/?q=1",
    };
    const made = await addSubscriber(app, listId, newAddress(), { fields });
    assert.deepEqual(made["fields"], fields);
    assert.deepEqual((await readSubscriber(app, made["id"]))["fields"], fields);
  });

  it("that don't fit their type, or have no field, are 422 with where, all at once", async () => {
    const email = newAddress();
    const fields = {
      a_number: "5",
      a_date: "tomorrow",
      a_boolean: 1,
      a_url: "example.com",
      unknown: "x",
      a_text: 5,
    };
    const reply = await app.api("POST", "/v1/subscribers", { body: { email, list_id: listId, fields } });
    assert.equal(reply.status, 422);
    assert.deepEqual(faultsOf(reply), [
      "/fields/a_number invalid_value",
      "/fields/a_date invalid_value",
      "/fields/a_boolean invalid_value",
      "/fields/a_url invalid_value",
      "/fields/unknown unknown_field",
      "/fields/a_text invalid_value",
    ]);
    const nested = { email, list_id: listId, fields: { a_text: { deep: true } } };
    const shaped = await app.api("POST", "/v1/subscribers", { body: nested });
    assert.deepEqual([shaped.status, ...faultsOf(shaped)], [422, "/fields/a_text invalid_type"]);
  });

  it("stay with a field that is renamed, and no row is rewritten for it", async () => {
    const id = await makeField("old_key");
    const made = await addSubscriber(app, listId, newAddress(), { fields: { old_key: "kept" } });
    const before = await rowOf(made["id"]);
    const renamed = await app.api("PATCH", `/v1/fields/${id}`, { body: { key: "new_key" } });
    assert.equal(renamed.status, 200, renamed.text);
    assert.deepEqual((await readSubscriber(app, made["id"]))["fields"], { new_key: "kept" });
    assert.deepEqual(await rowOf(made["id"]), before);
    const old = await app.api("PATCH", `/v1/subscribers/${made["id"]}`, {
      body: { fields: { old_key: "x" } },
    });
    assert.deepEqual([old.status, ...faultsOf(old)], [422, "/fields/old_key unknown_field"]);
  });

  it("of a deleted field are gone from sight, also for a new field of the same key", async () => {
    const id = await makeField("doomed");
    const made = await addSubscriber(app, listId, newAddress(), { fields: { doomed: "hidden" } });
    const [slot] = Object.keys((await rowOf(made["id"])).fields);
    assert.equal((await app.api("DELETE", `/v1/fields/${id}`)).status, 204);
    assert.deepEqual((await readSubscriber(app, made["id"]))["fields"], {});
    await makeField("doomed", "number");
    assert.deepEqual((await readSubscriber(app, made["id"]))["fields"], {});
    const next = await addSubscriber(app, listId, newAddress(), { fields: { doomed: 7 } });
    const [nextSlot] = Object.keys((await rowOf(next["id"])).fields);
    assert.ok(Number(nextSlot) > Number(slot), `${nextSlot} after ${slot}`);
  });
});
