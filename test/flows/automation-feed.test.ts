/** What happens to people reaches automations: who enters by what, once each, whatever is cut off or commits late. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createCaughtUpTo, feedAccount } from "../../src/automations/feed/feed.ts";
import { recordSystemEvents } from "../../src/events/events.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  assertBalanced,
  type GraphInput,
  type Live,
  makeLive,
  RUN_TOOLS,
  runsOf,
  setState,
} from "../support/automations.ts";
import { cutOff } from "../support/cut-off.ts";
import { importFile } from "../support/imports.ts";
import {
  act,
  addSubscriber,
  confirmByMail,
  type Json,
  makeList,
  settled,
  uuidOf,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
let accountId: string;
let count = 0;
// No job runs, so the test alone feeds, and nobody is led on.
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  accountId = uuidOf("acc", app.accountId);
});
after(() => app.stop());

const toolsOn = (db: Db) => ({ db, clock: systemClock, log, ...RUN_TOOLS });

/** Feeds until there is nothing more, at least so often that a new feed has begun. */
async function feed(db = app.db, limit?: number): Promise<void> {
  await settled(app);
  await feedNow(db, limit);
}

async function feedNow(db = app.db, limit?: number): Promise<void> {
  await feedAccount(toolsOn(db), accountId, limit);
  while ((await feedAccount(toolsOn(db), accountId, limit)) === "again");
}

const STAY: GraphInput["nodes"] = { wait: { type: "wait", for: "P1D", next: "end" } };

/** Starts an automation and has its feed know it. */
async function start(
  listId: string,
  on: Json[],
  more: Partial<GraphInput> & { key?: string } = {},
): Promise<Live> {
  const { key, ...rest } = more;
  const entry = { on, reentry: { mode: "every_time" }, ...(key && { key }) };
  const live = await makeLive(app, listId, { nodes: STAY, entry, ...rest });
  await feed();
  return live;
}

const person = (listId: string, more: Json = {}) =>
  addSubscriber(app, listId, `person-${++count}@example.com`, more);
const inside = async ({ id }: Live): Promise<string[]> =>
  (await runsOf(app, id))
    .filter((run) => run.state === "active")
    .map((run) => toPublicId("sub", run.subscriber_id));
const track = async (subscriber: Json, name: string, properties: Json = {}) => {
  const told = await app.api("POST", "/v1/track", {
    body: { subscriber_id: subscriber["id"], name, properties },
  });
  assert.equal(told.status, 202, told.text);
};

