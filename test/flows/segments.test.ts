import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";

let app: TestApp;
let listId: string;
let otherListId: string;
before(async () => {
  app = await createApp();
  listId = (await app.api("GET", "/v1/lists")).body.data[0].id;
  otherListId = (await app.api("POST", "/v1/lists", { body: { name: "Other" } })).body.id;
  await app.api("POST", "/v1/fields", { body: { key: "plan", type: "text" } });
  const subscribers = Array.from({ length: 30 }, (_, n) => ({
    email: `s${n}@example.com`,
    list_id: n < 20 ? listId : otherListId,
    tags: n % 2 === 0 ? ["even"] : ["odd"],
    fields: { plan: n % 3 === 0 ? "pro" : "free" },
  }));
  const { body } = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
  assert.ok(body.results.every((one: { status: number }) => one.status === 201));
});
after(() => app.stop());

const evenPro = {
  all: [
    { field: "tag", op: "has", value: "EVEN" },
    { field: "fields.plan", op: "is", value: "pro" },
  ],
};

test("a preview counts, samples and says the rules in words, and stores nothing", async () => {
  const { status, body } = await app.api("POST", "/v1/segments/preview", { body: { rules: evenPro } });
  assert.equal(status, 200);
  assert.equal(body.count, 5);
  assert.equal(body.sample.length, 5);
  assert.equal(body.sentence, "Has the tag “EVEN” and the field “plan” is “pro”.");
  const ofList = await app.api("POST", "/v1/segments/preview", { body: { rules: evenPro, list_id: listId } });
  assert.equal(ofList.body.count, 4);
  assert.equal((await app.api("GET", "/v1/segments?include_total=true")).body.total, 0);
});

const preview = async (rules: unknown, more: object = {}) =>
  (await app.api("POST", "/v1/segments/preview", { body: { rules, include_steps: true, ...more } })).body;

test("a preview counts after each rule: who is left in all, who is added in any", async () => {
  assert.equal((await preview(evenPro, { include_steps: false })).steps, null);
  const all = await preview(evenPro, { list_id: listId });
  assert.deepEqual(all.steps, {
    from: 20,
    rules: [
      { pointer: "/rules/all/0", count: 10, alone: null },
      { pointer: "/rules/all/1", count: 4, alone: null },
    ],
  });
  assert.equal(all.count, 4);
  const any = await preview({ any: evenPro.all });
  assert.deepEqual(any.steps, {
    from: 30,
    rules: [
      { pointer: "/rules/any/0", count: 15, alone: 15 },
      { pointer: "/rules/any/1", count: 20, alone: 10 },
    ],
  });
  assert.equal(any.count, 20);
  const none = await preview({ not: { any: evenPro.all } });
  assert.deepEqual(
    none.steps.rules.map((one: { pointer: string; count: number }) => [one.pointer, one.count]),
    [
      ["/rules/not/any/0", 15],
      ["/rules/not/any/1", 10],
    ],
  );
  assert.equal(none.count, 10);
  const single = await preview({ not: { not: evenPro.all[0] } });
  assert.deepEqual(single.steps.rules, [{ pointer: "/rules/not/not", count: 15, alone: null }]);
});

test("lists in rules are named, and segments are found by a part of their name", async () => {
  const rules = { any: [{ field: "list", op: "is", value: otherListId }, evenPro] };
  const { body: made } = await app.api("POST", "/v1/segments", { body: { name: "Grüße %", rules } });
  assert.deepEqual(made.names, { [otherListId]: "Other" });
  assert.deepEqual((await preview(rules)).names, made.names);
  const found = async (q: string) =>
    (await app.api("GET", `/v1/segments?include_total=true&q=${encodeURIComponent(q)}`)).body.total;
  assert.deepEqual([await found("GRÜ"), await found("%"), await found("_")], [1, 1, 0]);
  await app.api("DELETE", `/v1/segments/${made.id}`);
});

test("a segment's life: made, read, used as a filter, changed, deleted", async () => {
  const made = await app.api("POST", "/v1/segments", {
    body: { name: "Even pros", list_id: listId, rules: evenPro },
  });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body.rules, evenPro);
  const path = `/v1/segments/${made.body.id}`;
  assert.equal(made.headers.get("location"), `${app.baseUrl}${path}`);
  const filter = `/v1/subscribers?segment_id=${made.body.id}&include_total=true`;
  const page = await app.api("GET", `${filter}&limit=3`);
  assert.equal(page.body.total, 4);
  assert.equal(page.body.data.length, 3);
  const rest = await app.api("GET", `${filter}&limit=3&cursor=${page.body.next_cursor}`);
  assert.equal(rest.body.data.length, 1);
  assert.equal((await app.api("GET", `${filter}&list_id=${otherListId}`)).body.total, 0);
  const changed = await app.api("PATCH", path, { body: { list_id: null } });
  assert.equal(changed.body.list_id, null);
  assert.equal((await app.api("GET", filter)).body.total, 5);
  assert.equal(
    (await app.api("PATCH", path, { body: { name: "x" }, headers: { "if-match": '"stale"' } })).status,
    412,
  );
  assert.equal((await app.api("DELETE", path)).status, 204);
  assert.equal((await app.api("GET", path)).status, 404);
  assert.equal((await app.api("GET", filter)).status, 400);
});

test("a renamed field keeps its segments; a deleted one matches nobody", async () => {
  const rules = { field: "fields.plan", op: "is", value: "pro" };
  const { body: segment } = await app.api("POST", "/v1/segments", { body: { name: "Pros", rules } });
  const { body: all } = await app.api("GET", "/v1/fields");
  const field = all.data.find((one: { key: string }) => one.key === "plan");
  await app.api("PATCH", `/v1/fields/${field.id}`, { body: { key: "tariff" } });
  const count = async () =>
    (await app.api("GET", `/v1/subscribers?segment_id=${segment.id}&include_total=true`)).body.total;
  const read = await app.api("GET", `/v1/segments/${segment.id}`);
  assert.equal(read.body.rules.field, "fields.tariff");
  assert.equal(await count(), 10);
  await app.api("DELETE", `/v1/fields/${field.id}`);
  assert.equal(await count(), 0);
});

test("faults of the rules and of the list are named at once, at their places", async () => {
  const body = { rules: { any: [{ field: "nope", op: "is" }] }, list_id: "lst_00000000000000000000000000" };
  const { status, body: problem } = await app.api("POST", "/v1/segments/preview", { body });
  assert.equal(status, 422);
  const named = problem.errors.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`);
  assert.deepEqual(named, ["/rules/any/0/field unknown_field", "/list_id not_found"]);
});

test("another account's list, or a segment of it, can't be reached", async () => {
  const other = await app.addAccount();
  const { body: mine } = await app.api("POST", "/v1/segments", {
    body: { name: "Mine", rules: { field: "email", op: "is_set" } },
  });
  assert.equal((await app.api("GET", `/v1/segments/${mine.id}`, { key: other.key })).status, 404);
  assert.equal(
    (await app.api("GET", `/v1/subscribers?segment_id=${mine.id}`, { key: other.key })).status,
    400,
  );
  const rules = { field: "list", op: "is", value: listId };
  const preview = await app.api("POST", "/v1/segments/preview", { body: { rules }, key: other.key });
  assert.equal(preview.body.count, 0);
});
