/**
 * People who are forgotten while a step is done with them, and who are imported while an automation is started. Each is held open by real
 * transactions, in both orders, and then run many times at random.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createCaughtUpTo, feedAccount } from "../../src/automations/feed/feed.ts";
import { readFollowing } from "../../src/automations/jobs.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { advance, assertBalanced, countsOf, RUN_TOOLS, runsOf, untilLed } from "../support/automations.ts";
import { LOCKED } from "../support/blocked.ts";
import { holdCommits } from "../support/held-commits.ts";
import { finished, upload } from "../support/imports.ts";
import { act, addSubscriber, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
const caughtUpTo = createCaughtUpTo(systemClock);
let app: TestApp;
let accountId: string;
let count = 0;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  accountId = uuidOf("acc", app.accountId);
});
after(() => app.stop());

const feedOnce = () => feedAccount({ db: app.db, clock: systemClock, log, ...RUN_TOOLS }, accountId);
const lead = (id: string, more: object = { caughtUpTo }) =>
  advance(app, systemClock, id, { readFollowing, ...more });

async function feed(): Promise<void> {
  await settled(app);
  while ((await feedOnce()) !== "done");
}

async function settle(id: string): Promise<void> {
  await until(async () => {
    await feed();
    await lead(id);
    const { due } = await app.db.one<{ due: number }>(sql`
      select count(*)::int as due from automation_runs where automation_id = ${id} and state = 'active' and due_at <= now()`);
    return due === 0;
  });
}

type Made = { readonly id: string; readonly path: string; readonly listId: string };

async function make(on: readonly object[], nodes: Json): Promise<Made> {
  const listId = await makeList(app);
  const entry = { on, reentry: { mode: "every_time" } };
  const draft = { format: 1, start: Object.keys(nodes)[0], entry, nodes };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Races", list_id: listId, draft } });
  assert.equal(made.status, 201, made.text);
  return { id: uuidOf("aut", made.body.id), path: `/v1/automations/${made.body.id}`, listId };
}

const begin = async ({ path }: Made): Promise<void> => {
  const started = await app.api("POST", `${path}/start`);
  assert.equal(started.status, 200, started.text);
};

const STEPS: Json = {
  mail: { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "mark" },
  mark: { type: "tag", add: ["seen"], next: "tell" },
  tell: { type: "webhook", url: "https://hooks.example.com/x", next: "listen" },
  listen: {
    type: "wait_for",
    on: [{ type: "event", name: "read" }],
    timeout: "PT1H",
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a way out
    then: "again",
    else: "end",
  },
  again: { type: "email", subject: "Again", html: "<p>Again</p>", next: "rest" },
  rest: { type: "wait", for: "P1D", next: "end" },
  end: { type: "end" },
};

/** What is left of these people anywhere in automations, and mail to them that could still leave. */
async function leftOf(people: readonly Json[]): Promise<Json> {
  const ids = people.map((one) => uuidOf("sub", one["id"]));
  return app.db.one(sql`
    select (select count(*)::int from automation_runs where subscriber_id = any(${ids}::uuid[])) as runs,
      (select count(*)::int from automation_gates where subscriber_id = any(${ids}::uuid[])) as gates,
      (select count(*)::int from automation_outbox where subscriber_id = any(${ids}::uuid[])) as outbox,
      (select count(*)::int from automation_journal j where not exists (
        select from automation_runs r where r.account_id = j.account_id and r.id = j.run_id)) as journal,
      (select count(*)::int from custom_events where subscriber_id = any(${ids}::uuid[])) as events`);
}
const NOTHING = { runs: 0, gates: 0, outbox: 0, journal: 0, events: 0 };

