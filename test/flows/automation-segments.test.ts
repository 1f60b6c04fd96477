/** People enter automations by coming into a segment or leaving it: once each, by events and by time, whatever is cut off, imported or edited. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { feedAccount } from "../../src/automations/feed/feed.ts";
import { lookAtSegment } from "../../src/automations/segments/segments.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { readListPage } from "../../src/subscribers/subscribers.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  assertBalanced,
  type GraphInput,
  type Live,
  makeLive,
  RUN_TOOLS,
  runsOf,
} from "../support/automations.ts";
import { cutOff } from "../support/cut-off.ts";
import { importFile } from "../support/imports.ts";
import { explainAll } from "../support/query-plans.ts";
import { act, addSubscriber, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";

const log = createLog({ level: "silent", pretty: false });
const DAY_MS = 24 * 3_600_000;
let app: TestApp;
let accountId: string;
let listId: string;
let count = 0;
/** How far the clock of the feed and of the looks is ahead. */
let aheadMs = 0;
// Only imports are done by jobs, so the test alone feeds and looks, and nobody is led on.
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  accountId = uuidOf("acc", app.accountId);
});
after(() => app.stop());
beforeEach(async () => {
  listId = await makeList(app);
  aheadMs = 0;
});

const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + aheadMs) };
const toolsOn = (db: Db) => ({ db, clock, log, ...RUN_TOOLS });

async function feed(db = app.db): Promise<void> {
  await settled(app);
  await feedAccount(toolsOn(db), accountId);
  while ((await feedAccount(toolsOn(db), accountId)) === "again");
}

async function watchesOf({ id }: Live): Promise<string[]> {
  const rows = await app.db.many<{ id: string }>(sql`
    select id from automation_segments where automation_id = ${id} order by is_ended, id`);
  return rows.map((row) => row.id);
}

async function look(live: Live, limit?: number): Promise<void> {
  for (const id of await watchesOf(live))
    while ((await lookAtSegment(toolsOn(app.db), accountId, id, limit)) === "again");
}

const VIP = { field: "tag", op: "has", value: "vip" };
const STAY: GraphInput["nodes"] = { wait: { type: "wait", for: "P1D", next: "end" } };