describe("a trigger", () => {
  it("list_joined lets in who becomes active, and on a list with double opt-in not before", async () => {
    const [listId, careful] = [await makeList(app), await makeList(app, { double_opt_in: true })];
    const early = await person(listId);
    const live = await start(listId, [{ type: "list_joined" }]);
    const second = await start(careful, [{ type: "list_joined" }]);
    const ann = await person(listId);
    const bob = await person(careful);
    await feed();
    assert.deepEqual(await inside(live), [ann["id"]], "who was there before is left out");
    assert.ok(early["id"]);
    assert.deepEqual(await inside(second), []);
    await confirmByMail(app, bob["id"] as string);
    await feed();
    assert.deepEqual(await inside(second), [bob["id"]]);
    await assertBalanced(app, live.id);
  });

  it("tag_added and tag_removed let in who gets and loses a tag, also who comes with one", async () => {
    const listId = await makeList(app);
    const before = await person(listId, { tags: ["vip"] });
    const added = await start(listId, [{ type: "tag_added", tag: "VIP" }]);
    const removed = await start(listId, [{ type: "tag_removed", tag: "vip" }]);
    const [ann, bob] = [
      await person(listId, { tags: ["vip", "other"] }),
      await person(listId, { tags: ["other"] }),
    ];
    await act(app, bob["id"] as string, "tags", { add: ["vip"] });
    await act(app, before["id"] as string, "tags", { add: ["vip"], remove: ["other"] });
    await act(app, ann["id"] as string, "tags", { remove: ["vip"] });
    await feed();
    assert.deepEqual((await inside(added)).sort(), [ann["id"], bob["id"]].sort());
    assert.deepEqual(await inside(removed), [ann["id"]]);
  });

  it("field_changed lets in whose field changed, and by no other field", async () => {
    const listId = await makeList(app);
    for (const key of ["plan", "city"])
      await app.api("POST", "/v1/fields", { body: { key, name: key, type: "text" } });
    const ofPlan = await start(listId, [{ type: "field_changed", field: "fields.plan" }]);
    const ofName = await start(listId, [{ type: "field_changed", field: "first_name" }]);
    const [ann, bob, cy] = [await person(listId), await person(listId), await person(listId)];
    const patch = (one: Json, body: Json) => app.api("PATCH", `/v1/subscribers/${one["id"]}`, { body });
    await patch(ann, { fields: { plan: "pro" } });
    await patch(bob, { fields: { city: "Leeds" }, first_name: "Bob" });
    const merged = { email: cy["email"], list_id: listId, fields: { plan: "pro" } };
    const reply = await app.api("POST", "/v1/subscribers?on_conflict=update", { body: merged });
    assert.equal(reply.status, 200, reply.text);
    await feed();
    assert.deepEqual((await inside(ofPlan)).sort(), [ann["id"], cy["id"]].sort());
    assert.deepEqual(await inside(ofName), [bob["id"]]);
  });

  it("event lets in by its name and properties, by a key in several runs at once", async () => {
    const listId = await makeList(app);
    const on = [{ type: "event", name: "cart.left", where: { shop: "main" } }];
    const live = await start(listId, on, { key: "cart_id" });
    const ann = await person(listId);
    await track(ann, "cart.left", { shop: "main", cart_id: "a" });
    await track(ann, "cart.left", { shop: "main", cart_id: "a" });
    await track(ann, "cart.left", { shop: "main", cart_id: 7 });
    await track(ann, "cart.left", { shop: "other", cart_id: "b" });
    await track(ann, "cart.seen", { shop: "main", cart_id: "c" });
    await feed();
    const keys = await app.db.many<{ key: string }>(sql`
      select key from automation_runs where automation_id = ${live.id} order by key`);
    assert.deepEqual(keys, [{ key: "7" }, { key: "a" }]);
  });

  it("email_opened and email_clicked let in people, and no machines", async () => {
    const listId = await makeList(app);
    const campaign_id = toPublicId("cmp", newId(systemClock));
    const opened = await start(listId, [{ type: "email_opened" }]);
    const clicked = await start(listId, [{ type: "email_clicked" }]);
    const [ann, bob] = [await person(listId), await person(listId)];
    const common = { campaign_id, at: new Date().toISOString() };
    const events = [
      { type: "email.opened", data: { ...common, subscriber_id: ann["id"], human: true } },
      {
        type: "email.opened",
        data: { ...common, subscriber_id: bob["id"], human: false, reason: "prefetch" },
      },
      {
        type: "email.clicked",
        data: { ...common, subscriber_id: bob["id"], human: true, position: 1, url: null },
      },
    ] as const;
    await app.db.transaction((tx) =>
      recordSystemEvents(
        { sql: tx, clock: systemClock },
        events.map((one) => ({ ...one, accountId })),
      ),
    );
    await feed();
    assert.deepEqual([await inside(opened), await inside(clicked)], [[ann["id"]], [bob["id"]]]);
    const kept = await app.db.many<{ type: string }>(sql`
      select type from kept_events where owner = ${`automation ${opened.automationId}`}`);
    assert.deepEqual(kept, [{ type: "email.opened" }], "such events are written while it runs");
    await setState(app, opened.id, "archived");
    await feed();
    const left = await app.db.many(sql`
      select from kept_events where owner = ${`automation ${opened.automationId}`}`);
    assert.equal(left.length, 0);
  });
});

describe("an import", () => {
  it("lets nobody in unless it is asked to, and can be undone either way", async () => {
    const jobs = await createApp({
      databaseUrl: app.databaseUrl,
      settings: { ROLES: "jobs", DATA_DIR: app.dataDir },
    });
    try {
      const listId = await makeList(app);
      const joined = await start(listId, [{ type: "list_joined" }]);
      const tagged = await start(listId, [{ type: "tag_added", tag: "fair" }]);
      const file = (name: string) => `email\n${name}-1@example.com\n${name}-2@example.com\n`;
      const common = { list_id: listId, tags: ["fair"] };
      const silent = await importFile(app, common, file("silent"));
      assert.equal(silent.options.trigger_automations, false);
      await feed();
      assert.deepEqual([await inside(joined), await inside(tagged)], [[], []]);
      const asked = await importFile(app, { ...common, trigger_automations: true }, file("asked"));
      assert.equal(asked.options.trigger_automations, true);
      assert.equal(asked.counts.created, 2);
      await until(async () => {
        await feed();
        return (await inside(joined)).length === 2 && (await inside(tagged)).length === 2;
      });
      for (const { id } of [silent, asked])
        assert.equal((await app.api("POST", `/v1/imports/${id}/undo`)).status, 202);
      await until(async () => (await app.api("GET", `/v1/imports/${asked.id}`)).body.counts.removed === 2);
    } finally {
      await jobs.stop();
    }
  });
});

