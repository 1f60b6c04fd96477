/** Drafts of automations: written, checked, changed by several, copied and deleted. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await makeFixture(app, app.key, "lst");
});
after(() => app.stop());

const draft = (nodes: object = { end: { type: "end" } }, start = "end") => ({
  format: 1,
  start,
  entry: { on: [{ type: "list_joined" }] },
  nodes,
});
const make = async (body: object = {}) => {
  const reply = await app.api("POST", "/v1/automations", {
    body: { name: "Welcome", list_id: listId, ...body },
  });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const codes = (faults: readonly { pointer: string; code: string }[]) =>
  faults.map(({ pointer, code }) => `${pointer} ${code}`);

describe("an automation", () => {
  it("is made with steps of its own or with none, read, listed, changed and deleted", async () => {
    const made = await make();
    assert.deepEqual(made.faults, []);
    assert.equal(made.list_id, listId);
    const path = `/v1/automations/${made.id}`;
    const read = await app.api("GET", path);
    assert.deepEqual(read.body, made);
    const nodes = { tag: { type: "tag", add: ["new"], next: "end" }, end: { type: "end" } };
    const patched = await app.api("PATCH", path, { body: { name: "Hello", draft: draft(nodes, "tag") } });
    assert.equal(patched.status, 200, patched.text);
    assert.deepEqual([patched.body.name, patched.body.faults], ["Hello", []]);
    assert.deepEqual(Object.keys(patched.body.draft.nodes), ["tag", "end"]);
    const page = await app.api("GET", `/v1/automations?list_id=${listId}&q=hell`);
    assert.deepEqual(
      page.body.data.map(({ id, draft: none }: { id: string; draft: unknown }) => [id, none]),
      [[made.id, undefined]],
    );
    assert.equal((await app.api("DELETE", path)).status, 204);
    assert.equal((await app.api("GET", path)).status, 404);
  });

  it("keeps a draft with faults, and names all of them with every answer", async () => {
    const nodes = {
      mail: {
        type: "email",
        subject: "Hello",
        template_id: "tpl_01kf3m8c9tfx4t0q6y5v2w7r8a",
        next: "nowhere",
      },
      lonely: { type: "list", action: "copy", list_id: "lst_01kf3m8c9tfx4t0q6y5v2w7r8a", next: "mail" },
    };
    const made = await make({ draft: draft(nodes, "mail") });
    const expected = [
      "/draft/nodes/lonely unreachable",
      "/draft/nodes/lonely/list_id unknown_list",
      "/draft/nodes/mail/next unknown_node",
      "/draft/nodes/mail/template_id unknown_template",
    ];
    assert.deepEqual(codes(made.faults).sort(), expected);
    assert.deepEqual(made.draft, draft(nodes, "mail"));
    const read = await app.api("GET", `/v1/automations/${made.id}`);
    assert.deepEqual(codes(read.body.faults).sort(), expected);
  });

  it("learns that what it names has gone", async () => {
    const segment = await makeFixture(app, app.key, "seg");
    const field = await app.api("POST", "/v1/fields", { body: { key: "renews_on", type: "date" } });
    const other = await makeFixture(app, app.key, "lst");
    const nodes = {
      wait: { type: "wait", until: { field: "fields.renews_on" }, at: "09:00", next: "copy" },
      copy: { type: "list", action: "copy", list_id: other, next: "end" },
      end: { type: "end" },
    };
    const made = await make({
      draft: { ...draft(nodes, "wait"), exit: [{ leaves_segment_id: segment }] },
    });
    assert.deepEqual(made.faults, []);
    await app.api("DELETE", `/v1/segments/${segment}`);
    await app.api("DELETE", `/v1/fields/${field.body.id}`);
    await app.api("DELETE", `/v1/lists/${other}`);
    const read = await app.api("GET", `/v1/automations/${made.id}`);
    assert.deepEqual(codes(read.body.faults).sort(), [
      "/draft/exit/0/leaves_segment_id unknown_segment",
      "/draft/nodes/copy/list_id unknown_list",
      "/draft/nodes/wait/until/field unknown_field",
    ]);
  });

  it("names another account's things as if they weren't there", async () => {
    const other = await app.addAccount();
    const theirs = await makeFixture(app, other.key, "lst");
    const nodes = {
      copy: { type: "list", action: "copy", list_id: theirs, next: "end" },
      end: { type: "end" },
    };
    const made = await make({ draft: draft(nodes, "copy") });
    assert.deepEqual(codes(made.faults), ["/draft/nodes/copy/list_id unknown_list"]);
    const refused = await app.api("POST", "/v1/automations", { body: { name: "Mine", list_id: theirs } });
    assert.deepEqual([refused.status, codes(refused.body.errors)], [422, ["/list_id not_found"]]);
    const path = `/v1/automations/${made.id}`;
    for (const [method, at, body] of [
      ["GET", path, undefined],
      ["PATCH", path, { name: "Mine" }],
      ["POST", `${path}/duplicate`, undefined],
      ["DELETE", path, undefined],
    ] as const) {
      const reply = await app.api(method, at, { key: other.key, ...(body && { body }) });
      assert.equal(reply.status, 404, `${method} ${at}`);
    }
  });

  it("isn't overwritten by whoever read it before another changed it", async () => {
    const { id } = await make();
    const path = `/v1/automations/${id}`;
    const etag = (await app.api("GET", path)).headers.get("etag") ?? "";
    const change = (name: string) =>
      app.api("PATCH", path, { body: { name }, headers: { "if-match": etag } });
    assert.equal((await change("First")).status, 200);
    assert.equal((await change("Second")).status, 412);
    assert.equal((await app.api("GET", path)).body.name, "First");
  });

  it("is copied with its steps, for the same list, and with a name that fits", async () => {
    const nodes = { tag: { type: "tag", add: ["new"], next: "end" }, end: { type: "end" } };
    const made = await make({ name: "é".repeat(200), draft: draft(nodes, "tag") });
    const copy = await app.api("POST", `/v1/automations/${made.id}/duplicate`);
    assert.equal(copy.status, 201, copy.text);
    assert.deepEqual([copy.body.draft, copy.body.list_id], [made.draft, listId]);
    assert.equal([...copy.body.name].length, 200);
    assert.notEqual(copy.body.id, made.id);
  });

  it("refuses what it can't keep", async () => {
    const huge = draft({ end: { type: "end" }, mail: { type: "email", html: "x".repeat(256 * 1_024) } });
    for (const [body, code] of [
      [{ name: "a\nb" }, "/name invalid_name"],
      [{ name: " " }, "/name required"],
      [{ draft: huge }, "/draft too_large"],
      [{ draft: [] }, "/draft invalid_type"],
      [{ draft: null }, "/draft invalid_type"],
      [{ status: "live" }, "/status unknown_field"],
    ] as const) {
      const reply = await app.api("POST", "/v1/automations", {
        body: { name: "Bad", list_id: listId, ...body },
      });
      assert.equal(reply.status, 422, reply.text);
      assert.deepEqual(codes(reply.body.errors), [code]);
    }
  });

  it("isn't made beyond the five hundredth, also by two at once", async () => {
    const other = await app.addAccount();
    const list = await makeFixture(app, other.key, "lst");
    const send = () =>
      app.api("POST", "/v1/automations", { key: other.key, body: { name: "One", list_id: list } });
    for (let at = 0; at < 499; at += 20)
      await Promise.all(Array.from({ length: Math.min(20, 499 - at) }, send));
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 409, 409]);
  });
});
