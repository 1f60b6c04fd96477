/** People enter automations, are woken from waits and led out: who passes, how often, and what is counted of it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  causeDepthsOf,
  type Entry,
  enterRuns,
  exitRuns,
  MOST_ENTRIES_A_DAY,
} from "../../src/automations/runs/runs.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  assertBalanced,
  countsOf,
  type GraphInput,
  inAccount,
  liveOf,
  makeLive,
  RUN_TOOLS,
  runsOf,
  setState,
  wakePeople,
} from "../support/automations.ts";
import { createTestClock } from "../support/clock.ts";
import { makeFixture } from "../support/fixtures.ts";
import { uuidOf } from "../support/subscribers.ts";

const clock = createTestClock(new Date("2026-11-17T10:00:00Z"));
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let app: TestApp;
let listId: string;
// No job runs, so nobody is led on.
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  listId = await makeFixture(app, app.key, "lst");
});
after(() => app.stop());

let added = 0;
async function addPerson(more: object = {}): Promise<string> {
  const body = { email: `p${added++}@example.com`, list_id: listId, ...more };
  const reply = await app.api("POST", "/v1/subscribers", { body });
  assert.equal(reply.status, 201, reply.text);
  return uuidOf("sub", reply.body.id);
}

const WAIT: GraphInput = { nodes: { wait: { type: "wait", for: "P1D", next: "end" } } };

async function enter(id: string, ...entries: (Partial<Entry> & { subscriberId: string })[]) {
  const live = await liveOf(app, id);
  return inAccount(app, clock, (ctx) =>
    enterRuns(
      ctx,
      RUN_TOOLS,
      live,
      entries.map((one) => ({ key: "", causeDepth: 0, at: clock.now(), ...one })),
    ),
  );
}

describe("who enters an automation", () => {
  it("begins at its first step, due at once, and is counted", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const people = [await addPerson(), await addPerson()];
    const { entered } = await enter(id, ...people.map((subscriberId) => ({ subscriberId })));
    assert.equal(entered, 2);
    const runs = await runsOf(app, id);
    assert.deepEqual(
      runs.map((run) => [run.node, run.visit, run.state, run.due_at.getTime()]),
      people.map(() => ["wait", 1, "active", clock.now().getTime()]),
    );
    assert.deepEqual(await countsOf(app, id), { entered: 2, "wait entered": 2 });
  });

  it("is active on its list, and passes the filter", async () => {
    const filter = { field: "tag", op: "has", value: "vip" };
    const entry = { on: [{ type: "manual" }], filter, reentry: { mode: "every_time" } };
    const { id } = await makeLive(app, listId, { ...WAIT, entry });
    const [vip, plain, gone] = [
      await addPerson({ tags: ["vip"] }),
      await addPerson(),
      await addPerson({ tags: ["vip"] }),
    ];
    await app.db.execute(sql`update subscribers set status = 'unsubscribed' where id = ${gone}`);
    const other = await makeFixture(app, app.key, "lst");
    const elsewhere = await app.api("POST", "/v1/subscribers", {
      body: { email: "elsewhere@example.com", list_id: other, tags: ["vip"] },
    });
    const ids = [vip, plain, gone, uuidOf("sub", elsewhere.body.id)];
    assert.equal((await enter(id, ...ids.map((subscriberId) => ({ subscriberId })))).entered, 1);
    assert.deepEqual(
      (await runsOf(app, id)).map((run) => run.subscriber_id),
      [vip],
    );
  });

  it("isn't inside already, under the same key", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const subscriberId = await addPerson();
    assert.equal((await enter(id, { subscriberId }, { subscriberId })).entered, 1);
    assert.equal((await enter(id, { subscriberId })).entered, 0);
    assert.equal((await enter(id, { subscriberId, key: "cart 1" })).entered, 1);
    assert.equal((await runsOf(app, id)).length, 2);
    await assertBalanced(app, id);
  });

  it("enters once, or again after some days, or each time", async () => {
    for (const [reentry, wanted] of [
      [{ mode: "once" }, [1, 0, 0]],
      [{ mode: "after", days: 2 }, [1, 0, 1]],
      [{ mode: "every_time" }, [1, 1, 1]],
    ] as const) {
      const { id } = await makeLive(app, listId, { ...WAIT, entry: { on: [{ type: "manual" }], reentry } });
      const subscriberId = await addPerson();
      const entered: number[] = [];
      for (const days of [0, 1, 2]) {
        const at = new Date(clock.now().getTime() + days * DAY_MS);
        entered.push((await enter(id, { subscriberId, at })).entered);
        const which = { subscriberIds: [subscriberId], as: "exit", at };
        await inAccount(app, clock, (ctx) => exitRuns(ctx, { id }, which));
      }
      assert.deepEqual(entered, wanted, reentry.mode);
      await assertBalanced(app, id);
    }
  });

  it("is stopped beyond so many entries a day, and beyond so many causes", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const subscriberId = await addPerson();
    for (let n = 0; n < MOST_ENTRIES_A_DAY; n++)
      assert.equal((await enter(id, { subscriberId, key: String(n) })).entered, 1);
    assert.deepEqual(await enter(id, { subscriberId, key: "more" }), { entered: 0, stopped: [subscriberId] });
    const tomorrow = new Date(clock.now().getTime() + DAY_MS);
    assert.equal((await enter(id, { subscriberId, key: "more", at: tomorrow })).entered, 1);
    const deep = await addPerson();
    assert.deepEqual(await enter(id, { subscriberId: deep, causeDepth: 6 }), { entered: 0, stopped: [deep] });
    assert.equal((await enter(id, { subscriberId: deep, causeDepth: 5 })).entered, 1);
    const [depth] = await causeDepthsOf(app.db, uuidOf("acc", app.accountId), [
      { automationId: id, subscriberId: deep, at: clock.now() },
    ]);
    assert.equal(depth, 6);
  });

  it("is stopped beyond so many entries a day, also where all come together", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const subscriberId = await addPerson();
    const many = Array.from({ length: MOST_ENTRIES_A_DAY + 10 }, (_, n) => ({
      subscriberId,
      key: String(n),
    }));
    assert.deepEqual(await enter(id, ...many), { entered: MOST_ENTRIES_A_DAY, stopped: [subscriberId] });
    const told = async () =>
      (
        await app.db.many<{ count: number }>(sql`
          select (data ->> 'count')::int as count from events
          where type = 'automation.entries_limited' and data ->> 'automation_id' = ${toPublicId("aut", id)}`)
      ).map(({ count }) => count);
    assert.deepEqual(await told(), [1]);
    await enter(id, ...many);
    assert.deepEqual(await told(), [1], "once an hour");
    clock.advance(HOUR_MS);
    await enter(id, { subscriberId, key: "later" });
    assert.deepEqual(await told(), [1, 1]);
    await assertBalanced(app, id);
  });

  it("counts the causes of the run in which somebody was, and of none before", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const subscriberId = await addPerson();
    const start = clock.now().getTime();
    const at = (hours: number) => new Date(start + hours * HOUR_MS);
    await enter(id, { subscriberId, causeDepth: 5, at: at(0) });
    const which = { subscriberIds: [subscriberId], as: "exit", at: at(1) };
    await inAccount(app, clock, (ctx) => exitRuns(ctx, { id }, which));
    await enter(id, { subscriberId, causeDepth: 0, at: at(2) });
    const caused = [at(1), at(3)].map((one) => ({ automationId: id, subscriberId, at: one }));
    assert.deepEqual(await causeDepthsOf(app.db, uuidOf("acc", app.accountId), caused), [6, 1]);
  });

  it("leaves nothing behind where they are forgotten at the same time", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const subscriberId = await addPerson();
    const [deleted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const forgetting = app.db.transaction(async (tx) => {
      await tx.execute(sql`delete from subscribers where id = ${subscriberId}`);
      deleted.resolve();
      await mayCommit.promise;
    });
    await deleted.promise;
    const entering = enter(id, { subscriberId });
    await new Promise((done) => setTimeout(done, 200));
    mayCommit.resolve();
    await forgetting;
    assert.equal((await entering).entered, 0);
    assert.deepEqual(await runsOf(app, id), []);
  });

  it("enters once though two let them in at once", async () => {
    const entry = { on: [{ type: "manual" }], reentry: { mode: "once" } };
    const { id } = await makeLive(app, listId, { ...WAIT, entry });
    const people = await Promise.all(Array.from({ length: 20 }, () => addPerson()));
    const both = await Promise.all(
      [people, people.toReversed()].map((ids) => enter(id, ...ids.map((subscriberId) => ({ subscriberId })))),
    );
    assert.equal(
      both.reduce((sum, { entered }) => sum + entered, 0),
      20,
    );
    await assertBalanced(app, id);
  });

  it("enters no automation that is draining", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    await setState(app, id, "draining");
    assert.equal((await enter(id, { subscriberId: await addPerson() })).entered, 0);
  });
});

describe("who waits for something", () => {
  it("is woken by it until the time is over, and by nothing before they came", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: {
        await: {
          type: "wait_for",
          on: [{ type: "event", name: "paid" }],
          timeout: "PT2H",
          // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
          then: "end",
          else: "end",
        },
      },
    });
    const subscriberId = await addPerson();
    await enter(id, { subscriberId });
    const [came, over] = [clock.now(), new Date(clock.now().getTime() + 2 * HOUR_MS)];
    await app.db.execute(sql`
      update automation_runs set due_at = ${over}, woken_by = 'time' where automation_id = ${id}`);
    const wake = (at: Date, nodes = ["await"]) =>
      inAccount(app, clock, (ctx) => wakePeople(ctx, { id }, { subscriberIds: [subscriberId], nodes, at }));
    assert.equal(await wake(new Date(came.getTime() - 1)), 0);
    assert.equal(await wake(new Date(over.getTime() + 1)), 0);
    assert.equal(await wake(over, ["another"]), 0);
    assert.equal(await wake(over), 1);
    assert.equal(await wake(over), 0);
    assert.equal((await runsOf(app, id))[0]?.woken_by, "event");
  });
});

describe("a run", () => {
  it("ends where it stands, with a line in the journal", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const [one, other] = [await addPerson(), await addPerson()];
    await enter(id, { subscriberId: one }, { subscriberId: other });
    const before = { subscriberIds: [one], as: "goal", at: new Date(clock.now().getTime() - 1) };
    assert.equal(await inAccount(app, clock, (ctx) => exitRuns(ctx, { id }, before)), 0);
    const at = new Date(clock.now().getTime() + HOUR_MS);
    const which = { subscriberIds: [one], as: "goal", at };
    assert.equal(await inAccount(app, clock, (ctx) => exitRuns(ctx, { id }, which)), 1);
    const journal = await app.db.many(sql`
      select visit, node, way, reason, left_at from automation_journal where automation_id = ${id}`);
    assert.deepEqual(journal, [{ visit: 1, node: "wait", way: null, reason: "exit", left_at: at }]);
    await assertBalanced(app, id);
    const rest = { subscriberIds: [other, one], as: "canceled", at };
    assert.equal(await inAccount(app, clock, (ctx) => exitRuns(ctx, { id }, rest)), 1);
    await assertBalanced(app, id);
  });

  it("goes with its person, and is counted as one that ended so", async () => {
    const { id } = await makeLive(app, listId, WAIT);
    const [one, other] = [await addPerson(), await addPerson()];
    await enter(id, { subscriberId: one }, { subscriberId: other }, { subscriberId: one, key: "k" });
    const which = { subscriberIds: [one], key: "k", as: "goal", at: clock.now() };
    await inAccount(app, clock, (ctx) => exitRuns(ctx, { id }, which));
    await app.db.execute(sql`delete from subscribers where id = ${one}`);
    for (const table of ["automation_runs", "automation_gates"] as const) {
      const rows = await app.db.many(
        table === "automation_runs"
          ? sql`select from automation_runs where subscriber_id = ${one}`
          : sql`select from automation_gates where subscriber_id = ${one}`,
      );
      assert.equal(rows.length, 0, table);
    }
    assert.deepEqual(await app.db.many(sql`select from automation_journal where automation_id = ${id}`), []);
    const counts = await countsOf(app, id);
    assert.deepEqual([counts["exited:deleted"], counts["exited:goal"]], [1, 1]);
    await assertBalanced(app, id);
  });
});
