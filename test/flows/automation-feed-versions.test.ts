/** Whoever is inside an automation is told what happens by the version that they follow, and in the order in which it happened. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { feedAccount } from "../../src/automations/feed/feed.ts";
import { createFeedPiece } from "../../src/automations/feed/feed-piece.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { raw, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertBalanced, RUN_TOOLS, type RunRow, runsOf } from "../support/automations.ts";
import { cutOff } from "../support/cut-off.ts";
import { addSubscriber, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";

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

async function feed(): Promise<void> {
  await settled(app);
  await feedNow();
}

async function feedNow(): Promise<void> {
  const tools = { db: app.db, clock: systemClock, log, ...RUN_TOOLS };
  await feedAccount(tools, accountId);
  while ((await feedAccount(tools, accountId)) === "again");
}

const track = async (subscriber: Json, name: string) => {
  const told = await app.api("POST", "/v1/track", { body: { subscriber_id: subscriber["id"], name } });
  assert.equal(told.status, 202, told.text);
};

type Draft = { readonly step: string; readonly waitsFor: string; readonly goal: string };

/** Whoever joins stands at one step, and waits there for an event. */
function draftOf({ step, waitsFor, goal }: Draft): Json {
  const on = [waitsFor === "" ? { type: "tag_added", tag: "late" } : { type: "event", name: waitsFor }];
  return {
    format: 1,
    start: step,
    entry: {
      on: [{ type: "list_joined" }, { type: "tag_added", tag: "again" }],
      reentry: { mode: "every_time" },
    },
    exit: goal === "" ? [] : [{ event: goal, as: "goal" }],
    nodes: {
      // biome-ignore lint/suspicious/noThenProperty: it is the name of a way out
      [step]: { type: "wait_for", on, timeout: "P3D", then: "end", else: "end" },
      end: { type: "end" },
    },
  };
}

