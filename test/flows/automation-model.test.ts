/**
 * Random automations do what a naive reading of them does, whatever is published, paused, told late or cut meanwhile, by one to three workers; and take
 * the path of their simulation. To draw more than the usual ones:
 *
 *   MODEL_RUNS=1000 npm test -- --only test/flows/automation-model.test.ts --seed random
 *
 * and MODEL_SHRINK=1 beside it looks for the smallest that fails.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { enterRuns, exitRuns } from "../../src/automations/runs/runs.ts";
import { type Db, type Sql, sql, type Tx } from "../../src/platform/db/db.ts";
import { DbError } from "../../src/platform/db/errors.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { type Driven, startDriven } from "../support/automation-model/driven.ts";
import type { Run, Visit } from "../support/automation-model/interpreter.ts";
import {
  anyGraphs,
  commandsOf,
  EVENTS,
  has,
  MAIL,
  PEOPLE,
  plainGraphs,
  TAGS,
  ZONES,
} from "../support/automation-model/random-graphs.ts";
import {
  advance,
  assertBalanced,
  type GraphInput,
  inAccount,
  liveOf,
  makeLive,
  RUN_TOOLS,
  runsOf,
  wakePeople,
} from "../support/automations.ts";
import { createTestClock } from "../support/clock.ts";
import { makeFixture } from "../support/fixtures.ts";
import { makeList, uuidOf } from "../support/subscribers.ts";

/** These take less than a minute on a quiet machine. */
const RUNS = Number(process.env["MODEL_RUNS"] ?? 25);
/** A crowded machine tries fewer, unless it is told how many. */
const LONGEST_MS = process.env["MODEL_RUNS"] === undefined ? 22_000 : Number.POSITIVE_INFINITY;
const IS_SHRUNK = process.env["MODEL_SHRINK"] === "1";
const START = new Date("2026-11-17T10:00:00Z");
const clock = createTestClock(START);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" }, clock, writesOwnEvents: true });
  listId = await makeFixture(app, app.key, "lst");
  const field = await app.api("POST", "/v1/fields", {
    body: { key: "renews", name: "Renews", type: "date" },
  });
  assert.equal(field.status, 201, field.text);
});
after(() => app.stop());

