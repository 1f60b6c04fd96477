import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { ended, runChange, startChange } from "../support/bulk-changes.ts";
import { upload } from "../support/imports.ts";
import { act, addSubscriber, type Json, makeList, readSubscriber, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let otherKey: string;
before(async () => {
  app = await createApp();
  otherKey = (await app.addAccount()).key;
});
after(() => app.stop());

const addTags = (...tags: string[]) => ({ type: "add_tags", tags });
const tagsOf = async (id: string): Promise<string[]> => (await readSubscriber(app, id))["tags"];
const undo = async (id: string) => {
  const undoing = await app.api("POST", `/v1/bulk_changes/${id}/undo`);
  assert.equal(undoing.status, 202, undoing.text);
  return ended(app, id);
};
async function people(listId: string, count: number, more: Json = {}): Promise<string[]> {
  const subscribers = Array.from({ length: count }, (_, n) => ({
    email: `person${n}-${listId}@example.com`,
    list_id: listId,
    ...more,
  }));
  const made = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
  return made.body.results.map((one: Json) => one["subscriber"].id);
}
async function eventsOf(id: string): Promise<string[]> {
  const { data } = (await app.api("GET", `/v1/subscribers/${id}/activity`)).body;
  return data.map((one: Json) => one["type"]).reverse();
}

describe("a bulk change", () => {
  it("counts whoever is named and isn't there as skipped, whatever the id", async () => {
    const ids = [`sub_${"0".repeat(26)}`];
    const { counts } = await runChange(app, { ids, action: addTags("nobody") });
    assert.deepEqual([counts.total, counts.processed, counts.skipped], [1, 1, 1]);
  });

  it("copies no made-up people to a list whose mail leaves", async () => {
    const sample = (await app.api("POST", "/v1/sample_data")).body;
    const own = await addSubscriber(app, sample.list_id, "own@example.org");
    const listId = await makeList(app);
    const action = { type: "add_to_list", list_id: listId };
    await runChange(app, { filter: { list_id: sample.list_id }, action });
    const { data } = (await app.api("GET", `/v1/subscribers?list_id=${listId}`)).body;
    assert.deepEqual(
      data.map((one: Json) => one["email"]),
      [own["email"]],
    );
    await app.api("DELETE", "/v1/sample_data");
  });

  it("tags everybody whom the filter leaves, as each would be tagged alone, and takes it back", async () => {
    const listId = await makeList(app);
    const [plain = "", tagged = ""] = await people(listId, 2);
    await act(app, tagged, "tags", { add: ["Spring"] });
    const outside = await addSubscriber(app, await makeList(app), "outside@example.com");
    const done = await runChange(app, { filter: { list_id: listId }, action: addTags("spring", "new") });
    assert.equal(done["status"], "completed");
    assert.deepEqual(done["action"], { type: "add_tags", tags: ["Spring", "new"] });
    assert.deepEqual(done["counts"], {
      total: 2,
      processed: 2,
      changed: 2,
      skipped: 0,
      failed: 0,
      undone: 0,
    });
    assert.deepEqual(
      [await tagsOf(plain), await tagsOf(tagged)],
      [
        ["new", "Spring"],
        ["new", "Spring"],
      ],
    );
    assert.deepEqual(await tagsOf(outside["id"]), []);
    assert.deepEqual(
      (await eventsOf(tagged)).filter((type) => type.startsWith("subscriber.tag")),
      ["subscriber.tag_added", "subscriber.tag_added"],
    );
    const undone = await undo(done["id"]);
    assert.deepEqual([undone["status"], undone["counts"].undone], ["undone", 2]);
    assert.deepEqual([await tagsOf(plain), await tagsOf(tagged)], [[], ["Spring"]]);
    const again = await app.api("POST", `/v1/bulk_changes/${done["id"]}/undo`);
    assert.deepEqual([again.status, again.body.current_status], [409, "undone"]);
  });

  it("takes off tags and puts back those that it really took", async () => {
    const listId = await makeList(app);
    const [had = "", hadNot = ""] = await people(listId, 2);
    await act(app, had, "tags", { add: ["old", "kept"] });
    const done = await runChange(app, { ids: [had, hadNot], action: { type: "remove_tags", tags: ["OLD"] } });
    assert.deepEqual([done["counts"].changed, done["counts"].skipped], [1, 1]);
    assert.deepEqual(await tagsOf(had), ["kept"]);
    await undo(done["id"]);
    assert.deepEqual([await tagsOf(had), await tagsOf(hadNot)], [["kept", "old"], []]);
  });

  it("sets a field, and its undo leaves a value that somebody changed since", async () => {
    const listId = await makeList(app);
    await app.api("POST", "/v1/fields", { body: { key: "city", name: "City", type: "text" } });
    const [one = "", two = "", three = ""] = await people(listId, 3, { fields: { city: "York" } });
    await app.api("PATCH", `/v1/subscribers/${three}`, { body: { fields: { city: "Leeds" } } });
    const set = { type: "set_field", field: "fields.city", value: "Leeds" };
    const done = await runChange(app, { filter: { list_id: listId }, action: set });
    assert.deepEqual([done["counts"].changed, done["counts"].skipped], [2, 1]);
    await app.api("PATCH", `/v1/subscribers/${two}`, { body: { fields: { city: "Hull" } } });
    const undone = await undo(done["id"]);
    assert.equal(undone["counts"].undone, 1);
    const cities = await Promise.all(
      [one, two, three].map(async (id) => (await readSubscriber(app, id))["fields"]),
    );
    assert.deepEqual(cities, [{ city: "York" }, { city: "Hull" }, { city: "Leeds" }]);
    const named = await runChange(app, {
      ids: [one],
      action: { type: "set_field", field: "locale", value: "en-gb" },
    });
    assert.equal((await readSubscriber(app, one))["locale"], "en-GB");
    await undo(named["id"]);
    assert.equal((await readSubscriber(app, one))["locale"], null);
  });

  it("copies whoever is active to another list, revives nobody, and takes back untouched copies", async () => {
    const [from, to] = [await makeList(app), await makeList(app)];
    const [ada = "", bob = "", gone = "", out = ""] = await people(from, 4, {
      first_name: "Ada",
      tags: ["vip"],
    });
    await act(app, gone, "unsubscribe");
    const there = await addSubscriber(app, to, (await readSubscriber(app, out))["email"]);
    await act(app, there["id"], "unsubscribe");
    await app.api("DELETE", `/v1/subscribers/${there["id"]}`);
    const copy = { type: "add_to_list", list_id: to };
    const done = await runChange(app, { filter: { list_id: from }, action: copy });
    assert.deepEqual([done["counts"].changed, done["counts"].skipped], [3, 1]);
    const copies: Json[] = (await app.api("GET", `/v1/subscribers?list_id=${to}`)).body.data;
    const of = async (id: string) => {
      const { email } = await readSubscriber(app, id);
      return copies.find((one) => one["email"] === email);
    };
    const copied = await of(ada);
    assert.deepEqual(
      [copied?.["status"], copied?.["first_name"], copied?.["tags"]],
      ["active", "Ada", ["vip"]],
    );
    assert.equal(copied?.["source"], done["id"]);
    assert.equal((await of(out))?.["status"], "unsubscribed");
    assert.equal(await of(gone), undefined);
    await act(app, (await of(bob))?.["id"], "tags", { add: ["touched"] });
    const undone = await undo(done["id"]);
    assert.equal(undone["counts"].undone, 2);
    assert.equal((await app.api("GET", `/v1/lists/${to}`)).body.counts.total, 1);
    assert.equal((await app.api("GET", `/v1/lists/${from}`)).body.counts.total, 4);
  });

  it("unsubscribes for good: no undo, and adding them again revives nobody", async () => {
    const listId = await makeList(app);
    const [one = "", two = ""] = await people(listId, 2);
    await act(app, two, "unsubscribe");
    const before_ = await readSubscriber(app, two);
    const done = await runChange(app, { filter: { list_id: listId }, action: { type: "unsubscribe" } });
    assert.deepEqual([done["counts"].changed, done["counts"].skipped, done["undo_until"]], [1, 1, null]);
    const left = await readSubscriber(app, one);
    assert.deepEqual([left["status"], left["status_reason"]], ["unsubscribed", "unsubscribed"]);
    assert.equal((await readSubscriber(app, two))["unsubscribed_at"], before_["unsubscribed_at"]);
    const refused = await app.api("POST", `/v1/bulk_changes/${done["id"]}/undo`);
    assert.deepEqual([refused.status, refused.body.code], [409, "invalid_state"]);
    await app.api("DELETE", `/v1/subscribers/${one}`);
    assert.equal((await addSubscriber(app, listId, left["email"]))["status"], "unsubscribed");
  });

  it("deletes everybody of a list and keeps what stands against mailing them", async () => {
    const listId = await makeList(app);
    const [one = ""] = await people(listId, 3);
    await act(app, one, "unsubscribe", { reason: "too many" });
    const { email } = await readSubscriber(app, one);
    const done = await runChange(app, { filter: { list_id: listId }, action: { type: "delete" } });
    assert.deepEqual([done["counts"].changed, done["undo_until"]], [3, null]);
    assert.equal((await app.api("GET", `/v1/lists/${listId}`)).body.counts.total, 0);
    assert.equal((await addSubscriber(app, listId, email))["status"], "unsubscribed");
    await until(async () => (await rowsOf(done["id"])) === 0);
  });

  it("is for nobody where nobody matches, and skips ids that aren't the account's", async () => {
    const listId = await makeList(app);
    const none = await runChange(app, { filter: { list_id: listId }, action: addTags("x") });
    assert.deepEqual([none["status"], none["counts"].total, none["undo_until"]], ["completed", 0, null]);
    const [own = ""] = await people(listId, 1);
    const foreignList = (await app.api("POST", "/v1/lists", { key: otherKey, body: { name: "Theirs" } })).body
      .id;
    const foreign = await app.api("POST", "/v1/subscribers", {
      key: otherKey,
      body: { email: "theirs@example.com", list_id: foreignList },
    });
    const ids = [own, own, foreign.body.id, toPublicId("sub", newId(systemClock))];
    const done = await runChange(app, { ids, action: { type: "delete" } });
    assert.deepEqual([done["counts"].total, done["counts"].changed, done["counts"].skipped], [3, 1, 2]);
    assert.equal((await app.api("GET", `/v1/subscribers/${foreign.body.id}`, { key: otherKey })).status, 200);
    const hidden = await app.api("GET", `/v1/bulk_changes/${done["id"]}`, { key: otherKey });
    assert.equal(hidden.status, 404);
  });

  it("counts as failed who can't have another tag", async () => {
    const listId = await makeList(app);
    const full = Array.from({ length: 100 }, (_, n) => `full${n}`);
    const [one = ""] = await people(listId, 1, { tags: full });
    const done = await runChange(app, { ids: [one], action: addTags("full0", "over") });
    assert.deepEqual([done["counts"].failed, done["counts"].changed], [1, 0]);
    assert.equal((await tagsOf(one)).length, 100);
  });

  it("fails when the list to copy to, the field or the segment goes meanwhile", async () => {
    const [from, to] = [await makeList(app), await makeList(app)];
    await people(from, 1);
    const segment = await app.api("POST", "/v1/segments", {
      body: { name: "Going", rules: { all: [{ field: "status", op: "is", value: "active" }] } },
    });
    const id = await startChange(app, {
      filter: { list_id: from, segment_id: segment.body.id },
      action: { type: "add_to_list", list_id: to },
    });
    await ended(app, id);
    // The same change again, as it would be had the segment gone before it began.
    const uuid = uuidOf("blk", id);
    await app.api("DELETE", `/v1/segments/${segment.body.id}`);
    await app.db.execute(sql`
      update bulk_changes set status = 'pending', total = null, position = null, finished_at = null where id = ${uuid}`);
    await app.db.execute(sql`
      select from graphile_worker.add_job('run_bulk_change',
        payload => json_build_object('account_id', ${uuidOf("acc", app.accountId)}::text, 'bulk_change_id', ${uuid}::text))`);
    const failed = await ended(app, id);
    assert.deepEqual([failed["status"], failed["error"].code], ["failed", "segment_deleted"]);
  });
});

async function rowsOf(id: string): Promise<number> {
  const { count } = await app.db.one<{ count: number }>(
    sql`select count(*) as count from bulk_change_rows where bulk_change_id = ${uuidOf("blk", id)}`,
  );
  return count;
}

describe("at a size", () => {
  const COUNT = 8_000;
  let listId: string;
  before(async () => {
    listId = await makeList(app);
    const rows = Array.from({ length: COUNT }, (_, n) => `many${n}@example.com\n`).join("");
    const made = await upload(app, { list_id: listId }, `email\n${rows}`);
    await until(
      async () => (await app.api("GET", `/v1/imports/${made.body.id}`)).body.status === "completed",
    );
  });

  it("is canceled in the middle, and its undo takes back just that half", async () => {
    const id = await startChange(app, { filter: { list_id: listId }, action: addTags("half") });
    const path = `/v1/bulk_changes/${id}`;
    await until(async () => (await app.api("GET", path)).body.counts.processed > 0);
    const canceled = await app.api("POST", `${path}/cancel`);
    assert.deepEqual([canceled.status, canceled.body.status], [200, "canceled"], canceled.text);
    const { changed } = canceled.body.counts;
    assert.ok(changed < COUNT, `${changed}`);
    assert.equal(await countTagged("half"), changed);
    assert.equal((await app.api("POST", `${path}/cancel`)).body.code, "invalid_state");
    const undone = await undo(id);
    assert.equal(undone["counts"].undone, changed);
    assert.equal(await countTagged("half"), 0);
  });

  it("runs beside another on the same people, and each says what it did itself", async () => {
    const both = await Promise.all([
      runChange(app, { filter: { list_id: listId }, action: addTags("both", "first") }),
      runChange(app, { filter: { list_id: listId }, action: addTags("both", "second") }),
    ]);
    for (const one of both) assert.deepEqual([one["status"], one["counts"].changed], ["completed", COUNT]);
    assert.deepEqual(
      [await countTagged("both"), await countTagged("first"), await countTagged("second")],
      [COUNT, COUNT, COUNT],
    );
    for (const one of both) await undo(one["id"]);
    assert.deepEqual([await countTagged("both"), await countTagged("first")], [0, 0]);
  });

  it("is for those who match when it begins: whoever joins later is left alone", async () => {
    const running = startChange(app, {
      filter: { list_id: listId, status: "active" },
      action: { type: "unsubscribe" },
    });
    const id = await running;
    await until(async () => (await app.api("GET", `/v1/bulk_changes/${id}`)).body.counts.total !== null);
    const late = await addSubscriber(app, listId, "late@example.com");
    const done = await ended(app, id);
    assert.deepEqual([done["counts"].total, done["counts"].changed], [COUNT, COUNT]);
    assert.equal((await readSubscriber(app, late["id"]))["status"], "active");
    const counts = await app.api("GET", `/v1/subscribers/counts?list_id=${listId}`);
    assert.deepEqual(
      [counts.body.total, counts.body.active, counts.body.unsubscribed],
      [COUNT + 1, 1, COUNT],
    );
  });

  async function countTagged(tag: string): Promise<number> {
    const path = `/v1/subscribers?list_id=${listId}&tag=${tag}&limit=1&include_total=true`;
    return (await app.api("GET", path)).body.total;
  }
});

describe("what is refused", () => {
  const refusals: readonly [string, Json, string][] = [
    ["no target", { action: addTags("x") }, "/filter required"],
    [
      "two targets",
      { filter: {}, ids: ["sub_01k9zq4t3xe8k8y0v6d3m2n1pq"], action: addTags("x") },
      "/ids not_allowed",
    ],
    ["a malformed id", { ids: ["nobody"], action: addTags("x") }, "/ids/0 not_found"],
    ["no ids", { ids: [], action: addTags("x") }, "/ids too_few"],
    [
      "an unknown list",
      { filter: { list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq" }, action: addTags("x") },
      "/filter/list_id not_found",
    ],
    [
      "an unknown segment",
      { filter: { segment_id: "seg_01k9zq4t3xe8k8y0v6d3m2n1pq" }, action: addTags("x") },
      "/filter/segment_id not_found",
    ],
    [
      "a tag that nobody has",
      { filter: { tag: ["nobody has this"] }, action: addTags("x") },
      "/filter/tag/0 not_found",
    ],
    [
      "an unknown status",
      { filter: { status: "gone" }, action: addTags("x") },
      "/filter/status invalid_value",
    ],
    ["an unknown member", { filter: { q: "x" }, action: addTags("x") }, "/filter/q unknown_field"],
    ["no action", { filter: {} }, "/action required"],
    ["an unknown action", { filter: {}, action: { type: "forget" } }, "/action/type invalid_value"],
    ["tags without any", { filter: {}, action: { type: "add_tags" } }, "/action/tags required"],
    ["a blank tag", { filter: {}, action: addTags("  ") }, "/action/tags/0 required"],
    [
      "a tag to take off that isn't there",
      { filter: {}, action: { type: "remove_tags", tags: ["nope"] } },
      "/action/tags/0 not_found",
    ],
    [
      "what the action has no use for",
      { filter: {}, action: { type: "delete", tags: ["x"] } },
      "/action/tags not_allowed",
    ],
    [
      "an unknown field",
      { filter: {}, action: { type: "set_field", field: "email", value: "x" } },
      "/action/field unknown_field",
    ],
    [
      "a wrong value",
      { filter: {}, action: { type: "set_field", field: "time_zone", value: "Mars/Base" } },
      "/action/value invalid_time_zone",
    ],
    [
      "a value of another type",
      { filter: {}, action: { type: "set_field", field: "first_name", value: 7 } },
      "/action/value invalid_type",
    ],
    [
      "an unknown list to copy to",
      { filter: {}, action: { type: "add_to_list", list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq" } },
      "/action/list_id not_found",
    ],
  ];
  for (const [what, body, fault] of refusals) {
    it(what, async () => {
      const reply = await app.api("POST", "/v1/bulk_changes", { body });
      assert.equal(reply.status, 422, reply.text);
      const faults = reply.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`);
      assert.ok(faults.includes(fault), reply.text);
    });
  }

  it("a key without the scope, and another account's list", async () => {
    const body = { filter: {}, action: addTags("x") };
    const key = await app.addKey(["subscribers:read"]);
    const refused = await app.api("POST", "/v1/bulk_changes", { key, body });
    assert.equal(refused.status, 403, refused.text);
    const list_id = await makeList(app);
    const foreign = await app.api("POST", "/v1/bulk_changes", {
      key: otherKey,
      body: { filter: { list_id }, action: { type: "delete" } },
    });
    assert.equal(foreign.status, 422, foreign.text);
  });
});

describe("counts by status", () => {
  it("are the same by counters and by rows", async () => {
    const listId = await makeList(app);
    const ids = await people(listId, 4, { tags: ["counted"] });
    await act(app, ids[0] ?? "", "unsubscribe");
    const plain = await app.api("GET", `/v1/subscribers/counts?list_id=${listId}`);
    const tagged = await app.api("GET", `/v1/subscribers/counts?list_id=${listId}&tag=counted`);
    const expected = { total: 4, pending: 0, active: 3, unsubscribed: 1, bounced: 0, complained: 0 };
    assert.deepEqual(plain.body, { object: "subscriber_counts", ...expected });
    assert.deepEqual(tagged.body, plain.body);
    const nobody = await app.api("GET", "/v1/subscribers/counts?tag=nobody-has-it");
    assert.equal(nobody.body.total, 0);
    const foreign = await app.api("GET", `/v1/subscribers/counts?list_id=${listId}`, { key: otherKey });
    assert.equal(foreign.status, 404);
  });
});