describe("forgetting and a step", () => {
  it("a worker holds the person: forgetting waits, and then nothing is left of what the step wrote", async () => {
    const it = await make([{ type: "list_joined" }], STEPS);
    await begin(it);
    const ann = await addSubscriber(app, it.listId, `people-${++count}@example.com`);
    await feed();
    const held = await holdCommits(app, "automation_journal");
    const leading = untilLed(() => lead(it.id));
    await held.untilThere();
    let isForgotten = false;
    const forgetting = act(app, ann["id"], "forget").then((reply) => {
      isForgotten = true;
      return reply;
    });
    await until(async () => (await app.db.many(LOCKED)).length > 1);
    assert.equal(isForgotten, false);
    await held.letGo();
    assert.equal(await leading, 1);
    assert.equal((await forgetting).status, 202);
    assert.deepEqual(await leftOf([ann]), NOTHING);
    const counts = await countsOf(app, it.id);
    assert.deepEqual(
      [counts["entered"], counts["exited:deleted"], counts["listen exited:deleted"]],
      [1, 1, 1],
    );
    await assertBalanced(app, it.id);
  });

  it("somebody is being forgotten: a worker passes them over, and waits for nobody", async () => {
    const it = await make([{ type: "list_joined" }], STEPS);
    await begin(it);
    const ann = await addSubscriber(app, it.listId, `people-${++count}@example.com`);
    const bob = await addSubscriber(app, it.listId, `people-${++count}@example.com`);
    await feed();
    const held = await holdCommits(app, "subscribers", "delete");
    const forgetting = act(app, ann["id"], "forget");
    await held.untilThere();
    assert.equal(await lead(it.id, {}), 1, "the other is led on");
    await held.letGo();
    assert.equal((await forgetting).status, 202);
    await settle(it.id);
    assert.deepEqual(await leftOf([ann]), NOTHING);
    const runs = await runsOf(app, it.id);
    assert.deepEqual(
      runs.map((run) => [run.subscriber_id, run.node]),
      [[uuidOf("sub", bob["id"]), "listen"]],
    );
    await assertBalanced(app, it.id);
  });

  it("at random, with two feeds and three workers: nothing is left of anybody, and nobody else misses anything", async () => {
    const it = await make([{ type: "list_joined" }, { type: "tag_added", tag: "more" }], STEPS);
    await begin(it);
    let isOver = false;
    const again = async (work: () => Promise<unknown>) => {
      while (!isOver) {
        await work();
        await sleep(Math.random() * 10);
      }
    };
    const working = [...[1, 2].map(() => again(feedOnce)), ...[1, 2, 3].map(() => again(() => lead(it.id)))];
    const [gone, stay]: [Json[], Json[]] = [[], []];
    /** All connections may be in use on a busy machine: then a client is told to come again. */
    const ask = async (path: string, body: Json) => {
      for (;;) {
        const answer = await app.api("POST", path, { body });
        if (answer.status !== 503) return answer;
        await sleep(200);
      }
    };
    const acting = Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        await sleep(Math.random() * 2_000);
        const one = await addSubscriber(app, it.listId, `people-${++count}@example.com`);
        await sleep(Math.random() * 600);
        const reading = ask("/v1/track", { subscriber_id: one["id"], name: "read" });
        if (at % 2 === 0) {
          (gone as Json[]).push(one);
          const [told, forgotten] = await Promise.all([reading, act(app, one["id"], "forget")]);
          assert.ok([202, 404, 422].includes(told.status), told.text);
          assert.equal(forgotten.status, 202, forgotten.text);
        } else {
          stay.push(one);
          assert.equal((await reading).status, 202);
          const tagged = await ask(`/v1/subscribers/${one["id"]}/tags`, { add: ["more"] });
          assert.equal(tagged.status, 200, tagged.text);
        }
      }),
    );
    try {
      await acting;
    } finally {
      isOver = true;
      await Promise.all(working);
    }
    await settle(it.id);
    assert.deepEqual(await leftOf(gone), NOTHING);
    const runs = await runsOf(app, it.id);
    assert.deepEqual(
      runs.map((run) => run.subscriber_id).sort(),
      stay.map((one) => uuidOf("sub", one["id"])).sort(),
      "everybody else entered once, and is inside",
    );
    const counts = await countsOf(app, it.id);
    assert.equal(counts["entered"], stay.length + (counts["exited:deleted"] ?? 0));
    await assertBalanced(app, it.id);
  });
});