describe("whoever is inside", () => {
  it("is woken by what a step waits for, and led out by goals, rules and opt-outs", async () => {
    const listId = await makeList(app);
    const nodes = {
      listen: {
        type: "wait_for",
        on: [{ type: "event", name: "read" }],
        timeout: "P3D",
        // biome-ignore lint/suspicious/noThenProperty: it is the name of a way out
        then: "end",
        else: "end",
      },
    };
    const exit = [{ event: "bought", as: "goal" }, { rule: { field: "tag", op: "has", value: "done" } }];
    const live = await start(listId, [{ type: "list_joined" }], { nodes, exit });
    const people = [];
    for (let at = 0; at < 5; at++) people.push(await person(listId));
    const [ann, bob, cy, dee] = people as [Json, Json, Json, Json, Json];
    await feed();
    // The executor comes to the step and says until when it waits.
    await app.db.execute(sql`
      update automation_runs set due_at = now() + interval '3 days', woken_by = 'time' where automation_id = ${live.id}`);
    await track(ann, "read");
    await track(bob, "bought");
    await act(app, cy["id"] as string, "tags", { add: ["done"] });
    await act(app, dee["id"] as string, "unsubscribe");
    await feed();
    const runs = await runsOf(app, live.id);
    const of = (one: Json) => runs.find((run) => toPublicId("sub", run.subscriber_id) === one["id"]);
    assert.deepEqual([of(ann)?.state, of(ann)?.woken_by], ["active", "event"]);
    assert.deepEqual(
      [bob, cy, dee].map((one) => of(one)?.ended_as),
      ["goal", "exit", "unsubscribed"],
    );
    assert.deepEqual([of(people[4] as Json)?.state, of(people[4] as Json)?.woken_by], ["active", "time"]);
    await assertBalanced(app, live.id);
  });

  it("enters another automation one deeper than the step that brought it about, and no deeper than five", async () => {
    const listId = await makeList(app);
    const first = await start(listId, [{ type: "manual" }]);
    const second = await start(listId, [{ type: "tag_added", tag: "deep" }]);
    const [ann, bob] = [await person(listId), await person(listId)];
    const tag = await app.api("POST", `/v1/subscribers/${(await person(listId))["id"]}/tags`, {
      body: { add: ["deep"] },
    });
    assert.equal(tag.status, 200);
    const { id: tagId } = await app.db.one<{ id: string }>(sql`select id from tags where name_key = 'deep'`);
    await feed();
    await app.db.execute(sql`delete from automation_runs where automation_id = ${second.id}`);
    for (const [one, depth] of [
      [ann, 2],
      [bob, 5],
    ] as const) {
      await app.db.execute(sql`
        insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, cause_depth, entered_at, arrived_at, due_at)
        values (${accountId}, ${first.id}, ${newId(systemClock)}, ${uuidOf("sub", one["id"])}, 1, 'wait', ${depth}, now(), now(), now())`);
      await app.db.execute(sql`
        insert into events (account_id, id, xid, type, created_at, actor_kind, actor_id, data)
        values (${accountId}, ${newId(systemClock)}, pg_current_xact_id()::text::bigint, 'subscriber.tag_added', now(), 'system',
          ${first.automationId}, ${JSON.stringify({ subscriber_id: one["id"], contact_id: one["contact_id"], list_id: listId, tag_id: toPublicId("tag", tagId) })})`);
    }
    await feed();
    const rows = await app.db.many<{ subscriber_id: string; cause_depth: number }>(sql`
      select subscriber_id, cause_depth from automation_runs where automation_id = ${second.id}`);
    assert.deepEqual(rows, [{ subscriber_id: uuidOf("sub", ann["id"]), cause_depth: 3 }]);
  });
});

describe("a start", () => {
  it("is followed by whatever happens at once, and by nothing from before", async () => {
    const listId = await makeList(app);
    const [ann, bob] = [await person(listId), await person(listId)];
    const draft = {
      format: 1,
      start: "wait",
      entry: { on: [{ type: "event", name: "began" }] },
      nodes: { ...STAY, end: { type: "end" } },
    };
    const body = { name: "Began", list_id: listId, draft };
    const { body: made } = await app.api("POST", "/v1/automations", { body });
    await track(bob, "began");
    const started = await app.api("POST", `/v1/automations/${made.id}/start`);
    assert.equal(started.status, 200, started.text);
    // It is paused before the feed has looked at it even once.
    await track(ann, "began");
    assert.equal((await app.api("POST", `/v1/automations/${made.id}/pause`)).status, 200);
    await feed();
    const live = { id: uuidOf("aut", made.id), automationId: made.id, draft };
    assert.deepEqual(await inside(live), [ann["id"]]);
    assert.equal((await app.api("POST", `/v1/automations/${made.id}/cancel`)).status, 200);
    await feed();
    const kept = await app.db.many(sql`select from kept_events where owner = ${`automation ${made.id}`}`);
    assert.equal(kept.length, 0, "who is canceled wants nothing more");
  });
});