async function makeSegment(rules: object): Promise<string> {
  const made = await app.api("POST", "/v1/segments", { body: { name: `Segment ${++count}`, rules } });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function start(
  segment: string,
  type = "segment_entered",
  more: Partial<GraphInput> = {},
): Promise<Live> {
  const entry = { on: [{ type, segment_id: segment }], reentry: { mode: "every_time" } };
  const live = await makeLive(app, listId, { nodes: STAY, entry, ...more });
  await feed();
  return live;
}

const person = (more: Json = {}) => addSubscriber(app, listId, `member-${++count}@example.com`, more);
const tag = (one: Json, change: Json) => act(app, one["id"] as string, "tags", change);
const inside = async ({ id }: Live): Promise<unknown[]> =>
  (await runsOf(app, id)).map((run) => toPublicId("sub", run.subscriber_id)).sort();
const endAll = ({ id }: Live) =>
  app.db.execute(
    sql`update automation_runs set state = 'completed', ended_at = now() where automation_id = ${id}`,
  );
const membersOf = async (live: Live): Promise<number> => {
  const { count } = await app.db.one<{ count: number }>(sql`
    select count(*)::int as count from automation_segment_members m join automation_segments w on w.id = m.watch_id
    where w.automation_id = ${live.id} and not w.is_ended`);
  return count;
};

describe("coming into a segment", () => {
  it("lets in once, and again after leaving; who was in it before isn't let in", async () => {
    const early = await person({ tags: ["vip"] });
    const segment = await makeSegment(VIP);
    const live = await start(segment);
    const [ann, bob] = [await person(), await person({ tags: ["vip"] })];
    await feed();
    assert.deepEqual(await inside(live), [bob["id"]]);
    await tag(ann, { add: ["vip"] });
    await tag(early, { add: ["other"] });
    await feed();
    const both = [ann["id"], bob["id"]].sort();
    assert.deepEqual(await inside(live), both);
    await assertBalanced(app, live.id);
    await endAll(live);
    await tag(ann, { add: ["more"] });
    await feed();
    assert.deepEqual(await inside(live), both, "who stays in the segment doesn't come into it");
    await tag(ann, { remove: ["vip"] });
    await feed();
    await tag(ann, { add: ["vip"] });
    await feed();
    assert.equal((await runsOf(app, live.id)).length, 3);
  });

  it("is kept by the rule of re-entry", async () => {
    const segment = await makeSegment(VIP);
    const entry = { on: [{ type: "segment_entered", segment_id: segment }], reentry: { mode: "once" } };
    const live = await start(segment, "segment_entered", { entry });
    const ann = await person({ tags: ["vip"] });
    await feed();
    await endAll(live);
    for (const change of [{ remove: ["vip"] }, { add: ["vip"] }]) {
      await tag(ann, change);
      await feed();
    }
    assert.equal((await runsOf(app, live.id)).length, 1);
  });

  it("counts once where two processes feed at once, and wherever one is cut", async () => {
    const live = await start(await makeSegment(VIP));
    const people: Json[] = [];
    for (let nth = 0; nth < 5; nth++) people.push(await person({ tags: ["vip"] }));
    await settled(app);
    let cuts = 0;
    for (let k = 0; ; k++) {
      const { db, wasCut } = cutOff(app.db, k);
      await feedAccount(toolsOn(db), accountId).catch((error) => assert.match(error.message, /cut/));
      if (!wasCut()) break;
      cuts++;
      assert.deepEqual(await inside(live), []);
      assert.equal(await membersOf(live), 0);
    }
    assert.ok(cuts > 10, `${cuts} places were cut`);
    for (let nth = 0; nth < 5; nth++) people.push(await person({ tags: ["vip"] }));
    await settled(app);
    await Promise.all([feed(), feed(), feed()]);
    assert.deepEqual(await inside(live), people.map((one) => one["id"]).sort());
    assert.equal(await membersOf(live), 10);
    await assertBalanced(app, live.id);
  });

  it("knows everybody on a large list from the start, so that nobody who changes then is lost", async () => {
    for (let nth = 0; nth < 6; nth++) {
      const subscribers = Array.from({ length: 1_000 }, (_, at) => ({
        email: `large-${nth}-${at}@example.com`,
        list_id: listId,
        ...(at === 7 && { tags: ["vip"] }),
      }));
      const added = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
      assert.equal(added.status, 200, added.text);
    }
    const found = async (name: string): Promise<Json> => {
      const { id } = await app.db.one<{ id: string }>(
        sql`select id from subscribers where account_id = ${accountId} and email = ${`${name}@example.com`}`,
      );
      return { id: toPublicId("sub", id) };
    };
    const [early, late] = [await found("large-5-7"), await found("large-5-900")];
    const live = await start(await makeSegment(VIP));
    assert.equal(await membersOf(live), 6);
    await tag(early, { add: ["other"] });
    await tag(late, { add: ["vip"] });
    await feed();
    assert.deepEqual(await inside(live), [late["id"]]);
  });

  it("goes on with a first look that another release began page by page", async () => {
    const [ann, bob, cy] = [await person(), await person({ tags: ["vip"] }), await person()];
    const live = await start(await makeSegment(VIP));
    // As if the list were larger than what is noted at the start.
    await app.db.execute(sql`
      delete from automation_segment_members m using automation_segments w
      where w.id = m.watch_id and w.automation_id = ${live.id}`);
    const [firstLook] = await app.db.many<{ created_at: Date }>(sql`
      update automation_segments set looks_until = now(), looked_at = null, after_created_at = null where automation_id = ${live.id}
      returning looks_until as created_at`);
    assert.ok(firstLook);
    await tag(cy, { add: ["vip"] });
    const dan = await person({ tags: ["vip"] });
    await feed();
    assert.deepEqual(await inside(live), [dan["id"]]);
    await look(live, 2);
    assert.equal(await membersOf(live), 3);
    await tag(bob, { add: ["other"] });
    await tag(ann, { add: ["vip"] });
    await feed();
    assert.deepEqual(await inside(live), [ann["id"], dan["id"]].sort());
  });
});

describe("leaving a segment", () => {
  it("lets in, and wakes who waits for it", async () => {
    const segment = await makeSegment(VIP);
    const live = await start(segment, "segment_left");
    const waiting = await start(segment, "segment_entered", {
      nodes: {
        listen: {
          type: "wait_for",
          on: [{ type: "segment_left", segment_id: segment }],
          timeout: "P9D",
          // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
          then: "end",
          else: "end",
        },
      },
    });
    const ann = await person({ tags: ["vip"] });
    await feed();
    assert.deepEqual(await inside(live), []);
    await tag(ann, { remove: ["vip"] });
    await feed();
    assert.deepEqual(await inside(live), [ann["id"]]);
    assert.deepEqual(
      (await runsOf(app, waiting.id)).map((run) => run.woken_by),
      ["event"],
    );
  });
});

describe("time", () => {
  it("brings people into a segment and out of it, page by page and once", async () => {
    const segment = await makeSegment({ field: "created_at", op: "not_in_last_days", value: 3 });
    const live = await start(segment);
    const left = await start(
      await makeSegment({ field: "created_at", op: "in_last_days", value: 3 }),
      "segment_left",
    );
    const people = [await person(), await person(), await person()];
    const all = people.map((one) => one["id"]).sort();
    await feed();
    await look(live);
    aheadMs = 2 * DAY_MS;
    await look(live);
    assert.deepEqual(await inside(live), []);
    aheadMs = 3 * DAY_MS + 60_000;
    const [watch] = await watchesOf(live);
    assert.equal(
      await lookAtSegment(toolsOn(cutOff(app.db, 8).db), accountId, watch as string, 2).catch(() => "cut"),
      "cut",
    );
    assert.deepEqual(await inside(live), [], "a page that is cut lets nobody in");
    await Promise.all([look(live, 2), look(live, 2)]);
    await look(live, 2);
    await look(left, 2);
    assert.deepEqual(await inside(live), all);
    assert.deepEqual(await inside(left), all);
    const [run] = await runsOf(app, live.id);
    assert.ok(
      Math.abs((run?.due_at.getTime() ?? 0) - clock.now().getTime()) < 60_000,
      "it begins when it was judged",
    );
    aheadMs += DAY_MS;
    await look(live);
    assert.equal((await runsOf(app, live.id)).length, 3);
    await assertBalanced(app, live.id);
  });

  it("costs no look where every change is told by an event", async () => {
    await person({ tags: ["vip"] });
    const live = await start(await makeSegment(VIP));
    await app.db.execute(sql`delete from automation_segment_members`);
    aheadMs = DAY_MS;
    await look(live);
    assert.equal(await membersOf(live), 0);
  });

  it("goes through a list by its index", async () => {
    const page = { after: undefined, until: new Date(), limit: 10 };
    const steps = await app.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      return explainAll(tx, (db) =>
        readListPage(db, accountId, uuidOf("lst", listId), sql`true`, page).catch(() => undefined),
      );
    });
    const scans = steps.filter((step) => step["Relation Name"] === "subscribers");
    assert.ok(scans.length > 0);
    for (const scan of scans) assert.match(scan["Node Type"], /Index/);
  });
});

