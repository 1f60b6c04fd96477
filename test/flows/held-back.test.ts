/** These tests list active subscribers whom no mail reaches, and find lists by name. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
});
after(() => app.stop());

const emails = async (query: string): Promise<string[]> => {
  const found = await app.api("GET", `/v1/subscribers?${query}`);
  assert.equal(found.status, 200, found.text);
  return found.body.data.map((one: Json) => one["email"]).toSorted();
};

test("those who are active and get no mail are listed by the reason, and counted as the audience counts them", async () => {
  const listId = await makeList(app, { name: "Held back" });
  const add = (name: string) => addSubscriber(app, listId, `${name}@held.example`);
  await add("gets-it");
  const out = await add("opted-out");
  await add("suppressed");
  const both = await add("both");
  const left = await add("left-and-suppressed");
  await app.api("POST", `/v1/subscribers/${left["id"]}/unsubscribe`);
  for (const name of ["suppressed", "both", "left-and-suppressed"])
    await app.api("POST", "/v1/suppressions", { body: { email: `${name}@held.example` } });
  for (const one of [out, both]) {
    await app.db.execute(sql`
      insert into opt_outs (account_id, contact_id, list_id, source, created_at)
      select account_id, contact_id, list_id, 'test', now() from subscribers where id = ${uuidOf("sub", one["id"])}`);
  }
  const of = (why: string) => emails(`list_id=${listId}&held_back=${why}`);
  assert.deepEqual(await of("opted_out"), ["opted-out@held.example"]);
  assert.deepEqual(await of("suppressed"), ["both@held.example", "suppressed@held.example"]);
  const counts = await app.api("GET", `/v1/subscribers/counts?list_id=${listId}&held_back=suppressed`);
  assert.deepEqual([counts.body.total, counts.body.active], [2, 2], counts.text);
  const { id } = await makeCampaign(app, listId);
  const audience = await app.api("GET", `/v1/campaigns/${id}/audience`);
  assert.deepEqual(audience.body.excluded, [
    { rule: "unsubscribed", count: 1 },
    { rule: "opted_out", count: 1 },
    { rule: "suppressed", count: 2 },
  ]);
  const odd = await app.api("GET", "/v1/subscribers?held_back=bounced");
  assert.equal(odd.status, 400, odd.text);
});

test("a bulk change of those who are held back leaves the others alone", async () => {
  const listId = await makeList(app, { name: "In bulk" });
  for (const name of ["plain", "stopped"]) await addSubscriber(app, listId, `${name}@bulk.example`);
  await app.api("POST", "/v1/suppressions", { body: { email: "stopped@bulk.example" } });
  const made = await app.api("POST", "/v1/bulk_changes", {
    body: { filter: { list_id: listId, held_back: "suppressed" }, action: { type: "add_tags", tags: ["x"] } },
  });
  assert.equal(made.status, 202, made.text);
  assert.equal(made.body.filter.held_back, "suppressed");
});

test("lists are found by words of their name, in any case", async () => {
  await makeList(app, { name: "Bücher für den Winter" });
  await makeList(app, { name: "Winter sports" });
  const named = async (q: string) =>
    (await app.api("GET", `/v1/lists?include_total=true&q=${encodeURIComponent(q)}`)).body;
  const found = await named("wInTeR");
  assert.deepEqual([found.data.length, found.total], [2, 2]);
  assert.deepEqual(
    (await named("bücher")).data.map((one: Json) => one["name"]),
    ["Bücher für den Winter"],
  );
  assert.deepEqual((await named("100%")).data, []);
});