describe("the feed", () => {
  it("lets nobody in twice where two read at once", async () => {
    const listId = await makeList(app);
    const live = await start(listId, [{ type: "list_joined" }]);
    const people = [];
    for (let at = 0; at < 12; at++) people.push((await person(listId))["id"] as string);
    await Promise.all(Array.from({ length: 4 }, () => feed(app.db, 5)));
    await feed();
    assert.deepEqual(
      (await runsOf(app, live.id)).map((run) => toPublicId("sub", run.subscriber_id)).sort(),
      people.sort(),
    );
    await assertBalanced(app, live.id);
  });

  it("loses nobody and doubles nobody, after whichever statement it is cut off", async () => {
    const listId = await makeList(app);
    const exit = [{ rule: { field: "tag", op: "has", value: "done" } }];
    const live = await start(listId, [{ type: "list_joined" }], { exit });
    const people: string[] = [];
    let cuts = 0;
    for (let k = 0; ; k++) {
      people.push((await person(listId))["id"] as string);
      await settled(app);
      const faulty = cutOff(app.db, k);
      await feedAccount(toolsOn(faulty.db), accountId).catch(() => undefined);
      if (!faulty.wasCut()) break;
      cuts++;
      // What was cut off is told by the next, every second time at once and else together with more.
      if (k % 2 === 0) await feed();
    }
    await feed();
    assert.ok(cuts > 8, `${cuts} statements`);
    assert.deepEqual(
      (await runsOf(app, live.id)).map((run) => toPublicId("sub", run.subscriber_id)).sort(),
      people.sort(),
    );
    await assertBalanced(app, live.id);
  });

  it("passes over no event of a transaction that commits late, and says until when it has caught up", async () => {
    const listId = await makeList(app);
    const live = await start(listId, [{ type: "tag_added", tag: "late" }]);
    const [ann, bob] = [await person(listId), await person(listId, { tags: ["other"] })];
    await feed();
    const { id: tagId } = await app.db.one<{ id: string }>(sql`
      insert into tags (account_id, id, name, name_key, created_at)
      values (${accountId}, ${newId(systemClock)}, 'late', 'late', now()) returning id`);
    const data = {
      subscriber_id: ann["id"],
      contact_id: ann["contact_id"],
      list_id: listId,
      tag_id: toPublicId("tag", tagId),
    };
    const caughtUpTo = createCaughtUpTo(systemClock);
    const begun = Date.now();
    const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = app.db.transaction(async (tx) => {
      await recordSystemEvents({ sql: tx, clock: systemClock }, [
        { type: "subscriber.tag_added", accountId, data },
      ]);
      await tx.one(sql`select 1 as one`);
      written.resolve();
      await mayCommit.promise;
    });
    await written.promise;
    // Another one begins later and commits earlier.
    const reply = await app.api("POST", `/v1/subscribers/${bob["id"]}/tags`, { body: { add: ["late"] } });
    assert.equal(reply.status, 200, reply.text);
    await feedNow();
    assert.deepEqual(await inside(live), [], "nobody is let in ahead of the other");
    const stuck = await caughtUpTo(app.db, accountId);
    assert.ok(stuck && stuck.getTime() <= begun + 1_000, String(stuck));
    mayCommit.resolve();
    await late;
    await feed();
    assert.deepEqual((await inside(live)).sort(), [ann["id"], bob["id"]].sort());
    await until(async () => {
      const now = Date.now();
      return ((await caughtUpTo(app.db, accountId))?.getTime() ?? 0) >= now - 1_000;
    });
  });

  it("lets nobody in who was forgotten meanwhile", async () => {
    const listId = await makeList(app);
    const live = await start(listId, [{ type: "list_joined" }, { type: "event", name: "seen" }]);
    const ann = await person(listId);
    await track(ann, "seen", { secret: "words" });
    assert.equal((await act(app, ann["id"] as string, "forget")).status, 202);
    await feed();
    assert.deepEqual(await runsOf(app, live.id), []);
  });

  it("says so where it is further behind than the log goes back, and goes on", async () => {
    const listId = await makeList(app);
    const live = await start(listId, [{ type: "list_joined" }]);
    await app.db.execute(sql`
      update automation_feeds set read_at = now() - interval '31 days' where account_id = ${accountId}`);
    const ann = await person(listId);
    const lines: string[] = [];
    const loud = createLog({
      level: "error",
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    });
    await feedAccount({ ...toolsOn(app.db), log: loud }, accountId);
    assert.match(lines.join(), /so far behind/);
    await feed();
    assert.deepEqual(await inside(live), [ann["id"]]);
  });
});