describe("a segment that is watched", () => {
  it("lets nobody in by an edit, and goes on by the new rules", async () => {
    const ann = await person({ tags: ["gold"] });
    const segment = await makeSegment(VIP);
    const live = await start(segment);
    const rules = { field: "tag", op: "has", value: "gold" };
    const edited = await app.api("PATCH", `/v1/segments/${segment}`, { body: { rules } });
    assert.equal(edited.status, 200, edited.text);
    aheadMs = 120_000;
    await look(live);
    assert.equal(await membersOf(live), 1);
    await tag(ann, { add: ["other"] });
    const bob = await person({ tags: ["gold"] });
    await feed();
    assert.deepEqual(await inside(live), [bob["id"]]);
    await look(live);
    assert.equal((await watchesOf(live)).length, 1, "what the old rules said is gone");
  });

  it("forgets whom the account forgets, and everybody once the automation has ended", async () => {
    const live = await start(await makeSegment(VIP));
    const [ann] = [await person({ tags: ["vip"] }), await person({ tags: ["vip"] })];
    await feed();
    assert.equal(await membersOf(live), 2);
    const gone = await app.api("DELETE", `/v1/subscribers/${ann["id"]}`);
    assert.equal(gone.status, 204, gone.text);
    assert.equal(await membersOf(live), 1);
    await app.db.execute(sql`update automations set state = 'archived' where id = ${live.id}`);
    await feed();
    await look(live, 1);
    assert.deepEqual(await watchesOf(live), []);
    const left = sql`select from automation_segment_members where subscriber_id = ${uuidOf("sub", ann["id"] as string)}`;
    assert.equal((await app.db.many(left)).length, 0);
  });
});

describe("an import", () => {
  it("lets nobody into a segment's automation, then or later, unless it says so", async () => {
    const [known, asked] = [await person(), await person()];
    const live = await start(await makeSegment(VIP));
    const timed = await start(
      await makeSegment({ any: [VIP, { field: "created_at", op: "not_in_last_days", value: 90 }] }),
    );
    const common = { list_id: listId, tags: ["vip"], on_conflict: "update" };
    const fresh = `imported-${++count}@example.com`;
    const jobs = await createApp({
      databaseUrl: app.databaseUrl,
      settings: { ROLES: "jobs", DATA_DIR: app.dataDir },
    });
    try {
      await importFile(app, common, `email\n${fresh}\n${known["email"]}\n`);
      for (const one of [live, timed]) await look(one);
      await importFile(app, { ...common, trigger_automations: true }, `email\n${asked["email"]}\n`);
    } finally {
      await jobs.stop();
    }
    for (const one of [live, timed]) await look(one);
    await feed();
    aheadMs = 3_600_000;
    for (const one of [live, timed]) await look(one);
    await tag(known, { add: ["other"] });
    await feed();
    for (const one of [live, timed]) {
      assert.deepEqual(await inside(one), [asked["id"]]);
      assert.equal(await membersOf(one), 3);
    }
  });
});