describe("an import and a start", () => {
  let jobs: TestApp;
  before(async () => {
    jobs = await createApp({
      databaseUrl: app.databaseUrl,
      settings: { ROLES: "jobs", DATA_DIR: app.dataDir },
    });
  });
  after(() => jobs.stop());

  /** Several batches of an import. */
  const MANY = 6_000;
  const REST: Json = { rest: { type: "wait", for: "P1D", next: "end" }, end: { type: "end" } };

  async function beginImport(listId: string, people: number, more: Json): Promise<string> {
    const rows = Array.from({ length: people }, () => `people-${++count}@example.com`);
    const made = await upload(app, { list_id: listId, ...more }, `email\n${rows.join("\n")}\n`);
    assert.equal(made.status, 202, made.text);
    return made.body.id;
  }

  const done = async (id: string, people: number): Promise<void> => {
    const over = await finished(app, id);
    assert.deepEqual([over.status, over.counts.created], ["completed", people]);
  };

  /** Feeds until all that has happened is told, also by the other process. */
  const told = async (): Promise<void> => {
    await settled(app);
    await until(async () => (await feedOnce()) === "done");
  };

  /** Who came when the automation had been started is inside, once, and nobody else. */
  async function assertSinceStart({ id, listId }: Made): Promise<number> {
    const created = await app.db.many<{ person: string; at: Date; starts: Date }>(sql`
      select e.data ->> 'subscriber_id' as person, e.created_at as at, f.starts_at as starts
      from events e join automation_feed_starts f on f.account_id = e.account_id and f.automation_id = ${id}
      where e.type = 'subscriber.created' and e.data ->> 'list_id' = ${listId}`);
    const expected = created
      .filter(({ at, starts }) => at >= starts)
      .map(({ person }) => uuidOf("sub", person));
    await until(async () => {
      await told();
      return (await runsOf(app, id)).length >= expected.length;
    });
    assert.deepEqual((await runsOf(app, id)).map((run) => run.subscriber_id).sort(), expected.sort());
    await assertBalanced(app, id);
    return expected.length;
  }

  it("whose people are written before the start, and committed after it: nobody of them enters", async () => {
    const it = await make([{ type: "list_joined" }], REST);
    const held = await holdCommits(app, "subscribers");
    const importing = await beginImport(it.listId, 20, { trigger_automations: true });
    await held.untilThere();
    await begin(it);
    await held.letGo();
    await done(importing, 20);
    assert.equal(await assertSinceStart(it), 0);
  });

  it("whose people are committed while the start is still open: all of them enter, once", async () => {
    const it = await make([{ type: "list_joined" }], REST);
    const held = await holdCommits(app, "automation_versions");
    const starting = begin(it);
    await held.untilThere();
    const importing = await beginImport(it.listId, 20, { trigger_automations: true });
    await done(importing, 20);
    await held.letGo();
    await starting;
    assert.equal(await assertSinceStart(it), 20);
  });

  it("that lets nobody in, written before the start and committed after it, is no entry into a segment", async () => {
    const segment = await app.api("POST", "/v1/segments", {
      body: { name: `Segment ${++count}`, rules: { field: "tag", op: "has", value: "fair" } },
    });
    assert.equal(segment.status, 201, segment.text);
    const it = await make([{ type: "segment_entered", segment_id: segment.body.id }], REST);
    const held = await holdCommits(app, "subscribers");
    const importing = await beginImport(it.listId, 20, { tags: ["fair"] });
    await held.untilThere();
    const starting = begin(it);
    await sleep(300);
    await held.letGo();
    await starting;
    await done(importing, 20);
    const people = await app.db.many<{ id: string }>(sql`
      select id from subscribers where account_id = ${accountId} and list_id = ${uuidOf("lst", it.listId)}`);
    assert.equal(people.length, 20);
    const named = await app.api("GET", `/v1/subscribers?list_id=${it.listId}&limit=200`);
    const renaming = named.body.data.map(
      (one: Json): Promise<Reply> =>
        app.api("PATCH", `/v1/subscribers/${one["id"]}`, { body: { first_name: "Ann" } }),
    );
    for (const reply of await Promise.all<Reply>(renaming)) assert.equal(reply.status, 200, reply.text);
    const late = await addSubscriber(app, it.listId, `people-${++count}@example.com`, { tags: ["fair"] });
    await until(async () => {
      await told();
      return (await runsOf(app, it.id)).length > 0;
    });
    assert.deepEqual(
      (await runsOf(app, it.id)).map((run) => run.subscriber_id),
      [uuidOf("sub", late["id"])],
    );
  });

  it("at random: who came before it is outside, who came since is inside, once", async () => {
    let inside = 0;
    for (const longest of [0, 600]) {
      const it = await make([{ type: "list_joined" }], REST);
      const importing = await beginImport(it.listId, MANY, { trigger_automations: true });
      await until(async () => {
        const first = await app.db.many(
          sql`select from subscribers where account_id = ${accountId} and list_id = ${uuidOf("lst", it.listId)} limit 1`,
        );
        return first.length > 0;
      });
      await sleep(Math.random() * longest);
      await begin(it);
      await done(importing, MANY);
      inside += await assertSinceStart(it);
    }
    assert.ok(inside > 0 && inside < 2 * MANY, `${inside} came since`);
  });
});
