/** What a live automation names can't be deleted under it, by which it would stop without a word. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";
import { makeList } from "../support/subscribers.ts";

let app: TestApp;
let own: string;
let other: string;
let asked: string;
let segment: string;
let field: string;
let path: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  [own, other, asked] = [await makeList(app), await makeList(app), await makeList(app)];
  segment = await makeFixture(app, app.key, "seg");
  const body = { key: "plan", name: "Plan", type: "text" };
  field = (await app.api("POST", "/v1/fields", { body })).body.id;
  const rule = {
    all: [
      { not: { field: "fields.plan", op: "is", value: "pro" } },
      { field: "list", op: "is", value: asked },
    ],
  };
  const draft = {
    format: 1,
    start: "fork",
    entry: { on: [{ type: "list_joined" }] },
    exit: [{ leaves_segment_id: segment }],
    nodes: {
      fork: { type: "branch", ways: [{ if: rule, next: "copy" }], else: "end" },
      copy: { type: "list", action: "copy", list_id: other, next: "end" },
      end: { type: "end" },
    },
  };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Names", list_id: own, draft } });
  assert.deepEqual(made.body.faults, []);
  path = `/v1/automations/${made.body.id}`;
  const published = await app.api("POST", `${path}/publish`);
  assert.equal(published.status, 200, published.text);
});
after(() => app.stop());

const remove = (place: string) => app.api("DELETE", place);

describe("what a live automation names", () => {
  it("is kept while it is live, and also for who is in a former version", async () => {
    assert.equal((await app.api("POST", `${path}/start`)).status, 200);
    const things = [
      `/v1/fields/${field}`,
      `/v1/segments/${segment}`,
      `/v1/lists/${other}?force=true`,
      `/v1/lists/${asked}`,
    ];
    const refuseAll = async () => {
      for (const thing of things) {
        const refused = await remove(thing);
        assert.deepEqual([refused.status, refused.body.code], [409, "in_use"], thing);
        assert.deepEqual(refused.body.used_by, [`automation ${path.split("/")[3]}`]);
      }
    };
    await refuseAll();
    const renamed = await app.api("PATCH", `/v1/fields/${field}`, { body: { key: "tariff" } });
    assert.deepEqual([renamed.status, renamed.body.code], [409, "in_use"], "versions name it by its key");
    assert.equal((await app.api("PATCH", `/v1/fields/${field}`, { body: { name: "Tariff" } })).status, 200);
    const draft = {
      format: 1,
      start: "end",
      entry: { on: [{ type: "list_joined" }] },
      nodes: { end: { type: "end" } },
    };
    assert.equal((await app.api("PATCH", path, { body: { draft } })).status, 200);
    assert.equal((await app.api("POST", `${path}/publish`, { body: { people: "stay" } })).status, 200);
    await refuseAll();
    assert.equal((await app.api("POST", `${path}/cancel`)).status, 200);
    for (const thing of things) assert.equal((await remove(thing)).status, 204, thing);
  });
});

describe("a notify step", () => {
  it("names people of the account alone: one of another is as unknown as nobody", async () => {
    const { key } = await app.addAccount();
    const stranger = await makeFixture(app, key, "usr");
    const draft = {
      format: 1,
      start: "tell",
      entry: { on: [{ type: "list_joined" }] },
      nodes: {
        tell: {
          type: "notify",
          to: [stranger, "usr_01k9zq4t3xe8k8y0v6d3m2n1pq"],
          subject: "Hello",
          text: "Hello",
          next: "end",
        },
        end: { type: "end" },
      },
    };
    const made = await app.api("POST", "/v1/automations", { body: { name: "Tells", list_id: own, draft } });
    const faults: { pointer: string; code: string; detail: string }[] = made.body.faults;
    assert.deepEqual(
      faults.map(({ pointer, code }) => `${pointer} ${code}`),
      ["/draft/nodes/tell/to/0 unknown_user", "/draft/nodes/tell/to/1 unknown_user"],
    );
    assert.equal(faults[0]?.detail, faults[1]?.detail);
    const started = await app.api("POST", `/v1/automations/${made.body.id}/start`);
    assert.deepEqual([started.status, started.body.code], [422, "automation_not_ready"]);
  });

  it("is the account's own, also where only a rule names a list", async () => {
    const theirs = await makeFixture(app, (await app.addAccount()).key, "lst");
    const rule = { field: "list", op: "is", value: theirs };
    const draft = {
      format: 1,
      start: "fork",
      entry: { on: [{ type: "list_joined" }], filter: { not: rule } },
      exit: [{ rule }],
      nodes: {
        fork: { type: "branch", ways: [{ if: rule, next: "end" }], else: "end" },
        end: { type: "end" },
      },
    };
    const made = await app.api("POST", "/v1/automations", { body: { name: "Theirs", list_id: own, draft } });
    assert.deepEqual(
      made.body.faults.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]).sort(),
      [
        ["/draft/entry/filter", "unknown_list"],
        ["/draft/exit/0/rule", "unknown_list"],
        ["/draft/nodes/fork/ways/0/if", "unknown_list"],
      ],
    );
  });
});