let added = 0;
async function addPerson(more: object = {}): Promise<string> {
  const body = { email: `m${added++}@example.com`, list_id: listId, ...more };
  const reply = await app.api("POST", "/v1/subscribers", { body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}

async function enter(id: string, people: readonly string[]): Promise<void> {
  const live = await liveOf(app, id);
  const at = clock.now();
  const entries = people.map((one) => ({ subscriberId: uuidOf("sub", one), key: "", causeDepth: 0, at }));
  await inAccount(app, clock, (ctx) => enterRuns(ctx, RUN_TOOLS, live, entries));
}

const histories = fc
  .array(
    fc.record({
      name: fc.constantFrom(...EVENTS, "bought"),
      minutes: fc.integer({ min: 1, max: 5 * 1_440 }),
    }),
    { maxLength: 4 },
  )
  .map((events) => events.sort((a, b) => a.minutes - b.minutes));

type Passed = { node: string; way: string | null; reason: string; arrived_at: string; left_at: string };

/** Leads one run to its end, from one moment to the next at which something happens to it. */
async function runToEnd(id: string, subscriberId: string, happenings: readonly { name: string; at: Date }[]) {
  const { graph } = await liveOf(app, id);
  const left = [...happenings];
  const subscriberIds = [uuidOf("sub", subscriberId)];
  for (;;) {
    await advance(app, clock, id);
    const [run] = await runsOf(app, id);
    assert.ok(run);
    if (run.state !== "active") return run;
    const next = left[0];
    const isNext = next !== undefined && next.at <= run.due_at;
    const at = isNext ? next.at : run.due_at;
    clock.step(at.getTime() - clock.now().getTime());
    if (!isNext) continue;
    left.shift();
    const exit = graph.exit.find(
      (one) => "on" in one && one.on.type === "event" && one.on.name === next.name,
    );
    const nodes = [...graph.nodes].flatMap(([name, node]) =>
      node.type === "wait_for" && node.on.some((on) => on.type === "event" && on.name === next.name)
        ? [name]
        : [],
    );
    await inAccount(app, clock, async (ctx) => {
      if (exit) await exitRuns(ctx, { id }, { subscriberIds, as: exit.as, at });
      else await wakePeople(ctx, { id }, { subscriberIds, nodes, at });
    });
  }
}

async function journalOf(id: string): Promise<Passed[]> {
  const rows = await app.db.many<{
    node: string;
    way: string | null;
    reason: string;
    arrived_at: Date;
    left_at: Date;
    visit: number;
  }>(sql`
    select node, way, reason, arrived_at, left_at, visit from automation_journal where automation_id = ${id} order by visit`);
  assert.deepEqual(
    rows.map(({ visit }) => visit),
    rows.map((_, at) => at + 1),
    "visits have no gaps",
  );
  return rows.map(({ visit: _, arrived_at, left_at, ...row }) => ({
    ...row,
    arrived_at: arrived_at.toISOString(),
    left_at: left_at.toISOString(),
  }));
}

describe("a run of an automation", () => {
  it("takes the path of its simulation, whatever the graph and whatever happens", async () => {
    const until = performance.now() + LONGEST_MS;
    const property = fc.asyncProperty(
      plainGraphs,
      histories,
      fc.subarray([...TAGS]),
      fc.constantFrom(...ZONES),
      async (graph, history, tags, zone) => {
        if (performance.now() > until) return;
        clock.step(START.getTime() - clock.now().getTime());
        const person = await addPerson({ tags, time_zone: zone, fields: { renews: "2026-11-20" } });
        const { id, automationId } = await makeLive(app, listId, graph);
        const happenings = history.map(({ name, minutes }) => ({
          name,
          at: new Date(START.getTime() + minutes * 60_000),
        }));
        const simulated = await app.api("POST", `/v1/automations/${automationId}/simulate`, {
          body: {
            subscriber_id: person,
            from: START.toISOString(),
            events: happenings.map(({ name, at }) => ({ type: "event", name, at: at.toISOString() })),
          },
        });
        assert.equal(simulated.status, 200, simulated.text);
        await enter(id, [person]);
        const run = await runToEnd(id, person, happenings);
        const path = simulated.body.path.map(({ type: _, ...visit }: Passed & { type: string }) => visit);
        assert.deepEqual(
          await journalOf(id),
          path.map(({ node, way, reason, arrived_at, left_at }: Passed) => ({
            node,
            way,
            reason,
            arrived_at,
            left_at,
          })),
        );
        assert.equal(run.ended_as, simulated.body.end.as);
        await assertBalanced(app, id);
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  });
});

describe("an automation", () => {
  it("does what a naive reading of it does, whatever is published, paused, told late or cut", async () => {
    const otherListId = await makeFixture(app, app.key, "lst");
    const graphs = anyGraphs(otherListId);
    const reentry = fc.constantFrom({ mode: "once" }, { mode: "every_time" }, { mode: "after", days: 1 });
    const zones = fc.array(fc.constantFrom(...ZONES), { minLength: PEOPLE, maxLength: PEOPLE });
    const until = performance.now() + LONGEST_MS;
    const property = fc.asyncProperty(
      graphs,
      reentry,
      zones,
      commandsOf(graphs),
      async (graph, mode, zone, commands) => {
        if (performance.now() > until) return;
        clock.step(START.getTime() - clock.now().getTime());
        // People of other lists, who were made at the same time, don't come.
        const own = { app, clock, listId: await makeList(app) };
        const driven = await startDriven(own, graph, mode, zone);
        for (const command of commands) await driven.take(command);
        await driven.settle();
        await assertSame(driven);
        await assertWhole(driven.id);
        await driven.cancel();
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: !IS_SHRUNK });
    const { mails } = await app.db.one<{ mails: number }>(sql`
      select count(source_id)::int as mails from automation_journal where reason = 'done'`);
    assert.ok(mails > 0, "some were mailed");
  });
});

type RealRun = Pick<Run, "enteredAt" | "state" | "node" | "visit" | "dueAt" | "endedAs" | "endedAt"> & {
  readonly id: string;
  readonly person: string;
};

/** Every run and every visit is as in the naive reading, to the millisecond, and people are as its steps have left them. */
async function assertSame({ id, model, people }: Driven): Promise<void> {
  const runs = await app.db.many<RealRun>(sql`
    select id, subscriber_id as person, entered_at as "enteredAt", state, node, visit, due_at as "dueAt", ended_as as "endedAs", ended_at as "endedAt"
    from automation_runs where automation_id = ${id} order by entered_at, subscriber_id`);
  const visits = await app.db.many<Visit & { run_id: string }>(sql`
    select run_id, visit, version, node, way, reason, arrived_at as "arrivedAt", left_at as "leftAt", source_id is not null as "isMailed"
    from automation_journal where automation_id = ${id} order by run_id, visit`);
  const journals = Map.groupBy(visits, ({ run_id }) => run_id);
  const real = runs.map(({ id: runId, ...run }) => ({
    ...run,
    journal: (journals.get(runId) ?? []).map(({ run_id: _, ...visit }) => visit),
  }));
  const naive = model.runs
    .map(({ person, enteredAt, state, node, visit, dueAt, endedAs, endedAt, journal }) => ({
      ...{ person: person.id, enteredAt, state, node, visit, dueAt, endedAs, endedAt, journal },
    }))
    .sort((a, b) => a.enteredAt.getTime() - b.enteredAt.getTime() || (a.person < b.person ? -1 : 1));
  // When somebody was due who isn't inside any more says nothing.
  const alike = (some: typeof naive) =>
    some.map((run) => (run.state === "active" ? run : { ...run, dueAt: null }));
  assert.deepEqual(alike(real), alike(naive));
  for (const { id: person, tags, firstName } of people) {
    const found = await app.db.one<{ firstName: string | null; tags: string[] }>(sql`
      select first_name as "firstName", array(
        select t.name from subscriber_tags st join tags t on t.account_id = st.account_id and t.id = st.tag_id
        where st.account_id = s.account_id and st.subscriber_id = s.id order by 1) as tags
      from subscribers s where id = ${person}`);
    assert.deepEqual(found, { firstName, tags: [...tags].sort() });
  }
}

/** What must hold of every automation, asked of the database alone. */
async function assertWhole(id: string): Promise<void> {
  const wrong = await app.db.one<Record<string, number>>(sql`
    with journal as (select * from automation_journal where automation_id = ${id}),
      ledger as (
        select d.source_id, d.contact_id from deliveries d join automation_waves w using (account_id, source_id) where w.automation_id = ${id})
    select
      (select count(*)::int from (
        select from automation_runs r left join journal j on j.account_id = r.account_id and j.run_id = r.id
        where r.automation_id = ${id} group by r.account_id, r.id, r.visit, r.state
        having count(j.visit) <> coalesce(max(j.visit), 0) or count(j.visit) <> r.visit - (r.state = 'active')::int) as gaps) as gaps,
      (select count(*)::int from journal j where source_id is not null and not exists (
        select from ledger l where l.source_id = j.source_id and l.contact_id = j.contact_id)) as "mails without a row",
      (select count(*)::int from ledger l where (
        select count(*) from journal j where j.source_id = l.source_id and j.contact_id = l.contact_id) <> 1) as "rows without a mail",
      (select count(*)::int from journal j join automation_runs r on r.account_id = j.account_id and r.id = j.run_id
       where j.source_id is not null and r.ended_as = 'goal' and j.visit >= r.visit) as "mails after a goal",
      (select count(*)::int from journal j join automation_runs r on r.account_id = j.account_id and r.id = j.run_id
       join deliveries d on d.account_id = j.account_id and d.source_id = j.source_id and d.contact_id = j.contact_id
       where r.ended_as = 'goal' and d.state <> 'skipped') as "mails that a goal left behind"`);
  for (const [what, count] of Object.entries(wrong)) assert.equal(count, 0, what);
  await assertBalanced(app, id);
}

const MANY: GraphInput = {
  nodes: {
    ask: { type: "branch", ways: [{ if: has("a"), next: "tag" }], else: "mail" },
    tag: { type: "tag", add: ["met"], remove: ["a"], next: "mail" },
    mail: { ...MAIL, next: "wait" },
    wait: { type: "wait", for: "P1D", next: "end" },
  },
};

async function assertOnce(id: string, people: number): Promise<void> {
  const rows = await app.db.many<{ visits: number; mails: number; last: number }>(sql`
    select count(*)::int as visits, count(j.source_id)::int as mails, max(j.visit)::int as last
    from automation_runs r join automation_journal j on j.account_id = r.account_id and j.run_id = r.id
    where r.automation_id = ${id} group by r.id`);
  assert.equal(rows.length, people);
  for (const { visits, mails, last } of rows) assert.deepEqual([last, mails], [visits, 1]);
  const { count } = await app.db.one<{ count: number }>(sql`
    select count(*)::int as count from deliveries join automation_waves w using (account_id, source_id)
    where w.automation_id = ${id}`);
  assert.equal(count, people);
  await assertBalanced(app, id);
}

describe("workers", () => {
  it("double nothing, though three lead the same people on at once", async () => {
    clock.step(START.getTime() - clock.now().getTime());
    const { id } = await makeLive(app, listId, MANY);
    const people: string[] = [];
    for (let n = 0; n < 60; n++) people.push(await addPerson({ tags: n % 2 ? ["a"] : [] }));
    await enter(id, people);
    for (const advanceMs of [0, DAY_MS]) {
      clock.advance(advanceMs);
      for (let taken = 1; taken > 0; ) {
        const each = await Promise.all([1, 2, 3].map(() => advance(app, clock, id)));
        taken = each.reduce((sum, one) => sum + one, 0);
      }
    }
    assert.ok((await runsOf(app, id)).every(({ state }) => state === "completed"));
    await assertOnce(id, people.length);
  });

  it("leave nothing half done, wherever their transaction is cut", async () => {
    clock.step(START.getTime() - clock.now().getTime());
    const { id } = await makeLive(app, listId, MANY);
    const people = [await addPerson({ tags: ["a"] }), await addPerson()];
    await enter(id, people);
    const before = await snapshot(id);
    let cuts = 0;
    for (let k = 1; ; k++) {
      const { db, isCut } = cutAfter(app.db, k);
      const done = await advance(app, clock, id, { db }).catch((error) => {
        assert.match(String(error.message), /cut/);
        return undefined;
      });
      if (!isCut()) {
        // The server may still hold the people for the connection that was cut before.
        if (done === 0) {
          await sleep(50);
          k--;
          continue;
        }
        assert.equal(done, 2);
        break;
      }
      cuts++;
      assert.deepEqual(await snapshot(id), before, `after statement ${k}`);
    }
    assert.ok(cuts > 10, `${cuts} places were cut`);
    clock.advance(DAY_MS);
    await advance(app, clock, id);
    await assertOnce(id, people.length);
  });
});

/** All that a step writes. */
async function snapshot(id: string): Promise<unknown> {
  return app.db.one(sql`select
    (select jsonb_agg(r order by r.id) from automation_runs r where r.automation_id = ${id}) as runs,
    (select count(*) from automation_journal where automation_id = ${id}) as journal,
    (select sum(count) from automation_counts where automation_id = ${id}) as counts,
    (select count(*) from automation_waves where automation_id = ${id}) as waves,
    (select count(*) from sources where owner_id = ${id}) as sources,
    (select count(*) from deliveries) as deliveries,
    (select count(*) from subscriber_tags) as tags,
    (select count(*) from events) as events`);
}

/** A database whose transactions are cut after the k-th statement. */
function cutAfter(db: Db, k: number): { db: Db; isCut(): boolean } {
  let isCut = false;
  const cut = async <T>(work: (tx: Tx) => Promise<T>, tx: Tx): Promise<T> => {
    let count = 0;
    const counted =
      <A extends [Sql], R>(ask: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const answer = await ask(...args);
        if (++count < k) return answer;
        isCut = true;
        throw new DbError("unavailable", "the connection was cut");
      };
    const { many, one, maybeOne, execute } = tx;
    return work({
      ...tx,
      many: counted(many) as Tx["many"],
      one: counted(one) as Tx["one"],
      maybeOne: counted(maybeOne) as Tx["maybeOne"],
      execute: counted(execute),
    });
  };
  return { db: { ...db, transaction: (work) => db.transaction((tx) => cut(work, tx)) }, isCut: () => isCut };
}
