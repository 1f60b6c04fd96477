/** Mail that still waits when its person reaches a goal doesn't leave; what a step of the automation itself brought about takes nothing back, nor does a goal that is a step. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertBalanced, countsOf, runsOf } from "../support/automations.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let listId: string;
let count = 0;
// Nobody sends, as where a warm-up or an allowance holds mail for days.
before(async () => {
  app = await createApp({ settings: { ROLES: "api,jobs" } });
  listId = await makeList(app);
});
after(() => app.stop());

const MAIL = {
  type: "email",
  subject: "Your cart",
  html: '<p>Your cart <a href="{{ unsubscribe_url }}">Leave</a></p>',
  next: "pause",
};
const PAUSE = { type: "wait", for: "P1D", next: "end" };
const ADA = { field: "first_name", op: "is", value: "Ada" };

/** Starts an automation, and has somebody mailed by it who waits then. */
async function mailed(
  exit: readonly object[],
  nodes: object = { mail: MAIL, pause: PAUSE },
): Promise<{ id: string; person: string }> {
  const draft = {
    format: 1,
    start: "mail",
    entry: { on: [{ type: "list_joined" }] },
    exit,
    nodes: { ...nodes, end: { type: "end" } },
  };
  const made = await app.api("POST", "/v1/automations", {
    body: { name: "Carts", list_id: listId, draft },
  });
  assert.equal(made.status, 201, made.text);
  const started = await app.api("POST", `/v1/automations/${made.body.id}/start`);
  assert.equal(started.status, 200, started.text);
  const id = uuidOf("aut", made.body.id);
  const person = String((await addSubscriber(app, listId, `taken-back-${++count}@example.com`))["id"]);
  await until(async () => (await mailsOf(id)).length === 1);
  return { id, person };
}

const mailsOf = (id: string) =>
  app.db.many<{ state: string; why: string | null }>(sql`
    select d.state, d.why from deliveries d join sources s on s.account_id = d.account_id and s.id = d.source_id
    where s.owner_id = ${id}`);
const track = async (person: string, name: string) => {
  const told = await app.api("POST", "/v1/track", { body: { subscriber_id: person, name } });
  assert.equal(told.status, 202, told.text);
};
const endedAs = async (id: string) => (await runsOf(app, id))[0]?.ended_as;
const TAKEN_BACK = [{ state: "skipped", why: "canceled" }];

describe("mail that waits", () => {
  it("is taken back by a goal that comes before it leaves, and counted so", async () => {
    const { id, person } = await mailed([{ event: "bought", as: "goal" }]);
    assert.deepEqual(await mailsOf(id), [{ state: "ready", why: null }]);
    await track(person, "bought");
    await until(async () => (await endedAs(id)) === "goal");
    assert.deepEqual(await mailsOf(id), TAKEN_BACK);
    const [skipped] = await app.db.many<{ count: number }>(sql`
      select sum(c.count)::int as count from counters c join sources s on s.account_id = c.account_id and s.id = c.source_id
      where s.owner_id = ${id} and c.what = 'skipped.canceled'`);
    assert.equal(skipped?.count, 1);
    await assertBalanced(app, id);
  });

  it("is taken back by whoever ends the run", async () => {
    const { id } = await mailed([]);
    await until(async () => (await runsOf(app, id))[0]?.node === "pause");
    const [run] = await runsOf(app, id);
    const ended = await app.api("POST", `/v1/automation_runs/${toPublicId("run", run?.id ?? "")}/exit`);
    assert.equal(ended.status, 200, ended.text);
    assert.deepEqual(await mailsOf(id), TAKEN_BACK);
  });

  it("is taken back by a rule that holds when its wait is over", async () => {
    const { id, person } = await mailed([{ rule: ADA, as: "exit" }]);
    await until(async () => (await runsOf(app, id))[0]?.woken_by === "time");
    // The rule comes true without a word of it.
    await app.db.execute(sql`update subscribers set first_name = 'Ada' where id = ${uuidOf("sub", person)}`);
    await app.db.execute(sql`update automation_runs set due_at = now() where automation_id = ${id}`);
    await until(async () => (await endedAs(id)) === "exit");
    assert.deepEqual(await mailsOf(id), TAKEN_BACK);
    await assertBalanced(app, id);
  });

  it("leaves where a step after it brings the exit about", async () => {
    const done = { field: "tag", op: "has", value: "done" };
    const { id } = await mailed([{ rule: done, as: "exit" }], {
      mail: { ...MAIL, next: "done" },
      done: { type: "tag", add: ["done"], next: "pause" },
      pause: PAUSE,
    });
    await until(async () => (await endedAs(id)) === "exit");
    assert.deepEqual(await mailsOf(id), [{ state: "ready", why: null }]);
  });

  it("leaves where a step that is a goal counts its person, whose run goes on", async () => {
    const { id, person } = await mailed([], {
      mail: { ...MAIL, next: "buys" },
      buys: {
        type: "wait_for",
        on: [{ type: "event", name: "ordered" }],
        timeout: "P1D",
        // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
        then: "won",
        else: "end",
      },
      won: { type: "goal", name: "Ordered", next: "pause" },
      pause: PAUSE,
    });
    await until(async () => (await runsOf(app, id))[0]?.node === "buys");
    await track(person, "ordered");
    await until(async () => (await runsOf(app, id))[0]?.node === "pause");
    const { goal } = await countsOf(app, id);
    assert.deepEqual([goal, await mailsOf(id)], [1, [{ state: "ready", why: null }]]);
    await assertBalanced(app, id);
  });

  it("stays where it may have left already", async () => {
    const { id, person } = await mailed([{ event: "bought", as: "goal" }]);
    await app.db.execute(sql`
      update deliveries d set state = 'sent' from sources s
      where s.account_id = d.account_id and s.id = d.source_id and s.owner_id = ${id}`);
    await track(person, "bought");
    await until(async () => (await endedAs(id)) === "goal");
    assert.deepEqual(await mailsOf(id), [{ state: "sent", why: null }]);
  });
});
