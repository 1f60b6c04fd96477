/** Who waits goes on by what happens to them, at the time that they were promised, to the address that they have by then. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { enrollPiece } from "../../src/automations/enrolling/enroll-people.ts";
import { feedAccount, sweepRules } from "../../src/automations/feed/feed.ts";
import { readFollowing } from "../../src/automations/jobs.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { advance, assertBalanced, RUN_TOOLS, runsOf } from "../support/automations.ts";
import { createTestClock } from "../support/clock.ts";
import { makeFixture } from "../support/fixtures.ts";
import { act, addSubscriber, readSubscriber, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let app: TestApp;
let accountId: string;
let listId: string;
before(async () => {
  // The tests themselves feed, and lead people on.
  app = await createApp({ settings: { ROLES: "api,sender" } });
  accountId = uuidOf("acc", app.accountId);
  listId = await makeFixture(app, app.key, "lst");
});
after(() => app.stop());

const END = { type: "end" };
const mail = { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "end" };
const tag = (name: string) => ({ type: "tag", add: [name], next: "end" });
const ENTRY = { on: [{ type: "event", name: "begin" }, { type: "manual" }], reentry: { mode: "every_time" } };

function draftOf(nodes: object, more: object = {}): object {
  return { format: 1, start: Object.keys(nodes)[0], entry: ENTRY, nodes: { ...nodes, end: END }, ...more };
}

async function start(nodes: object, more: object = {}): Promise<{ id: string; path: string }> {
  const body = { name: "Waits", list_id: listId, draft: draftOf(nodes, more) };
  const made = await app.api("POST", "/v1/automations", { body });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/automations/${made.body.id}`;
  assert.equal((await app.api("POST", `${path}/start`)).status, 200);
  await feed();
  return { id: uuidOf("aut", made.body.id), path };
}

async function publish(path: string, nodes: object, body: object): Promise<void> {
  const written = await app.api("PATCH", path, { body: { draft: draftOf(nodes) } });
  assert.equal(written.status, 200, written.text);
  const published = await app.api("POST", `${path}/publish`, { body });
  assert.equal(published.status, 200, published.text);
}

async function feed(): Promise<void> {
  await settled(app);
  const tools = { db: app.db, clock: systemClock, log, ...RUN_TOOLS };
  await feedAccount(tools, accountId);
  while ((await feedAccount(tools, accountId)) === "again");
}

let added = 0;
async function add(): Promise<string> {
  return String((await addSubscriber(app, listId, `waits-${added++}@example.com`))["id"]);
}

async function track(person: string, name: string): Promise<void> {
  const told = await app.api("POST", "/v1/track", { body: { subscriber_id: person, name } });
  assert.equal(told.status, 202, told.text);
}

/** Lets a person in and leads them to where they wait. */
async function enter(id: string): Promise<string> {
  const person = await add();
  await track(person, "begin");
  await feed();
  assert.equal(await advance(app, systemClock, id, { readFollowing }), 1);
  return person;
}

/** So much time goes by for who waits. */
function pass(id: string, ms: number): Promise<number> {
  return app.db.execute(sql`
    update automation_runs set arrived_at = arrived_at - make_interval(secs => ${ms / 1_000}),
      entered_at = entered_at - make_interval(secs => ${ms / 1_000}), due_at = due_at - make_interval(secs => ${ms / 1_000})
    where automation_id = ${id} and state = 'active'`);
}

const tagsOf = async (person: string) => (await readSubscriber(app, person))["tags"];
const wokenBy = async (id: string) => (await runsOf(app, id))[0]?.woken_by;

describe("what lets somebody in", () => {
  it("doesn't wake the run that it begins, nor end it; the same again does", async () => {
    const again = {
      type: "wait_for",
      on: [{ type: "event", name: "begin" }],
      timeout: "P1D",
      // biome-ignore lint/suspicious/noThenProperty: it is the name of a way
      then: "again",
      else: "timed",
    };
    const nodes = { listen: again, again: tag("again"), timed: tag("timed") };
    const { id } = await start(nodes);
    const person = await add();
    await track(person, "begin");
    await feed();
    assert.equal(await wokenBy(id), "arrival");
    await advance(app, systemClock, id, { readFollowing });
    assert.equal(await wokenBy(id), "time");
    await track(person, "begin");
    await feed();
    await advance(app, systemClock, id, { readFollowing });
    assert.deepEqual(await tagsOf(person), ["again"]);

    const exit = [{ event: "begin", as: "goal" }];
    const ended = await start({ wait: { type: "wait", for: "P1D", next: "end" } }, { exit });
    const other = await add();
    const runOf = async () => (await runsOf(app, ended.id)).map((run) => run.ended_as);
    await track(other, "begin");
    await feed();
    assert.deepEqual(await runOf(), [null]);
    await track(other, "begin");
    await feed();
    assert.deepEqual(await runOf(), ["goal"]);
    await assertBalanced(app, ended.id);
  });
});