async function start(listId: string, draft: Draft): Promise<{ id: string; path: string }> {
  const body = { name: "Listens", list_id: listId, draft: draftOf(draft) };
  const made = await app.api("POST", "/v1/automations", { body });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/automations/${made.body.id}`;
  const started = await app.api("POST", `${path}/start`);
  assert.equal(started.status, 200, started.text);
  return { id: uuidOf("aut", made.body.id), path };
}

async function publish(path: string, draft: Draft, how: Json): Promise<void> {
  const patched = await app.api("PATCH", path, { body: { draft: draftOf(draft) } });
  assert.equal(patched.status, 200, patched.text);
  const published = await app.api("POST", `${path}/publish`, { body: how });
  assert.equal(published.status, 200, published.text);
}

/** People who have come to the step, where the executor has said until when they wait. */
async function inside(listId: string, id: string, many: number): Promise<Json[]> {
  const people: Json[] = [];
  for (let at = 0; at < many; at++)
    people.push(await addSubscriber(app, listId, `one-${++count}@example.com`));
  await feed();
  await app.db.execute(sql`
    update automation_runs set due_at = now() + interval '3 days', woken_by = 'time'
    where automation_id = ${id} and state = 'active'`);
  return people;
}

async function standings(id: string, people: readonly Json[]): Promise<string[]> {
  const runs = await runsOf(app, id);
  const of = (one: Json) => runs.filter((run) => run.subscriber_id === uuidOf("sub", one["id"] as string));
  const say = (run: RunRow) => (run.state === "active" ? run.woken_by : String(run.ended_as));
  return people.map((one) => of(one).map(say).join(" "));
}

describe("who stays in an earlier version", () => {
  it("is woken and led out by what that version names, and by nothing of the newer one", async () => {
    const listId = await makeList(app);
    const { id, path } = await start(listId, { step: "listen", waitsFor: "read", goal: "bought" });
    const old = await inside(listId, id, 4);
    await publish(path, { step: "listen", waitsFor: "", goal: "" }, { people: "stay" });
    const [ann, bob, cy, dee] = old as [Json, Json, Json, Json];
    const kept = await app.db.many<{ type: string }>(sql`
      select type from kept_events where owner = ${`automation ${path.split("/")[3]}`}`);
    assert.deepEqual(kept, [{ type: "subscriber.event_tracked" }], "which the newer version doesn't want");
    const [eve, fay] = (await inside(listId, id, 2)) as [Json, Json];
    await track(ann, "read");
    for (const one of [bob, eve]) await track(one, "bought");
    for (const one of [cy, fay])
      await app.api("POST", `/v1/subscribers/${one["id"]}/tags`, { body: { add: ["late"] } });
    await feed();
    const woken = await standings(id, [ann, bob, cy, dee, eve, fay]);
    assert.deepEqual(woken, ["event", "goal", "time", "time", "time", "event"]);
    await assertBalanced(app, id);
  });
});

describe("who stands on a step that became another", () => {
  it("is woken by what that one waits for, and led out by the goals of its version", async () => {
    const listId = await makeList(app);
    const { id, path } = await start(listId, { step: "listen", waitsFor: "read", goal: "bought" });
    const [ann, bob, cy, dee] = (await inside(listId, id, 4)) as [Json, Json, Json, Json];
    const how = { people: "follow", waits: "keep", mapping: { listen: "hear" } };
    await publish(path, { step: "hear", waitsFor: "heard", goal: "paid" }, how);
    await track(ann, "heard");
    await track(bob, "read");
    await track(cy, "paid");
    await track(dee, "bought");
    await feed();
    assert.deepEqual(await standings(id, [ann, bob, cy, dee]), ["event", "time", "goal", "time"]);
    await assertBalanced(app, id);
  });
});

describe("an event that can't be told", () => {
  it("is found among others and passed over, and those are told", async () => {
    const listId = await makeList(app);
    const { id } = await start(listId, { step: "listen", waitsFor: "read", goal: "" });
    await feed();
    const people: Json[] = [];
    for (let at = 0; at < 7; at++)
      people.push(await addSubscriber(app, listId, `one-${++count}@example.com`));
    const bad = uuidOf("sub", people[3]?.["id"] as string);
    await app.db.execute(
      raw(`create function refuse_one() returns trigger language plpgsql as $$ begin
        if new.subscriber_id = '${bad}' then raise 'it can''t be told'; end if; return new; end $$`),
    );
    await app.db.execute(
      raw(
        `create trigger refused before insert on automation_runs for each row execute function refuse_one()`,
      ),
    );
    await settled(app);
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const loud = createLog({ level: "error", pretty: false, destination });
    const tools = { db: app.db, clock: systemClock, log: loud, ...RUN_TOOLS };
    const feedPiece = createFeedPiece(tools, 0);
    for (let at = 0; at < 30; at++) await feedPiece(accountId);
    const expected = people.map((_, at) => (at === 3 ? "" : "arrival"));
    assert.deepEqual(await standings(id, people), expected);
    assert.equal(lines.filter((line) => line.includes("passed over")).length, 1, lines.join());
    await app.db.execute(raw("drop trigger refused on automation_runs"));
  });
});

describe("what happens", () => {
  it("waits for a worker that is leading the person on, and wakes them where they are then", async () => {
    const listId = await makeList(app);
    const { id } = await start(listId, { step: "listen", waitsFor: "read", goal: "" });
    const [ann] = (await inside(listId, id, 1)) as [Json];
    await app.db.execute(sql`update automation_runs set node = 'before' where automation_id = ${id}`);
    const [moved, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const worker = app.db.transaction(async (tx) => {
      await tx.execute(sql`
        update automation_runs set node = 'listen', visit = 2, arrived_at = now(), due_at = now() + interval '3 days'
        where automation_id = ${id}`);
      moved.resolve();
      await mayCommit.promise;
    });
    await moved.promise;
    await track(ann, "read");
    // The worker's transaction writes no events, so what happened can be read before it ends.
    let isTold = false;
    const told = (async () => {
      while ((await standings(id, [ann]))[0] !== "event") {
        await feedNow();
        if (!isTold) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      isTold = true;
    })();
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(isTold, false);
    mayCommit.resolve();
    await worker;
    await told;
    assert.deepEqual(await standings(id, [ann]), ["event"]);
  });

  it("to many is written by a few statements, to each at its own time", async () => {
    const listId = await makeList(app);
    const { id } = await start(listId, { step: "listen", waitsFor: "read", goal: "bought" });
    const people = await inside(listId, id, 24);
    for (const [at, one] of people.entries()) {
      if (at % 4 === 0) await track(one, "read");
      // What comes second wakes nobody anew.
      if (at % 8 === 0) await track(one, "read");
      if (at % 4 === 1) await track(one, "bought");
      if (at % 4 === 2)
        assert.equal((await app.api("POST", `/v1/subscribers/${one["id"]}/unsubscribe`)).status, 200);
    }
    await settled(app);
    const counted = cutOff(app.db, 30);
    await feedAccount({ db: counted.db, clock: systemClock, log, ...RUN_TOOLS }, accountId);
    assert.equal(counted.wasCut(), false, "it takes no more statements for more people");
    const said = ["event", "goal", "unsubscribed", "time"];
    assert.deepEqual(
      await standings(id, people),
      people.map((_, at) => said[at % 4]),
    );
    const told = await app.db.many<{ person: string; at: Date }>(sql`
      select data->>'subscriber_id' as person, min(created_at) as at from events
      where account_id = ${accountId} and type = 'subscriber.event_tracked' group by 1`);
    const toldAt = new Map(told.map(({ person, at }) => [uuidOf("sub", person), at]));
    const times = await app.db.many<{ subscriber_id: string; at: Date }>(sql`
      select subscriber_id, coalesce(ended_at, due_at) as at from automation_runs
      where automation_id = ${id} and (woken_by = 'event' or ended_as = 'goal')`);
    assert.equal(times.length, 12);
    for (const { subscriber_id: person, at } of times) assert.deepEqual(at, toldAt.get(person));
    await assertBalanced(app, id);
  });

  it("counts in its order: who comes, reaches the goal and comes again is inside", async () => {
    const listId = await makeList(app);
    const { id } = await start(listId, { step: "listen", waitsFor: "read", goal: "bought" });
    const ann = await addSubscriber(app, listId, `one-${++count}@example.com`);
    await track(ann, "bought");
    await app.api("POST", `/v1/subscribers/${ann["id"]}/tags`, { body: { add: ["again"] } });
    await feed();
    assert.deepEqual(await standings(id, [ann]), ["goal arrival"]);
    await track(ann, "bought");
    await app.api("POST", `/v1/subscribers/${ann["id"]}/tags`, { body: { remove: ["again"] } });
    await app.api("POST", `/v1/subscribers/${ann["id"]}/tags`, { body: { add: ["again"] } });
    await feed();
    assert.deepEqual(await standings(id, [ann]), ["goal goal arrival"]);
    await assertBalanced(app, id);
  });
});
