/** People enter automations by their dates: at their own hour, once each, whatever is cut off, changed or late. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type DateTools, lookForDates, startDates } from "../../src/automations/dates/dates.ts";
import { exitRuns } from "../../src/automations/runs/runs.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  advance,
  assertBalanced,
  inAccount,
  type Live,
  makeLive,
  RUN_TOOLS,
  runsOf,
  setState,
} from "../support/automations.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { cutOff } from "../support/cut-off.ts";
import { act, addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
const QUARTER_MS = 15 * 60_000;
let app: TestApp;
let accountId: string;
let listId: string;
let clock: TestClock;
let count = 0;
// No job runs, so the test alone looks, and nobody is led on. The time of the tests is after the people were added.
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  accountId = uuidOf("acc", app.accountId);
  for (const key of ["birthday", "renewal"]) {
    const made = await app.api("POST", "/v1/fields", { body: { key, name: key, type: "date" } });
    assert.equal(made.status, 201, made.text);
  }
});
after(() => app.stop());
beforeEach(async () => {
  listId = await makeList(app);
});

const BIRTHDAY = { type: "date", field: "fields.birthday", repeat: "yearly", at: "09:00" };

/** Starts an automation at a time, which the clock shows from then on. */
async function start(at: string, on: readonly object[] = [BIRTHDAY], entry: object = {}): Promise<Live> {
  clock = createTestClock(new Date(at));
  const live = await makeLive(app, listId, {
    nodes: { wait: { type: "wait", for: "P1D", next: "end" } },
    entry: { on, reentry: { mode: "every_time" }, ...entry },
  });
  await app.db.execute(sql`
    update automation_versions set published_at = ${clock.now()} where automation_id = ${live.id}`);
  await look(live);
  return live;
}

const toolsOn = (db: Db, more: Partial<DateTools> = {}): DateTools => ({
  db,
  clock,
  log,
  ...RUN_TOOLS,
  ...more,
});

/** Looks until there is nothing more. */
async function look({ id }: Live, more: Partial<DateTools> = {}, limit?: number): Promise<void> {
  while ((await lookForDates(toolsOn(app.db, more), accountId, id, limit)) === "again");
}

async function lookAt(live: Live, at: string): Promise<void> {
  clock.step(new Date(at).getTime() - clock.now().getTime());
  await look(live);
}

async function person(birthday: string | undefined, more: Json = {}): Promise<string> {
  const fields = birthday === undefined ? {} : { birthday };
  const made = await addSubscriber(app, listId, `dated-${++count}@example.com`, {
    time_zone: "UTC",
    fields,
    ...more,
  });
  return uuidOf("sub", made["id"] as string);
}

const toPublic = (id: string) => toPublicId("sub", id);

async function patch(id: string, fields: Json): Promise<void> {
  const reply = await app.api("PATCH", `/v1/subscribers/${toPublic(id)}`, { body: { fields } });
  assert.equal(reply.status, 200, reply.text);
}

/** Who entered, and when their run began. */
async function entered({ id }: Live): Promise<Record<string, string>> {
  const rows = await app.db.many<{ subscriber_id: string; entered_at: Date }>(sql`
    select subscriber_id, entered_at from automation_runs where automation_id = ${id}`);
  return Object.fromEntries(rows.map((row) => [row.subscriber_id, row.entered_at.toISOString()]));
}