describe("what a step does", () => {
  const listening = (on: object, first: object) => ({
    first,
    listen: {
      type: "wait_for",
      on: [on],
      timeout: "P1D",
      // biome-ignore lint/suspicious/noThenProperty: it is the name of a way
      then: "happened",
      else: "timed",
    },
    happened: tag("happened"),
    timed: tag("timed"),
  });

  it("wakes nobody who comes to wait for it after it was done, and it does once somebody else does it", async () => {
    const on = { type: "tag_added", tag: "vip" };
    const { id } = await start(listening(on, { type: "tag", add: ["vip"], next: "listen" }));
    const person = await enter(id);
    await feed();
    assert.equal(await wokenBy(id), "time", "the run's own step");
    await act(app, person, "tags", { remove: ["vip"] });
    await act(app, person, "tags", { add: ["vip"] });
    await feed();
    assert.equal(await wokenBy(id), "event", "a program");
    assert.equal(await advance(app, systemClock, id), 1);
    assert.deepEqual((await tagsOf(person)).sort(), ["happened", "vip"]);
  });

  it("wakes nobody where it changes a field, whose wait is over in vain", async () => {
    const on = { type: "field_changed", field: "first_name" };
    const first = { type: "field", field: "first_name", value: "Known", next: "listen" };
    const { id } = await start(listening(on, first));
    const person = await enter(id);
    await feed();
    assert.equal(await wokenBy(id), "time");
    await pass(id, DAY_MS);
    assert.equal(await advance(app, systemClock, id), 1);
    assert.deepEqual(await tagsOf(person), ["timed"]);
  });
});

describe("a wait that was published with keep", () => {
  for (const [than, length] of [
    ["shorter", "PT30M"],
    ["longer", "P30D"],
  ] as const)
    it(`and is ${than} now is over when it was to be, and what follows is new`, async () => {
      const { id, path } = await start({
        wait: { type: "wait", for: "P1D", next: "tag" },
        tag: tag("former"),
      });
      const person = await enter(id);
      await pass(id, DAY_MS - 60 * MINUTE_MS);
      await publish(
        path,
        { wait: { type: "wait", for: length, next: "tag" }, tag: tag("newer") },
        { people: "follow", waits: "keep" },
      );
      await feed();
      const clock = createTestClock();
      clock.advance(55 * MINUTE_MS);
      assert.equal(await advance(app, clock, id, { readFollowing }), 0);
      clock.advance(10 * MINUTE_MS);
      assert.equal(await advance(app, clock, id, { readFollowing }), 1);
      assert.deepEqual(await tagsOf(person), ["newer"]);
      await assertBalanced(app, id);
    });
});

describe("steps that fell due in a pause and are skipped", () => {
  const pauseAndSkip = async (path: string, meanwhile: () => Promise<unknown>) => {
    assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    await meanwhile();
    const resumed = await app.api("POST", `${path}/resume`, { body: { overdue: "skip" } });
    assert.equal(resumed.status, 200, resumed.text);
  };

  it("ask a rule that holds by now before they call it a timeout", async () => {
    const { id, path } = await start({
      listen: {
        type: "wait_for",
        rule: { field: "first_name", op: "is", value: "Known" },
        timeout: "PT1H",
        // biome-ignore lint/suspicious/noThenProperty: it is the name of a way
        then: "happened",
        else: "mail",
      },
      happened: tag("happened"),
      mail,
    });
    const person = await enter(id);
    await pauseAndSkip(path, async () => {
      await pass(id, 2 * 60 * MINUTE_MS);
      const body = { first_name: "Known" };
      assert.equal((await app.api("PATCH", `/v1/subscribers/${person}`, { body })).status, 200);
    });
    assert.equal(await advance(app, createTestClock(new Date(Date.now() + 1_000)), id), 1);
    assert.deepEqual(await tagsOf(person), ["happened"]);
    await assertBalanced(app, id);
  });

  it("lead nobody past a wait that was made longer meanwhile", async () => {
    const nodes = (length: string) => ({ wait: { type: "wait", for: length, next: "mail" }, mail });
    const { id, path } = await start(nodes("PT1H"));
    await enter(id);
    await pauseAndSkip(path, async () => {
      await pass(id, 2 * 60 * MINUTE_MS);
      await publish(path, nodes("P30D"), {});
    });
    await advance(app, createTestClock(new Date(Date.now() + 1_000)), id, { readFollowing });
    const [run] = await runsOf(app, id);
    assert.deepEqual([run?.node, run?.state], ["wait", "active"]);
    assert.ok((run?.due_at.getTime() ?? 0) > Date.now() + 29 * DAY_MS);
    await assertBalanced(app, id);
  });
});

