/**
 * Two that do something about the same person at the same moment: an event and a timeout, a publication and a wake-up, forgetting and a step. Each
 * is held open by real transactions, in both orders, and then run many times at random.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createCaughtUpTo, feedAccount } from "../../src/automations/feed/feed.ts";
import { readFollowing } from "../../src/automations/jobs.ts";
import { recountWaits } from "../../src/automations/publishing/publishing.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { trackEvent } from "../../src/subscribers/custom-events/track.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { advance, assertBalanced, inAccount, RUN_TOOLS, runsOf, untilLed } from "../support/automations.ts";
import { LOCKED } from "../support/blocked.ts";
import { holdBefore, holdCommits } from "../support/held-commits.ts";
import { addSubscriber, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const log = createLog({ level: "silent", pretty: false });
const caughtUpTo = createCaughtUpTo(systemClock);
let app: TestApp;
let accountId: string;
let count = 0;
// No job runs, so the test alone feeds and leads people on.
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  accountId = uuidOf("acc", app.accountId);
});
after(() => app.stop());

const feedOnce = (db: Db = app.db) => feedAccount({ db, clock: systemClock, log, ...RUN_TOOLS }, accountId);
const lead = (id: string, more: object = { caughtUpTo }) =>
  advance(app, systemClock, id, { readFollowing, ...more });
const track = async (person: Json, name: string) => {
  const told = await app.api("POST", "/v1/track", { body: { subscriber_id: person["id"], name } });
  assert.equal(told.status, 202, told.text);
};

async function feed(): Promise<void> {
  await settled(app);
  while ((await feedOnce()) !== "done");
}

/** Feeds and leads on until nothing that is due is left. */
async function settle(id: string): Promise<void> {
  await until(async () => {
    await feed();
    await lead(id);
    const { due } = await app.db.one<{ due: number }>(sql`
      select count(*)::int as due from automation_runs where automation_id = ${id} and state = 'active' and due_at <= now()`);
    return due === 0;
  });
}

const MAIL = { type: "email", subject: "Still here?", html: "<p>Hello</p>" };

/** Whoever joins comes to a wait for `read`, and is reminded when they haven't read. The purchase is a goal. */
const nodesOf = (listen = "listen") => ({
  [listen]: {
    type: "wait_for",
    on: [{ type: "event", name: "read" }],
    timeout: "PT1H",
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a way out
    then: "thanks",
    else: "remind",
  },
  thanks: { type: "tag", add: ["thanked"], next: "rest" },
  remind: { ...MAIL, next: "rest" },
  rest: { type: "wait", for: "P1D", next: "end" },
  end: { type: "end" },
});

const draftOf = (nodes: Json, exit: object[] = [{ event: "bought", as: "goal" }]) => ({
  format: 1,
  start: Object.keys(nodes)[0],
  entry: { on: [{ type: "list_joined" }], reentry: { mode: "every_time" } },
  exit,
  nodes,
});

type Started = { readonly id: string; readonly path: string; readonly listId: string };