describe("a date", () => {
  it("lets in at the hour of the person's own clock, at that moment and once", async () => {
    const [kiwi, brit, angeleno] = [
      await person("1990-06-15", { time_zone: "Pacific/Auckland" }),
      await person("2001-06-15"),
      await person("1955-06-15", { time_zone: "America/Los_Angeles" }),
    ];
    for (const day of ["1990-06-13", "1990-06-18", "1990-12-15", undefined]) await person(day);
    const live = await start("2041-06-14T12:00:00Z");
    const seen: Record<string, string> = {};
    for (let quarters = 0; quarters < 4 * 36; quarters++) {
      clock.advance(QUARTER_MS);
      await look(live);
      for (const id of Object.keys(await entered(live))) seen[id] ??= clock.now().toISOString();
    }
    const wanted = {
      [kiwi]: "2041-06-14T21:00:00.000Z",
      [brit]: "2041-06-15T09:00:00.000Z",
      [angeleno]: "2041-06-15T16:00:00.000Z",
    };
    assert.deepEqual(await entered(live), wanted);
    assert.deepEqual(seen, wanted, "nobody is let in ahead or late");
    await assertBalanced(app, live.id);
  });

  it("of 29 February returns on the 28th of other years", async () => {
    const ann = await person("2000-02-29");
    const live = await start("2041-02-20T00:00:00Z");
    await lookAt(live, "2041-03-05T00:00:00Z");
    assert.deepEqual(await entered(live), { [ann]: "2041-02-28T09:00:00.000Z" });
    const leap = await start("2044-02-20T00:00:00Z");
    await lookAt(leap, "2044-03-05T00:00:00Z");
    assert.deepEqual(await entered(leap), { [ann]: "2044-02-29T09:00:00.000Z" });
  });

  it("lets in once, some days before, and no other year", async () => {
    const renews = (renewal: string) => person(undefined, { fields: { renewal } });
    const [ann] = [await renews("2041-05-10"), await renews("2040-05-10"), await renews("2042-05-10")];
    const on = { type: "date", field: "fields.renewal", offset_days: -3, repeat: "once", at: "17:30" };
    const live = await start("2041-05-01T00:00:00Z", [on]);
    await lookAt(live, "2041-05-07T17:29:59.999Z");
    assert.deepEqual(await entered(live), {});
    await lookAt(live, "2041-05-07T17:30:00Z");
    assert.deepEqual(await entered(live), { [ann]: "2041-05-07T17:30:00.000Z" });
    await lookAt(live, "2041-05-31T00:00:00Z");
    assert.equal((await runsOf(app, live.id)).length, 1);
  });

  it("doesn't count where it came before the start, or before the person", async () => {
    const [ann, late] = [await person("1990-06-15"), await person("1991-06-15")];
    const live = await start("2041-06-15T12:00:00Z");
    await lookAt(live, "2041-06-20T00:00:00Z");
    assert.deepEqual(await entered(live), {});
    await app.db.execute(
      sql`update subscribers set created_at = '2042-06-15T11:00:00Z' where account_id = ${accountId} and id = ${late}`,
    );
    await lookAt(live, "2042-06-16T00:00:00Z");
    assert.deepEqual(await entered(live), { [ann]: "2042-06-15T09:00:00.000Z" });
  });

  it("set today for later today counts, and one that is changed in time counts as it is now", async () => {
    const [ann, bob, cy] = [await person(undefined), await person("1990-06-15"), await person(undefined)];
    const live = await start("2041-06-15T08:00:00Z");
    await lookAt(live, "2041-06-15T08:59:59Z");
    await patch(ann, { birthday: "1980-06-15" });
    await patch(bob, { birthday: "1990-06-16" });
    await lookAt(live, "2041-06-15T09:00:00Z");
    await patch(cy, { birthday: "1980-06-15" });
    await lookAt(live, "2041-06-15T23:00:00Z");
    assert.deepEqual(await entered(live), { [ann]: "2041-06-15T09:00:00.000Z" });
    await lookAt(live, "2041-06-16T09:00:00Z");
    assert.equal((await entered(live))[bob], "2041-06-16T09:00:00.000Z");
    assert.equal((await runsOf(app, live.id)).length, 2);
  });

  it("lets in nobody who may not be mailed, or whom the filter leaves out", async () => {
    const filter = { field: "first_name", op: "is", value: "Ann" };
    const ann = await person("1990-06-15", { first_name: "Ann" });
    const gone = await person("1990-06-15", { first_name: "Ann" });
    await person("1990-06-15", { first_name: "Bob" });
    assert.equal((await act(app, toPublic(gone), "unsubscribe")).status, 200);
    const live = await start("2041-06-15T08:00:00Z", [BIRTHDAY], { filter });
    await lookAt(live, "2041-06-15T10:00:00Z");
    assert.deepEqual(Object.keys(await entered(live)), [ann]);
  });

  it("lets in again next year, by the rule of re-entry", async () => {
    const ann = await person("1990-06-15");
    const again = await start("2041-06-15T08:00:00Z", [BIRTHDAY], { reentry: { mode: "after", days: 300 } });
    const once = await start("2041-06-15T08:00:00Z", [BIRTHDAY], { reentry: { mode: "once" } });
    for (const year of [2041, 2042])
      for (const live of [again, once]) {
        clock = createTestClock(new Date(`${year}-06-15T09:00:00Z`));
        await look(live);
        const at = clock.now();
        await inAccount(app, clock, (ctx) => exitRuns(ctx, live, { subscriberIds: [ann], as: "exit", at }));
      }
    assert.equal((await runsOf(app, again.id)).length, 2);
    assert.equal((await runsOf(app, once.id)).length, 1);
    await assertBalanced(app, again.id);
  });

  it("begins a run that goes on from its moment", async () => {
    await person("1990-06-15");
    const live = await start("2041-06-15T08:00:00Z");
    await lookAt(live, "2041-06-15T09:00:00Z");
    await advance(app, clock, live.id);
    const [run] = await runsOf(app, live.id);
    assert.deepEqual([run?.node, run?.due_at], ["wait", new Date("2041-06-16T09:00:00Z")]);
  });
});

