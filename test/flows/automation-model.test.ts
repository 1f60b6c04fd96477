/**
 * Random automations run by the executor take the same path as in a simulation, which is the plainest reading of a graph. Two workers at once
 * double nothing, and a transaction that is cut anywhere leaves nothing behind.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { enterRuns, exitRuns } from "../../src/automations/runs/runs.ts";
import { type Db, type Sql, sql, type Tx } from "../../src/platform/db/db.ts";
import { DbError } from "../../src/platform/db/errors.ts";
import { createApp, type TestApp } from "../support/app.ts";
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
import { uuidOf } from "../support/subscribers.ts";

const START = new Date("2026-11-17T10:00:00Z");
const clock = createTestClock(START);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  listId = await makeFixture(app, app.key, "lst");
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

const TAGS = ["a", "b", "c"];
const EVENTS = ["paid", "seen"];
const has = (value: string) => ({ field: "tag", op: "has", value });
const spans = fc.constantFrom("PT1H", "PT90M", "P1D", "P2D");
const mail = { type: "email", subject: "Hello", html: "<p><a href='{{ unsubscribe_url }}'>Leave</a></p>" };

/** A step that leads only to later ones, so that every graph comes to an end, or back to the first by way of a wait. */
function stepArbitrary(at: number, count: number): fc.Arbitrary<Record<string, unknown>> {
  const later = fc.integer({ min: at + 1, max: count }).map((to) => (to === count ? "end" : `s${to}`));
  const tag = fc.constantFrom(...TAGS);
  const wait = fc.oneof(
    spans.map((span) => ({ for: span })),
    fc.constantFrom("09:00", "18:30").map((hour) => ({ at: hour })),
    fc.record({ for: spans, at: fc.constantFrom("08:00") }),
  );
  return fc.oneof(
    fc
      .record({ type: fc.constant("wait"), wait, next: later })
      .map(({ wait: how, ...step }) => ({ ...step, ...how })),
    fc.record({
      type: fc.constant("wait_for"),
      on: fc.constantFrom(...EVENTS).map((name) => [{ type: "event", name }]),
      timeout: spans,
      // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
      then: later,
      else: later,
    }),
    fc.record({ value: tag, next: later, else: later }).map(({ value, next, else: otherwise }) => ({
      type: "branch",
      ways: [{ if: has(value), next }],
      else: otherwise,
    })),
    fc.tuple(later, later).map(([one, other]) => ({
      type: "split",
      ways: [
        { percent: 33.3, next: one },
        { percent: 66.7, next: other },
      ],
    })),
    fc.record({
      type: fc.constant("tag"),
      add: tag.map((one) => [one]),
      remove: tag.map((one) => [one]),
      next: later,
    }),
    fc.record({ type: fc.constant("goal"), name: fc.constant("reached"), next: later }),
    later.map((next) => ({ ...mail, next })),
  );
}

/** Keeps the steps that a way leads to from the first. */
function reachable(steps: readonly Record<string, unknown>[]): Record<string, object> {
  const named = new Map(steps.map((step, at) => [`s${at}`, step]));
  const found = new Map<string, object>();
  const visit = (name: string): void => {
    const step = named.get(name);
    if (!step || found.has(name)) return;
    found.set(name, step);
    const text = JSON.stringify(step);
    for (const [, to] of text.matchAll(/"(?:next|then|else)":"(s\d+)"/g)) visit(to as string);
  };
  visit("s0");
  return Object.fromEntries(found);
}

const graphs: fc.Arbitrary<GraphInput> = fc
  .integer({ min: 1, max: 7 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => stepArbitrary(at, count))))
  .chain((steps) =>
    fc.record({
      nodes: fc.constant(reachable(steps)),
      exit: fc.constantFrom([], [{ event: "bought", as: "goal" }], [{ rule: has("c"), as: "exit" }]),
      send: fc.constantFrom({}, { window: { from: "09:00", to: "17:00" } }),
    }),
  );
const histories = fc
  .array(
    fc.record({
      name: fc.constantFrom(...EVENTS, "bought"),
      minutes: fc.integer({ min: 1, max: 5 * 1_440 }),
    }),
    { maxLength: 4 },
  )
  .map((events) => events.sort((a, b) => a.minutes - b.minutes));

type Visit = { node: string; way: string | null; reason: string; arrived_at: string; left_at: string };

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

async function journalOf(id: string): Promise<Visit[]> {
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
    const property = fc.asyncProperty(
      graphs,
      histories,
      fc.subarray(TAGS),
      fc.constantFrom("UTC", "America/New_York", "Asia/Kolkata"),
      async (graph, history, tags, zone) => {
        clock.step(START.getTime() - clock.now().getTime());
        const person = await addPerson({ tags, time_zone: zone });
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
        const path = simulated.body.path.map(({ type: _, ...visit }: Visit & { type: string }) => visit);
        assert.deepEqual(
          await journalOf(id),
          path.map(({ node, way, reason, arrived_at, left_at }: Visit) => ({
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
    await fc.assert(property, { numRuns: 40, endOnFailure: true });
  });
});

const MANY: GraphInput = {
  nodes: {
    ask: { type: "branch", ways: [{ if: has("a"), next: "tag" }], else: "mail" },
    tag: { type: "tag", add: ["met"], remove: ["a"], next: "mail" },
    mail: { ...mail, next: "wait" },
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
