/** People in an automation are counted, listed, shown with their journal, and moved by hand. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";

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
