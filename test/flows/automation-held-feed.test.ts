/** Who is let in by a transaction that hasn't committed is inside before an automation ends; limits and faults are of many at once. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { feedAccount } from "../../src/automations/feed/feed.ts";
import { endRunsJob } from "../../src/automations/publishing/publishing.ts";
import { enterRuns, MOST_ENTRIES_A_DAY } from "../../src/automations/runs/runs.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql, type Tx } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  advance,
  assertBalanced,
  inAccount,
  liveOf,
  makeLive,
  RUN_TOOLS,
  runsOf,
} from "../support/automations.ts";
import { addSubscriber, makeList, settled, uuidOf } from "../support/subscribers.ts";

const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
let accountId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  accountId = uuidOf("acc", app.accountId);
});
after(() => app.stop());

const WAIT = { wait: { type: "wait", for: "P1D", next: "end" }, end: { type: "end" } };
let added = 0;
const add = async (listId: string): Promise<string> =>
  String((await addSubscriber(app, listId, `held-${added++}@example.com`))["id"]);

function withTransactions(around: (work: () => Promise<unknown>) => Promise<unknown>): Db {
  return new Proxy(app.db, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name === "transaction")
        return (work: (tx: Tx) => Promise<unknown>) => target.transaction((tx) => around(() => work(tx)));
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

describe("a feed that has let somebody in and not committed", () => {
  /** Does something while the feed is held, and says whether it was done before the feed committed. */
  async function whileHeld(path: string, person: string, action: string) {
    const told = await app.api("POST", "/v1/track", { body: { subscriber_id: person, name: "begin" } });
    assert.equal(told.status, 202, told.text);
    await settled(app);
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const db = withTransactions(async (work) => {
      const done = await work();
      begun.resolve();
      await mayEnd.promise;
      return done;
    });
    const feeding = feedAccount({ db, clock: systemClock, log, ...RUN_TOOLS }, accountId);
    await begun.promise;
    const asked = app.api("POST", `${path}/${action}`);
    const isFirst = await Promise.race([asked.then(() => true), sleep(700, false)]);
    mayEnd.resolve();
    await feeding;
    return { isFirst, reply: await asked };
  }

  async function start(): Promise<{ id: string; path: string; person: string }> {
    const listId = await makeList(app);
    const entry = { on: [{ type: "event", name: "begin" }] };
    const draft = { format: 1, start: "wait", entry, nodes: WAIT };
    const made = await app.api("POST", "/v1/automations", { body: { name: "Ends", list_id: listId, draft } });
    const path = `/v1/automations/${made.body.id}`;
    assert.equal((await app.api("POST", `${path}/start`)).status, 200);
    return { id: uuidOf("aut", made.body.id), path, person: await add(listId) };
  }

  const inside = async (id: string) =>
    (await runsOf(app, id)).filter(({ state }) => state === "active").length;

  it("keeps a drained automation from being archived with them inside", async () => {
    const { id, path, person } = await start();
    const { isFirst, reply } = await whileHeld(path, person, "drain");
    assert.deepEqual([isFirst, reply.status, reply.body.status], [false, 200, "draining"]);
    assert.equal(await inside(id), 1);
  });

  it("keeps one from being archived by hand", async () => {
    const { id, path, person } = await start();
    assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    const { isFirst, reply } = await whileHeld(path, person, "archive");
    assert.deepEqual([isFirst, reply.status], [false, 409]);
    assert.equal(await inside(id), 1);
  });

  it("leaves nobody inside one that is canceled", async () => {
    const { id, path, person } = await start();
    const { isFirst, reply } = await whileHeld(path, person, "cancel");
    assert.deepEqual([isFirst, reply.status, reply.body.status], [false, 200, "archived"]);
    const { signal } = new AbortController();
    const tools = { db: app.db, clock: systemClock, log, signal, attempt: 1 };
    await endRunsJob.run(tools, { account_id: accountId, automation_id: id });
    const [run] = await runsOf(app, id);
    assert.deepEqual([run?.state, run?.ended_as], ["exited", "canceled"]);
    await assertBalanced(app, id);
  });
});

describe("so many entries a day", () => {
  it("are a person's in all automations of the account together", async () => {
    const listId = await makeList(app);
    const [one, other] = [
      await makeLive(app, listId, { nodes: WAIT }),
      await makeLive(app, listId, { nodes: WAIT }),
    ];
    const [ann, bob] = [await add(listId), await add(listId)];
    const at = systemClock.now();
    const enter = async (id: string, person: string, count: number) => {
      const live = await liveOf(app, id);
      const entries = Array.from({ length: count }, (_, n) => ({
        subscriberId: uuidOf("sub", person),
        key: String(n),
        causeDepth: 0,
        at,
      }));
      return inAccount(app, systemClock, (ctx) => enterRuns(ctx, RUN_TOOLS, live, entries));
    };
    assert.equal((await enter(one.id, ann, 30)).entered, 30);
    assert.deepEqual(await enter(other.id, ann, 30), {
      entered: MOST_ENTRIES_A_DAY - 30,
      stopped: [uuidOf("sub", ann)],
    });
    assert.equal((await enter(other.id, bob, 30)).entered, 30);
  });
});

describe("people in a version that can't be read any more", () => {
  it("are put off all at once, and others go on in the same batch", async () => {
    const listId = await makeList(app);
    const { id } = await makeLive(app, listId, { nodes: WAIT });
    const people = await Promise.all(Array.from({ length: 30 }, () => add(listId)));
    await app.db.execute(sql`
      insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
      select ${accountId}, ${id}, gen_random_uuid(), one, case when n <= 20 then 99 else 1 end, 'wait', now(), now(), now()
      from unnest(${people.map((one) => uuidOf("sub", one))}::uuid[]) with ordinality as person (one, n)`);
    let transactions = 0;
    const db = withTransactions((work) => {
      transactions += 1;
      return work();
    });
    assert.equal(await advance(app, systemClock, id, { db }), 30);
    assert.equal(transactions, 1);
    const rows = await app.db.many<{ version: number; minutes: number; count: number }>(sql`
      select version, round(extract(epoch from due_at - now()) / 60)::int as minutes, count(*)::int as count
      from automation_runs where automation_id = ${id} group by 1, 2 order by 1`);
    assert.deepEqual(rows, [
      { version: 1, minutes: 1440, count: 10 },
      { version: 99, minutes: 5, count: 20 },
    ]);
    const [alert] = (await app.api("GET", "/v1/deliverability/alerts?kind=automation_unreadable")).body.data;
    assert.equal(alert.data.version, 99);
  });
});
