/** Many steps that fell due in a pause are gone through a piece at a time, and nobody among them moves before. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { moveOverdueJob } from "../../src/automations/publishing/publishing.ts";
import { enterRuns } from "../../src/automations/runs/runs.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { advance, assertBalanced, inAccount, liveOf, makeLive, RUN_TOOLS } from "../support/automations.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";

const PIECE = 2_000;
const MANY = 2 * PIECE + 500;

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  listId = await makeList(app);
});
after(() => app.stop());

/** An automation with a wait that is over for so many, who fell due a second after another until an hour ago, and which is paused. */
async function paused(people: number): Promise<{ id: string; path: string }> {
  const { id, automationId } = await makeLive(app, listId, {
    nodes: {
      wait: { type: "wait", for: "PT1H", next: "mail" },
      mail: { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "late" },
      late: { type: "wait", for: "P1D", next: "end" },
    },
  });
  await app.db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at, woken_by)
    select ${uuidOf("acc", app.accountId)}, ${id}, gen_random_uuid(), gen_random_uuid(), 1, 'wait', now() - interval '1 day',
      now() - interval '1 day', now() - interval '1 hour' - make_interval(secs => ${people} - n), 'time'
    from generate_series(1, ${people}::int) as n`);
  await app.db.execute(sql`
    insert into automation_counts (account_id, automation_id, node, what, shard, count)
    select ${uuidOf("acc", app.accountId)}, ${id}, node, 'entered', 0, ${people} from unnest(array['', 'wait']) as node`);
  const path = `/v1/automations/${automationId}`;
  assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
  return { id, path };
}

const resume = async (path: string, body: object) => {
  const reply = await app.api("POST", `${path}/resume`, { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};

/** Runs the job as its process does, and stops it after some pieces. */
async function work(id: string, pieces = Number.POSITIVE_INFINITY): Promise<void> {
  let left = pieces;
  const signal = {
    throwIfAborted: () => {
      left -= 1;
      if (left <= 0) throw new Error("stopped");
    },
  } as AbortSignal;
  const tools = {
    db: app.db,
    clock: systemClock,
    log: createLog({ level: "silent", pretty: false }),
    signal,
    attempt: 1,
  };
  const payload = { account_id: uuidOf("acc", app.accountId), automation_id: id };
  const done = moveOverdueJob.run(tools, payload);
  if (pieces === Number.POSITIVE_INFINITY) await done;
  else await assert.rejects(done, /stopped/);
}

const overdueOf = async (path: string) => (await app.api("GET", path)).body.overdue;

describe("many overdue steps", () => {
  it("are spread in the order in which they fell due, over pieces and a crash between them", async () => {
    const { id, path } = await paused(MANY);
    const order = await app.db.many<{ id: string }>(
      sql`select id from automation_runs where automation_id = ${id} order by due_at`,
    );
    const before = Date.now();
    const resumed = await resume(path, { overdue: "spread", spread_minutes: 60 });
    assert.deepEqual(resumed.overdue, { choice: "spread", people: MANY, done: 0 });
    assert.equal(resumed.status, "live");
    await work(id, 1);
    const halfway = { choice: "spread", people: MANY, done: PIECE };
    assert.deepEqual(await overdueOf(path), halfway);
    assert.deepEqual(await overdueOf(`${path}/stats`), halfway);
    await work(id);
    assert.equal(await overdueOf(path), null);
    const rows = await app.db.many<{ id: string; due_at: Date }>(
      sql`select id, due_at from automation_runs where automation_id = ${id} order by due_at`,
    );
    assert.deepEqual(
      rows.map((one) => one.id),
      order.map((one) => one.id),
    );
    const minutes = (at: number) => Math.round(((rows[at]?.due_at.getTime() ?? 0) - before) / 60_000);
    assert.deepEqual([minutes(0), minutes(MANY / 2), minutes(MANY - 1)], [0, 30, 60]);
  });

  it("are skipped once each, over pieces and a crash between them", async () => {
    const { id, path } = await paused(MANY);
    assert.deepEqual((await resume(path, { overdue: "skip" })).overdue.people, MANY);
    await work(id, 1);
    await work(id, 1);
    await Promise.all([work(id), work(id)]);
    const [journal] = await app.db.many(sql`
      select count(*)::int as rows, count(distinct (run_id, visit))::int as visits,
        count(*) filter (where reason = 'skipped')::int as mails
      from automation_journal where automation_id = ${id}`);
    assert.deepEqual(journal, { rows: 2 * MANY, visits: 2 * MANY, mails: MANY });
    const left = await app.db.many(sql`
      select from automation_runs where automation_id = ${id} and (node <> 'late' or visit <> 3)`);
    assert.equal(left.length, 0);
    await assertBalanced(app, id);
    assert.equal(await overdueOf(path), null);
  });

  it("keep back those among them, and nobody else", async () => {
    const { id, path } = await paused(MANY);
    const [old, fresh] = [
      await addSubscriber(app, listId, "old@example.com"),
      await addSubscriber(app, listId, "fresh@example.com"),
    ];
    const enter = async (person: unknown, at: Date) => {
      const entry = { subscriberId: uuidOf("sub", String(person)), key: "", causeDepth: 0, at };
      const live = await liveOf(app, id);
      await inAccount(app, systemClock, (ctx) => enterRuns(ctx, RUN_TOOLS, live, [entry]));
    };
    await enter(old["id"], new Date(Date.now() - 60_000));
    await resume(path, { overdue: "skip" });
    await enter(fresh["id"], new Date(Date.now() + 5));
    const wokenBy = async (person: unknown) =>
      (
        await app.db.one<{ woken_by: string }>(sql`
          select woken_by from automation_runs
          where automation_id = ${id} and subscriber_id = ${uuidOf("sub", String(person))}`)
      ).woken_by;
    await new Promise((done) => setTimeout(done, 20));
    assert.equal(await advance(app, systemClock, id), 1);
    assert.deepEqual([await wokenBy(old["id"]), await wokenBy(fresh["id"])], ["arrival", "time"]);
    await work(id);
    assert.equal(await advance(app, systemClock, id), 1);
    assert.equal(await wokenBy(old["id"]), "time");
  });

  it("are kept back by nothing that a process of the release before left when it paused", async () => {
    const { id, path } = await paused(PIECE + 1);
    const leave = () =>
      app.db.execute(sql`
        insert into automation_overdue (account_id, automation_id, choice, until, spread_minutes, people, done)
        values (${uuidOf("acc", app.accountId)}, ${id}, 'spread', now(), 60, 3000, 2000)`);
    await leave();
    const resumed = await resume(path, { overdue: "skip" });
    assert.deepEqual(resumed.overdue, { choice: "skip", people: PIECE + 1, done: 0 });
    assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    await leave();
    assert.equal((await resume(path, { overdue: "run" })).overdue, null);
    assert.equal(await overdueOf(path), null);
  });

  it("are counted anew after another pause, and those who were gone through stay so", async () => {
    const { id, path } = await paused(MANY);
    await resume(path, { overdue: "spread", spread_minutes: 10_080 });
    await work(id, 1);
    const again = await app.api("POST", `${path}/pause`);
    assert.deepEqual([again.body.status, again.body.overdue], ["paused", null]);
    await work(id);
    const refused = await app.api("POST", `${path}/resume`);
    // The first of the piece is due at once.
    assert.deepEqual(
      [refused.status, refused.body.nodes],
      [409, [{ node: "wait", people: MANY - PIECE + 1 }]],
    );
    assert.equal((await resume(path, { overdue: "run" })).overdue, null);
  });
});