describe("an enrollment that is spread", () => {
  it("ends before their turn for who reaches a goal meanwhile", async () => {
    const { id, path } = await start(
      { wait: { type: "wait", for: "P1D", next: "end" } },
      { exit: [{ event: "order.placed", as: "goal" }] },
    );
    const people = [await add(), await add()] as const;
    const body = { subscriber_ids: people, spread_minutes: 60 };
    const asked = await app.api("POST", `${path}/enrollments`, { body });
    assert.equal(asked.status, 202, asked.text);
    const payload = { account_id: accountId, enrollment_id: uuidOf("enr", asked.body.id) };
    await enrollPiece({ db: app.db, clock: systemClock, log }, RUN_TOOLS, payload);
    const [, second] = await app.db.many<{ subscriber_id: string; entered_at: Date; due_at: Date }>(
      sql`select subscriber_id, entered_at, due_at from automation_runs where automation_id = ${id} order by due_at`,
    );
    assert.ok(second);
    assert.ok(second.due_at.getTime() > Date.now() + 20 * MINUTE_MS);
    assert.equal(second.entered_at.toISOString(), asked.body.created_at);
    const person = people.find((one) => uuidOf("sub", one) === second.subscriber_id) ?? "";
    await track(person, "order.placed");
    await feed();
    const ended = await app.db.many<{ subscriber_id: string; ended_as: string; ended_at: Date }>(
      sql`select subscriber_id, ended_as, ended_at from automation_runs where automation_id = ${id} and state = 'exited'`,
    );
    assert.deepEqual(
      ended.map((one) => [one.subscriber_id, one.ended_as]),
      [[second.subscriber_id, "goal"]],
    );
    assert.ok((ended[0]?.ended_at.getTime() ?? 0) <= Date.now() + 1_000);
    await assertBalanced(app, id);
  });
});

describe("an address that changes while somebody waits", () => {
  it("is where the mail of the run goes, once", async () => {
    const { id } = await start({ wait: { type: "wait", for: "PT1H", next: "mail" }, mail });
    const person = await enter(id);
    const body = { email: "moved@example.com" };
    const changed = await app.api("PATCH", `/v1/subscribers/${person}`, { body });
    assert.equal(changed.status, 200, changed.text);
    await feed();
    await pass(id, 60 * MINUTE_MS);
    assert.equal(await advance(app, systemClock, id), 1);
    assert.equal(await advance(app, systemClock, id), 0);
    const caught = async () => {
      const rows = await app.db.many<{ raw: Buffer }>(
        sql`select raw from sandbox_messages where owner_id = ${id}`,
      );
      return rows.map(({ raw }) => /^To: (.*)\r$/m.exec(raw.toString())?.[1]);
    };
    await until(async () => (await caught()).length > 0);
    const { ledger } = await app.db.one<{ ledger: number }>(sql`
      select count(*)::int as ledger from deliveries d join automation_waves w using (account_id, source_id) where w.automation_id = ${id}`);
    assert.equal(ledger, 1);
    assert.deepEqual(await caught(), ["moved@example.com"]);
    await assertBalanced(app, id);
  });
});

describe("a rule that comes true because time goes by", () => {
  const isOld = { field: "created_at", op: "not_in_last_days", value: 3 };
  const later = createTestClock(new Date(Date.now() + 4 * DAY_MS));
  const sweep = (id: string, clock: Clock) =>
    sweepRules({ db: app.db, clock, log, ...RUN_TOOLS }, accountId, id, { limit: 2 });

  it("wakes who waits for it, and nobody who waits for something else", async () => {
    const wait = (rule: object, then: string) => ({
      type: "wait_for",
      rule,
      timeout: "P30D",
      then,
      else: "end",
    });
    const { id } = await start({
      old: wait(isOld, "happened"),
      happened: { type: "tag", add: ["old"], next: "named" },
      named: wait({ field: "first_name", op: "is", value: "Known" }, "end"),
    });
    const people = [await enter(id), await enter(id), await enter(id)];
    // They wait until the same moment, as who came by one import does.
    await app.db.execute(
      sql`update automation_runs set due_at = date_trunc('minute', due_at) where automation_id = ${id}`,
    );
    const wokenBys = async () => (await runsOf(app, id)).map((run) => `${run.node} ${run.woken_by}`);
    await sweep(id, systemClock);
    assert.deepEqual(await wokenBys(), Array(3).fill("old time"));
    await sweep(id, later);
    assert.deepEqual(await wokenBys(), Array(3).fill("old event"));
    assert.equal(await advance(app, later, id, { readFollowing }), 3);
    for (const person of people) assert.deepEqual(await tagsOf(person), ["old"]);
    await sweep(id, later);
    assert.deepEqual(await wokenBys(), Array(3).fill("named time"));
    await assertBalanced(app, id);
  });

  it("ends runs by an exit, and by leaving a segment", async () => {
    const nodes = { wait: { type: "wait", for: "P30D", next: "end" } };
    const made = await app.api("POST", "/v1/segments", {
      body: { name: "New", list_id: listId, rules: { ...isOld, op: "in_last_days" } },
    });
    assert.equal(made.status, 201, made.text);
    const exits = [
      { rule: isOld, as: "goal" },
      { leaves_segment_id: made.body.id, as: "exit" },
    ];
    for (const { as, ...exit } of exits) {
      const { id } = await start(nodes, { exit: [{ ...exit, as }] });
      for (let n = 0; n < 3; n++) await enter(id);
      const ends = async () => (await runsOf(app, id)).map((run) => run.ended_as);
      await sweep(id, systemClock);
      assert.deepEqual(await ends(), [null, null, null]);
      await sweep(id, later);
      assert.deepEqual(await ends(), [as, as, as]);
      await assertBalanced(app, id);
    }
  });
});