async function start(draft: object = draftOf(nodesOf())): Promise<Started> {
  const listId = await makeList(app);
  const made = await app.api("POST", "/v1/automations", { body: { name: "Races", list_id: listId, draft } });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/automations/${made.body.id}`;
  const started = await app.api("POST", `${path}/start`);
  assert.equal(started.status, 200, started.text);
  return { id: uuidOf("aut", made.body.id), path, listId };
}

async function publish(path: string, draft: object, how: Json = {}): Promise<void> {
  const patched = await app.api("PATCH", path, { body: { draft } });
  assert.equal(patched.status, 200, patched.text);
  const published = await app.api("POST", `${path}/publish`, { body: how });
  assert.equal(published.status, 200, published.text);
}

/** People who stand at the first step, and for how long yet. */
async function inside({ id, listId }: Started, many: number, leftMs: (at: number) => number) {
  const adding = Array.from({ length: many }, () =>
    addSubscriber(app, listId, `race-${++count}@example.com`),
  );
  const people = await Promise.all(adding);
  await settle(id);
  const now = Date.now();
  for (const [at, one] of people.entries()) await waitsFor(id, one, new Date(now + leftMs(at)));
  return people as [Json, ...Json[]];
}

const waitsFor = (id: string, person: Json, dueAt: Date) =>
  app.db.execute(sql`
    update automation_runs set due_at = ${dueAt}, arrived_at = ${new Date(dueAt.getTime() - HOUR_MS)},
      entered_at = ${new Date(dueAt.getTime() - HOUR_MS)}, woken_by = 'time'
    where automation_id = ${id} and subscriber_id = ${uuidOf("sub", person["id"])}`);

type Visit = {
  person: string;
  node: string;
  way: string | null;
  reason: string;
  version: number;
  mailed: boolean;
};

async function journalOf(id: string): Promise<ReadonlyMap<string, readonly Visit[]>> {
  const rows = await app.db.many<Visit & { visit: number; last: number; state: string }>(sql`
    select r.subscriber_id as person, j.node, j.way, j.reason, j.version, j.source_id is not null as mailed, j.visit, r.visit as last, r.state
    from automation_runs r join automation_journal j on j.account_id = r.account_id and j.run_id = r.id
    where r.automation_id = ${id} order by j.run_id, j.visit`);
  const visits = Map.groupBy(rows, ({ person }) => person);
  for (const some of visits.values())
    for (const [at, { visit }] of some.entries())
      assert.equal(visit, at + 1, "visits have no gaps, and none comes twice");
  return visits;
}

const pathOf = (visits: ReadonlyMap<string, readonly Visit[]>, person: Json): string =>
  (visits.get(uuidOf("sub", person["id"])) ?? []).map((one) => `${one.node}:${one.reason}`).join(" ");

describe("the feed", () => {
  it("never says that it has caught up with what is still being written", async () => {
    const { listId } = await start();
    await feed();
    for (let round = 0; round < 40; round++) {
      await settled(app);
      while ((await feedOnce()) !== "done");
      let isOver = false;
      let latestMs = 0;
      const look = async () => {
        while (!isOver) latestMs = Math.max(latestMs, (await caughtUpTo(app.db, accountId))?.getTime() ?? 0);
      };
      const looking = [look(), look()];
      const person = await addSubscriber(app, listId, `race-${++count}@example.com`);
      isOver = true;
      await Promise.all(looking);
      const { at } = await app.db.one<{ at: Date }>(sql`
        select created_at as at from events where type = 'subscriber.created' and data ->> 'subscriber_id' = ${person["id"]}`);
      assert.ok(latestMs < at.getTime(), `${latestMs - at.getTime()} ms beyond what nobody has read`);
    }
  });
});

describe("an event and a timeout", () => {
  it("whose transaction is open when the time is over: the event wins", async () => {
    const it = await start();
    const [ann] = await inside(it, 1, () => 700);
    const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const telling = inAccount(app, systemClock, async (ctx) => {
      await trackEvent(ctx, { subscriber_id: ann["id"], name: "read" });
      written.resolve();
      await mayCommit.promise;
    });
    await written.promise;
    await sleep(900);
    for (let tries = 0; tries < 3; tries++) {
      await feedOnce();
      assert.equal(await lead(it.id), 0, "what may have happened before is waited for");
    }
    mayCommit.resolve();
    await telling;
    await settle(it.id);
    assert.equal(pathOf(await journalOf(it.id), ann), "listen:happened thanks:done");
  });

  it("the timeout is over first, and a worker holds the person: the event changes nothing", async () => {
    const it = await start();
    const [ann] = await inside(it, 1, () => -1_000);
    await track(ann, "read");
    await settled(app);
    const held = await holdCommits(app, "automation_journal");
    const leading = untilLed(() => lead(it.id));
    await held.untilThere();
    const feeding = feedOnce();
    await until(async () => (await app.db.many(LOCKED)).length > 1);
    await held.letGo();
    assert.equal(await leading, 1);
    await feeding;
    await settle(it.id);
    assert.equal(pathOf(await journalOf(it.id), ann), "listen:timeout remind:done");
    await assertBalanced(app, it.id);
  });

  it("the event is told while the time runs out: no worker takes the person by the timeout", async () => {
    const it = await start();
    const [ann] = await inside(it, 1, () => 400);
    await track(ann, "read");
    await settled(app);
    const held = await holdCommits(app, "automation_runs", "update");
    const feeding = feedOnce();
    await held.untilThere();
    await sleep(500);
    assert.equal(await lead(it.id), 0, "by the time until when all is known");
    assert.equal(await lead(it.id, {}), 0, "by the row, which the feed holds");
    await held.letGo();
    await feeding;
    await settle(it.id);
    assert.equal(pathOf(await journalOf(it.id), ann), "listen:happened thanks:done");
    await assertBalanced(app, it.id);
  });

  it("at random, with two feeds and three workers: what happened before the timeout wins, whatever it is", async () => {
    const it = await start();
    await assertFirstWins(it, 90, async () => undefined);
  });
});

const LATE = new Set(["listen:exit", "listen:timeout remind:exit", "listen:timeout remind:done rest:exit"]);

/**
 * People whose time runs out in the coming second, while some of them read and others buy. Whoever did so before their timeout isn't reminded, and
 * everybody else is, once; `meanwhile` is done all the time. Whose wait is counted anew has no timeout until they are looked at, so what is told at
 * that very moment still finds them waiting.
 */
async function assertFirstWins(
  it: Started,
  many: number,
  meanwhile: (round: number) => Promise<void>,
  { isCountedAnew = false } = {},
) {
  const dueIn = () => 300 + Math.random() * 1_200;
  const people = await inside(it, many, dueIn);
  const due = new Map((await runsOf(app, it.id)).map((run) => [run.subscriber_id, run.due_at]));
  let isOver = false;
  const again = async (work: (round: number) => Promise<unknown>) => {
    for (let round = 0; !isOver; round++) {
      await work(round);
      await sleep(Math.random() * 10);
    }
  };
  const working = [
    ...[1, 2].map(() => again(() => feedOnce())),
    ...[1, 2, 3].map(() => again(() => lead(it.id))),
    again(meanwhile),
  ];
  const names = ["read", "bought", undefined] as const;
  await Promise.all(
    people.map(async (one, at) => {
      const name = names[at % 3];
      await sleep(dueIn());
      if (name) await track(one, name);
    }),
  );
  await sleep(1_600 - 300);
  isOver = true;
  await Promise.all(working);
  await settle(it.id);
  const events = await app.db.many<{ person: string; name: string; at: Date }>(sql`
    select data ->> 'subscriber_id' as person, data ->> 'name' as name, created_at as at from events
    where type = 'subscriber.event_tracked' and data ->> 'subscriber_id' = any(${people.map((one) => one["id"])}::text[])`);
  const told = new Map(events.map((one) => [one.person, one]));
  const visits = await journalOf(it.id);
  const ways = new Map<string, number>();
  for (const one of people) {
    const event = told.get(one["id"]);
    const dueAt = due.get(uuidOf("sub", one["id"]));
    assert.ok(dueAt);
    const isEarlier = event !== undefined && event.at <= dueAt;
    const path = pathOf(visits, one).replaceAll("hear:", "listen:");
    const isExpected =
      isEarlier && event.name === "read"
        ? path === "listen:happened thanks:done"
        : isEarlier
          ? path === "listen:exit"
          : // A purchase after the timeout finds the person wherever they have come to by then.
            path === "listen:timeout remind:done" ||
            (event?.name === "bought" && LATE.has(path)) ||
            (event?.name === "read" && isCountedAnew && path === "listen:happened thanks:done");
    assert.ok(
      isExpected,
      `${path} after ${event?.name} ${Number(event?.at) - Number(dueAt)} ms after the timeout`,
    );
    ways.set(path, (ways.get(path) ?? 0) + 1);
  }
  assert.ok(ways.size >= 3, `all ways are taken: ${JSON.stringify([...ways])}`);
  const mails = [...visits.values()].flat().filter(({ mailed }) => mailed).length;
  const { rows } = await app.db.one<{ rows: number }>(sql`
    select count(*)::int as rows from deliveries join automation_waves w using (account_id, source_id) where w.automation_id = ${it.id}`);
  assert.equal(rows, mails, "mails of the journal and rows of the ledger");
  await assertBalanced(app, it.id);
}

describe("a publication and a wake-up", () => {
  it("waits for the worker who leads people on, and nobody is twice anywhere", async () => {
    const it = await start();
    const [ann] = await inside(it, 1, () => -1_000);
    const patched = await app.api("PATCH", it.path, { body: { draft: draftOf(nodesOf("hear")) } });
    assert.equal(patched.status, 200, patched.text);
    const held = await holdCommits(app, "automation_journal");
    const leading = untilLed(() => lead(it.id));
    await held.untilThere();
    let isPublished = false;
    const publishing = app.api("POST", `${it.path}/publish`).then((reply) => {
      isPublished = true;
      return reply;
    });
    await until(async () => (await app.db.many(LOCKED)).length > 1);
    assert.equal(isPublished, false);
    await held.letGo();
    assert.equal(await leading, 1);
    const published = await publishing;
    assert.equal(published.status, 200, "nobody stands at the step that is gone any more");
    await settle(it.id);
    assert.equal(pathOf(await journalOf(it.id), ann), "listen:timeout remind:done");
    await assertBalanced(app, it.id);
  });

  it("between a wake-up and its commit: who was woken leaves by what happened, once", async () => {
    const it = await start();
    const [ann, bob] = (await inside(it, 2, () => HOUR_MS)) as [Json, Json];
    await track(ann, "read");
    await settled(app);
    const held = await holdCommits(app, "automation_runs", "update");
    const feeding = feedOnce();
    await held.untilThere();
    await publish(it.path, draftOf(nodesOf("hear")), { mapping: { listen: "hear" } });
    await held.letGo();
    await feeding;
    await settle(it.id);
    await track(bob, "read");
    await settle(it.id);
    const visits = await journalOf(it.id);
    for (const one of [ann, bob]) {
      assert.equal(pathOf(visits, one), "hear:happened thanks:done");
      assert.equal(visits.get(uuidOf("sub", one["id"]))?.[0]?.version, 2);
    }
    await assertBalanced(app, it.id);
  });

  it("while the feed reads: who has gone on into the new version meanwhile is told as well", async () => {
    const first = { first: { type: "wait", for: "PT1H", next: "listen" }, ...nodesOf() };
    const it = await start(draftOf(first));
    const [ann] = await inside(it, 1, () => -1_000);
    await track(ann, "bought");
    await settled(app);
    const { db, isThere, letGo } = holdBefore(app.db, "from events");
    const feeding = feedOnce(db);
    await isThere;
    await publish(it.path, draftOf({ ...first, rest: { type: "wait", for: "P2D", next: "end" } }));
    await until(async () => (await lead(it.id)) === 1);
    letGo();
    await feeding;
    await settle(it.id);
    assert.equal(pathOf(await journalOf(it.id), ann), "first:waited listen:exit");
    const [run] = await runsOf(app, it.id);
    assert.equal(run?.ended_as, "goal");
  });

  it("at random changes nobody's way, whether they follow, stay or are mapped", async () => {
    const it = await start();
    let version = 1;
    let step = "listen";
    const hows = [{}, { waits: "keep" }, { people: "stay" }] as const;
    const payloadOf = () => ({
      account_id: accountId,
      automation_id: it.id,
      version,
      nodes: ["listen", "hear"],
    });
    const tools = { db: app.db, clock: systemClock, log, signal: new AbortController().signal, attempt: 1 };
    const republish = async (round: number) => {
      const to = step === "listen" ? "hear" : "listen";
      const { [to]: first, ...rest } = nodesOf(to) as Json;
      const nodes = { ...rest, rest: { type: "wait", for: `P${2 + round}D`, next: "end" } };
      await publish(it.path, draftOf({ [to]: first, ...nodes }), {
        ...hows[round % 3],
        mapping: { [step]: to },
      });
      step = to;
      version++;
      await recountWaits.run(tools, payloadOf());
      await sleep(50);
    };
    await assertFirstWins(it, 60, republish, { isCountedAnew: true });
    assert.ok(version > 4, `${version} versions`);
  });
});
