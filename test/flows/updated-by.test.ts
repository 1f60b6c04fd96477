/** These tests cover who changed a thing last, which stands beside `updated_at` in everything that several people edit. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, inAnHour, makeAudience, makeCampaign } from "../support/campaigns.ts";
import { importFile } from "../support/imports.ts";
import { addPerson, type Person, setUpOwner } from "../support/people.ts";

let app: TestApp;
let ada: Person;
let listId: string;
before(async () => {
  app = await createApp();
  await setUpOwner(app);
  ada = await addPerson(app, "ada@example.com", "owner");
  assert.equal((await ada.browser.send("PATCH", `/v1/users/${ada.id}`, { name: "Ada" })).status, 200);
  listId = await makeAudience(app);
});
after(() => app.stop());

type Json = Record<string, unknown>;
type Case = { path: string; make?: () => Json; first: Json; second: Json };

const RULES = { all: [{ field: "first_name", op: "is", value: "Ada" }] };
const CASES: Record<string, Case> = {
  account: { path: "/v1/account", first: { name: "One" }, second: { name: "Two" } },
  "API key": {
    path: "/v1/api_keys",
    make: () => ({ name: "One", scopes: ["events:read"] }),
    first: { name: "One" },
    second: { name: "Two" },
  },
  list: { path: "/v1/lists", make: () => ({ name: "One" }), first: { name: "One" }, second: { name: "Two" } },
  field: {
    path: "/v1/fields",
    make: () => ({ key: "city", name: "One", type: "text" }),
    first: { name: "One" },
    second: { name: "Two" },
  },
  segment: {
    path: "/v1/segments",
    make: () => ({ name: "One", rules: RULES }),
    first: { name: "One" },
    second: { name: "Two" },
  },
  template: {
    path: "/v1/templates",
    make: () => ({ name: "One", subject: "Hello", html: "<p>Hello</p>" }),
    first: { name: "One" },
    second: { name: "Two" },
  },
  section: {
    path: "/v1/sections",
    make: () => ({ name: "One", blocks: { version: 1, blocks: [{ id: "b", type: "spacer", height: 8 }] } }),
    first: { name: "One" },
    second: { name: "Two" },
  },
  subscriber: {
    path: "/v1/subscribers",
    make: () => ({ email: "someone@example.com", list_id: listId, first_name: "One" }),
    first: { first_name: "One" },
    second: { first_name: "Two" },
  },
  transport: {
    path: "/v1/transports",
    make: () => ({ name: "One", host: "smtp.example.com" }),
    first: { name: "One" },
    second: { name: "Two" },
  },
  campaign: {
    path: "/v1/campaigns",
    make: () => ({ name: "One", list_id: listId, subject: "Hello", html: "<p>Hello</p>" }),
    first: { name: "One" },
    second: { name: "Two" },
  },
};

for (const [name, { path, make, first, second }] of Object.entries(CASES)) {
  test(`${name}: it says who changed it last, in every answer, and its ETag doesn't`, async () => {
    const made = make ? await app.api("POST", path, { body: make() }) : await app.api("GET", path);
    assert.ok(made.status < 300, made.text);
    const place = make ? `${path}/${made.body.id}` : path;
    const patch = async (body: Json) => {
      const reply = await app.api("PATCH", place, { body });
      assert.equal(reply.status, 200, reply.text);
      return reply;
    };
    await patch(second);
    const byKey = await patch(first);
    const who = byKey.body.updated_by;
    assert.deepEqual([who.kind, typeof who.name], ["api_key", "string"]);
    assert.match(who.id, /^key_/);
    if (make) assert.deepEqual(made.body.updated_by, who, "whoever makes it is the first");
    const byPerson = await ada.browser.send("PATCH", place, second);
    assert.equal(byPerson.status, 200, byPerson.text);
    const person = { kind: "user", id: ada.id, name: "Ada" };
    assert.deepEqual(byPerson.body.updated_by, person);
    const read = await app.api("GET", place);
    assert.deepEqual(read.body.updated_by, person);
    const page = make ? (await app.api("GET", `${path}?limit=200`)).body.data : [];
    for (const one of page) if (one.id === made.body.id) assert.deepEqual(one.updated_by, person);
    await ada.browser.send("PATCH", place, first);
    const again = await app.api("GET", place);
    assert.deepEqual(again.body.updated_by, person);
    // That of a transport has its version in it, which only goes up.
    if (name !== "transport") assert.equal(again.headers.get("etag"), byKey.headers.get("etag"));
    const stale = await app.api("PATCH", place, {
      body: second,
      headers: { "if-match": String(byPerson.headers.get("etag")) },
    });
    assert.deepEqual([stale.status, stale.body.code], [412, "precondition_failed"]);
  });
}

test("a user is changed last by themselves as they join, and then by whoever changes them", async () => {
  const { id } = await addPerson(app, "grace@example.com");
  const place = `/v1/users/${id}`;
  const read = await app.api("GET", place);
  assert.deepEqual(read.body.updated_by, { kind: "user", id, name: null });
  const byKey = await app.api("PATCH", place, { body: { name: "Grace" } });
  assert.equal(byKey.body.updated_by.kind, "api_key");
  const byPerson = await ada.browser.send("PATCH", place, { name: "Grace H." });
  assert.deepEqual(byPerson.body.updated_by, { kind: "user", id: ada.id, name: "Ada" });
});

test("an import is named where a row came from it or was changed by it", async () => {
  const old = await app.api("POST", "/v1/subscribers", {
    body: { email: "old@example.com", list_id: listId },
  });
  const options = { list_id: listId, on_conflict: "update", consent: { attested: true, source: "A fair" } };
  const done = await importFile(app, options, "email,first_name\nnew@example.com,New\nold@example.com,Old\n");
  assert.equal(done.status, "completed", JSON.stringify(done));
  const found = await app.api("GET", "/v1/subscribers/search?email=new@example.com");
  const read = await app.api("GET", `/v1/subscribers/${old.body.id}`);
  for (const { updated_by } of [found.body.data[0], read.body])
    assert.deepEqual(updated_by, { kind: "import", id: done.id, name: null });
});

test("what is done to a subscriber beside its fields names who did it too", async () => {
  const { body: made } = await app.api("POST", "/v1/subscribers", {
    body: { email: "tagged@example.com", list_id: listId },
  });
  const place = `/v1/subscribers/${made.id}`;
  const kinds = async () => (await app.api("GET", place)).body.updated_by.kind;
  assert.equal(await kinds(), "api_key");
  assert.equal((await ada.browser.send("POST", `${place}/tags`, { add: ["vip"] })).status, 200);
  assert.equal(await kinds(), "user");
  assert.equal((await app.api("POST", `${place}/unsubscribe`)).status, 200);
  assert.equal(await kinds(), "api_key");
});

test("a campaign that was moved names who moved it", async () => {
  const made = await makeCampaign(app, listId);
  const send_at = inAnHour();
  const moved = await ada.browser.send("POST", `/v1/campaigns/${made["id"]}/schedule`, { send_at });
  assert.deepEqual([moved.status, moved.body.updated_by?.name], [200, "Ada"], moved.text);
  assert.equal((await act(app, made["id"], "unschedule")).body.updated_by.kind, "api_key");
});

test("a row of before this was kept knows nobody, and a deleted user has no name any more", async () => {
  const { body: list } = await app.api("POST", "/v1/lists", { body: { name: "Old" } });
  const gone = await addPerson(app, "gone@example.com", "owner");
  await gone.browser.send("PATCH", `/v1/users/${gone.id}`, { name: "Gone" });
  const renamed = await gone.browser.send("PATCH", `/v1/lists/${list.id}`, { name: "Renamed" });
  assert.equal(renamed.body.updated_by.name, "Gone");
  assert.equal((await app.api("DELETE", `/v1/users/${gone.id}`)).status, 204);
  const read = async () => (await app.api("GET", `/v1/lists/${list.id}`)).body.updated_by;
  assert.deepEqual(await read(), { kind: "user", id: gone.id, name: null });
  await app.db.execute(sql`update lists set updated_by_kind = null, updated_by_id = null`);
  assert.equal(await read(), null);
});

test("a key that was revoked keeps its name", async () => {
  const { body: made } = await app.api("POST", "/v1/api_keys", { body: { name: "Short", scopes: ["full"] } });
  const { body: list } = await app.api("POST", "/v1/lists", { body: { name: "Of a key" }, key: made.key });
  assert.equal((await app.api("DELETE", `/v1/api_keys/${made.id}`)).status, 204);
  const read = await app.api("GET", `/v1/lists/${list.id}`);
  assert.deepEqual(read.body.updated_by, { kind: "api_key", id: made.id, name: "Short" });
});
