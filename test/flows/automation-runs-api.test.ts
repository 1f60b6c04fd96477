/** People in an automation are counted, listed, shown with their journal, and moved by hand. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";
import { uuidOf } from "../support/subscribers.ts";

type Run = {
  readonly id: string;
  readonly automation_name: string;
  readonly status: string;
  readonly key: string;
};

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

async function stand(): Promise<{ path: string; automation: string }> {
  const path = `/v1/automation_runs/${await makeFixture(app, app.key, "run")}`;
  const { body } = await app.api("GET", path);
  return { path, automation: `/v1/automations/${body.automation_id}` };
}

/** Who entered is inside, completed or exited; and the same at each step. */
async function readBalanced(automation: string) {
  const { status, body, text } = await app.api("GET", `${automation}/stats`);
  assert.equal(status, 200, text);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0);
  assert.equal(body.entered, body.active + body.completed + sum(body.exited));
  for (const one of body.nodes)
    assert.equal(one.entered, one.waiting + sum(one.left) + sum(one.exited), one.node);
  return body;
}

describe("a run", () => {
  it("is listed by its status, its step and its person, and found with its journal", async () => {
    const { path, automation } = await stand();
    const run = (await app.api("GET", path)).body;
    assert.deepEqual([run.status, run.node, run.visit, run.journal], ["active", "wait", 1, []]);
    const find = async (query: string) =>
      (await app.api("GET", `${automation}/runs${query}`)).body.data.length;
    assert.equal(await find(""), 1);
    assert.equal(await find(`?node=wait&subscriber_id=${run.subscriber_id}`), 1);
    assert.equal(await find("?node=end"), 0);
    assert.equal(await find("?status=exited"), 0);
    assert.deepEqual((await readBalanced(automation)).nodes, [
      { node: "wait", entered: 1, waiting: 1, left: {}, exited: {} },
    ]);
  });

  it("is listed with all of its person, those inside first, a page at a time", async () => {
    const { path, automation } = await stand();
    const run = (await app.api("GET", path)).body;
    const name = (await app.api("GET", automation)).body.name;
    const of = `/v1/automation_runs?subscriber_id=${run.subscriber_id}`;
    const listed = await app.api("GET", of);
    assert.deepEqual(
      listed.body.data.map((one: Run) => [one.id, one.automation_name, one.status]),
      [[run.id, name, "active"]],
      listed.text,
    );
    const [account, id, subscriber] = [app.accountId, run.automation_id, run.subscriber_id];
    // Two that ended, of which one began after the one that goes on, and one of somebody else.
    await app.db.execute(sql`
      insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, key, state, ended_as, entered_at,
        arrived_at, due_at, ended_at)
      select ${uuidOf("acc", account)}, ${uuidOf("aut", id)}, id, subscriber_id, 1, 'end', key, 'completed', 'completed', now(),
        now(), now(), now()
      from (values ('00000000-0000-7000-8000-000000000001'::uuid, ${uuidOf("sub", subscriber)}::uuid, 'before'),
        ('ffffffff-0000-7000-8000-000000000001', ${uuidOf("sub", subscriber)}, 'after'),
        ('ffffffff-0000-7000-8000-000000000002', gen_random_uuid(), 'other')) as one (id, subscriber_id, key)`);
    const found: Run[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page = await app.api("GET", `${of}&limit=1${next && `&cursor=${next}`}`);
      assert.equal(page.status, 200, page.text);
      found.push(...page.body.data);
      next = page.body.next_cursor;
    }
    assert.deepEqual(
      found.map(({ key, status }) => [key, status]),
      [
        ["", "active"],
        ["after", "completed"],
        ["before", "completed"],
      ],
    );
    const keysOf = async (status: string) =>
      (await app.api("GET", `${of}&status=${status}`)).body.data.map(({ key }: Run) => key);
    assert.deepEqual([await keysOf("active"), await keysOf("exited")], [[""], []]);
    assert.deepEqual(await keysOf("completed"), ["after", "before"]);
  });

  it("isn't listed without a person of the account, nor without the scope", async () => {
    const { path } = await stand();
    const { subscriber_id: id } = (await app.api("GET", path)).body;
    const statusOf = async (query: string, key = app.key) =>
      (await app.api("GET", `/v1/automation_runs${query}`, { key })).status;
    const other = await app.addAccount();
    assert.deepEqual(
      [
        await statusOf(""),
        await statusOf("?subscriber_id=sub_01kf3m8c9tfx4t0q6y5v2w7r8a"),
        await statusOf(`?subscriber_id=${id}`, other.key),
        await statusOf(`?subscriber_id=${id}`, await app.addKey(["automations:read"])),
        await statusOf(`?subscriber_id=${id}`, await app.addKey(["subscribers:read"])),
      ],
      [400, 400, 400, 403, 200],
    );
  });

  it("goes on at once when its wait is cut short, and is put onto any step", async () => {
    const { path, automation } = await stand();
    const skipped = await app.api("POST", `${path}/skip_wait`);
    assert.deepEqual([skipped.status, skipped.body.node, skipped.body.visit], [200, "end", 2], skipped.text);
    const { visit, node, way, reason } = skipped.body.journal[0];
    assert.deepEqual(
      { visit, node, way, reason },
      { visit: 1, node: "wait", way: "next", reason: "skipped" },
    );
    assert.equal((await app.api("POST", `${path}/skip_wait`)).status, 409);
    const moved = await app.api("POST", `${path}/move`, { body: { node: "wait" } });
    assert.deepEqual([moved.body.node, moved.body.visit, moved.body.journal.length], ["wait", 3, 2]);
    const lost = await app.api("POST", `${path}/move`, { body: { node: "nowhere" } });
    assert.deepEqual([lost.status, lost.body.errors[0].code], [422, "unknown_node"]);
    await readBalanced(automation);
  });

  it("ends where it stands, once", async () => {
    const { path, automation } = await stand();
    const ended = await app.api("POST", `${path}/exit`);
    assert.deepEqual([ended.status, ended.body.status, ended.body.ended_as], [200, "exited", "removed"]);
    for (const action of ["exit", "skip_wait"])
      assert.equal((await app.api("POST", `${path}/${action}`)).status, 409);
    const stats = await readBalanced(automation);
    assert.deepEqual([stats.active, stats.exited], [0, { removed: 1 }]);
    assert.equal((await app.api("GET", `${automation}/runs?status=exited`)).body.data.length, 1);
  });
});