describe("an automation with a date", () => {
  it("takes people while it is paused, and nobody while it drains", async () => {
    const ann = await person("1990-06-15");
    const live = await start("2041-06-15T08:00:00Z");
    await setState(app, live.id, "paused");
    await lookAt(live, "2041-06-15T09:00:00Z");
    assert.deepEqual(Object.keys(await entered(live)), [ann]);
    await person("1990-06-16");
    await setState(app, live.id, "draining");
    await lookAt(live, "2041-06-16T09:00:00Z");
    assert.deepEqual(Object.keys(await entered(live)), [ann]);
  });

  it("counts the dates of a version from when it was published until the next one was", async () => {
    const [ann, verdean] = [
      await person("1990-06-15"),
      await person("1990-06-15", { time_zone: "Atlantic/Cape_Verde" }),
    ];
    const live = await start("2041-06-15T08:00:00Z");
    const draft = JSON.stringify(live.draft).replace("09:00", "10:00");
    await app.db.execute(sql`
      insert into automation_versions (account_id, automation_id, number, graph, published_at)
      values (${accountId}, ${live.id}, 2, ${draft}::json, '2041-06-15T09:30:00Z')`);
    await app.db.execute(sql`update automations set version = 2 where id = ${live.id}`);
    await lookAt(live, "2041-06-15T12:00:00Z");
    assert.deepEqual(await entered(live), {
      [ann]: "2041-06-15T09:00:00.000Z",
      [verdean]: "2041-06-15T11:00:00.000Z",
    });
  });

  it("waits for transactions that may have written a date before its moment", async () => {
    const ann = await person("1990-06-15");
    const live = await start("2041-06-15T08:00:00Z");
    clock.step(3_600_000 + 1_000);
    await look(live, { caughtUpTo: async () => new Date("2041-06-15T08:59:59Z") });
    assert.deepEqual(await entered(live), {});
    await look(live, { caughtUpTo: async () => new Date("2041-06-15T09:00:00Z") });
    assert.deepEqual(Object.keys(await entered(live)), [ann]);
  });

  it("is looked through by the timer, and forgotten with the automation", async () => {
    const ann = await person("1990-06-15");
    const live = await start("2041-06-15T08:00:00Z");
    await app.db.execute(sql`
      update automations set state = 'archived' where account_id = ${accountId} and id <> ${live.id}`);
    const dates = startDates(toolsOn(app.db));
    clock.step(3_600_000);
    await until(async () => (await runsOf(app, live.id)).length > 0);
    await dates.stop();
    assert.deepEqual(Object.keys(await entered(live)), [ann]);
    await setState(app, live.id, "archived");
    assert.equal((await app.api("DELETE", `/v1/automations/${live.automationId}`)).status, 204);
    const left = await app.db.many(
      sql`select from automation_date_looks where account_id = ${accountId} and automation_id = ${live.id}`,
    );
    assert.equal(left.length, 0);
  });
});

describe("a look", () => {
  const addTwelve = () => Promise.all(Array.from({ length: 12 }, () => person("1990-06-15")));

  it("lets nobody in twice where several look at once, page by page", async () => {
    const people = await addTwelve();
    const live = await start("2041-06-15T08:00:00Z");
    clock.step(3_600_000);
    await Promise.all(Array.from({ length: 4 }, () => look(live, {}, 5)));
    await look(live, {}, 5);
    assert.deepEqual(Object.keys(await entered(live)).sort(), people.sort());
    assert.equal((await runsOf(app, live.id)).length, 12);
    await assertBalanced(app, live.id);
  });

  it("loses nobody and doubles nobody, after whichever statement it is cut off", async () => {
    const people = await addTwelve();
    const live = await start("2041-06-15T08:00:00Z");
    clock.step(3_600_000);
    let cuts = 0;
    for (let k = 0; ; k++) {
      const faulty = cutOff(app.db, k);
      await lookForDates(toolsOn(faulty.db), accountId, live.id, 5).catch(() => undefined);
      if (!faulty.wasCut()) break;
      cuts++;
      const inside = await runsOf(app, live.id);
      assert.equal(inside.length % 5, 0, "a page is whole or was never there");
    }
    await look(live, {}, 5);
    assert.ok(cuts > 8, `${cuts} statements`);
    assert.deepEqual(Object.keys(await entered(live)).sort(), people.sort());
    assert.equal((await runsOf(app, live.id)).length, 12);
    await assertBalanced(app, live.id);
  });

  it("does nothing more where the clock goes back, and catches up where it was away for weeks", async () => {
    const [ann, bob] = [await person("1990-06-15"), await person("1990-07-20")];
    const live = await start("2041-06-15T08:00:00Z");
    await lookAt(live, "2041-06-18T09:00:00Z");
    await lookAt(live, "2041-06-15T08:59:00Z");
    await lookAt(live, "2041-06-15T09:30:00Z");
    await lookAt(live, "2041-07-31T09:30:00Z");
    assert.deepEqual(await entered(live), {
      [ann]: "2041-06-15T09:00:00.000Z",
      [bob]: "2041-07-20T09:00:00.000Z",
    });
    assert.equal((await runsOf(app, live.id)).length, 2);
  });
});
