/** Many who are due at once keep nobody else waiting: one batch of each automation, and then a look at who is due by now. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ExecutorTools, startExecutor } from "../../src/automations/executing/executing.ts";
import { createCaughtUpTo, startFeed } from "../../src/automations/feed/feed.ts";
import { makeFeed } from "../../src/automations/feed/feed-store.ts";
import { openSource } from "../../src/delivery/delivery.ts";
import { recordSystemEvents } from "../../src/events/events.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql, type Tx, type Writable } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  assertBalanced,
  executorOf,
  type GraphInput,
  inAccount,
  makeLive,
  RUN_TOOLS,
} from "../support/automations.ts";
import { createTestClock } from "../support/clock.ts";
import { addSubscriber, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;
const WAIT: GraphInput["nodes"] = { wait: { type: "wait", for: "PT1H", next: "end" } };
/** Nobody is told of anything: whoever is led on is found by looking. */
const listener = { listen: () => undefined, stop: async () => undefined };

const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
let listId: string;
let many: readonly string[];
let other: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  listId = await makeList(app);
  const people: string[] = [];
  for (let n = 0; n < 20; n++) people.push(await add(`many-${n}@example.com`));
  many = people;
  other = await add("other@example.com");
});
after(() => app.stop());

async function add(email: string): Promise<string> {
  return uuidOf("sub", String((await addSubscriber(app, listId, email))["id"]));
}

/** So many runs whose wait is over, of these people by turns, each with a key of its own. */
async function addDue(id: string, people: readonly string[], count: number): Promise<void> {
  await app.db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, key, version, node, entered_at, arrived_at, due_at, woken_by)
    select ${uuidOf("acc", app.accountId)}, ${id}, gen_random_uuid(), (${[...people]}::uuid[])[1 + n % ${people.length}::int], n::text, 1, 'wait',
      at - interval '1 hour', at - interval '1 hour', at, 'time'
    from generate_series(1, ${count}::int) as n, (select date_trunc('second', now()) - interval '1 minute' as at) as moment`);
  await app.db.execute(sql`
    insert into automation_counts (account_id, automation_id, node, what, shard, count)
    select ${uuidOf("acc", app.accountId)}, ${id}, node, 'entered', 0, ${count} from unnest(array['', 'wait']) as node`);
}

async function insideOf(id: string): Promise<number> {
  const { count } = await app.db.one<{ count: number }>(
    sql`select count(*)::int as count from automation_runs where automation_id = ${id} and state = 'active'`,
  );
  return count;
}

/** Runs what leads people on until nobody is inside these any more. */
async function leadOn(ids: readonly string[], more: Partial<ExecutorTools>): Promise<void> {
  const running = startExecutor({ ...executorOf(app, systemClock, more), listener });
  try {
    await until(async () => (await Promise.all(ids.map(insideOf))).every((count) => count === 0));
  } finally {
    await running.stop();
  }
}

describe("many who are due", () => {
  it("keep nobody waiting who falls due in another automation meanwhile", async () => {
    const [large, small] = [
      await makeLive(app, listId, { nodes: WAIT }),
      await makeLive(app, listId, { nodes: WAIT }),
    ];
    await addDue(large.id, many, 3_000);
    let batches = 0;
    // It is asked before each batch.
    const caughtUpTo = async () => {
      batches += 1;
      if (batches === 1) await addDue(small.id, [other], 1);
      return undefined;
    };
    await leadOn([large.id, small.id], { caughtUpTo });
    const { before: left } = await app.db.one<{ before: number }>(sql`
      select count(*)::int as before from automation_journal j
      where automation_id = ${large.id} and node = 'wait' and left_at > (
        select left_at from automation_journal where automation_id = ${small.id} and node = 'wait')`);
    assert.ok(left >= 1_000, `${left} of the large one came after it`);
  });

  it("of one second are led on once each, in batches", async () => {
    const { id } = await makeLive(app, listId, { nodes: WAIT });
    await addDue(id, many, 20_000);
    let batches = 0;
    const caughtUpTo = async () => {
      batches += 1;
      return undefined;
    };
    await leadOn([id], { caughtUpTo });
    assert.ok(batches >= 40, `${batches} batches`);
    const { visits, runs } = await app.db.one<{ visits: number; runs: number }>(sql`
      select count(*)::int as visits, count(distinct run_id)::int as runs from automation_journal where automation_id = ${id}`);
    assert.deepEqual([visits, runs], [40_000, 20_000], "the wait and the end of each");
    await assertBalanced(app, id);
  });

  it("keep no wave open beyond its day, and others are closed though one can't be", async () => {
    const clock = createTestClock(new Date(Date.now() - 2 * DAY_MS));
    const { id } = await makeLive(app, listId, { nodes: WAIT });
    const addWave = (db: Writable, sourceId: string) =>
      db.execute(sql`
      insert into automation_waves (account_id, source_id, automation_id, node, revision_id, opened_at)
      values (${uuidOf("acc", app.accountId)}, ${sourceId}, ${id}, 'mail', ${sourceId}, ${clock.now()})`);
    // Nobody has heard of the source of the first.
    await addWave(app.db, "00000000-0000-7000-8000-000000000001");
    await inAccount(app, clock, async (ctx) => {
      for (let n = 0; n < 250; n++)
        await addWave(
          ctx.sql,
          await openSource(ctx, {
            ownerId: id,
            stream: "automation",
            revisionId: newId(clock),
            listId: uuidOf("lst", listId),
            topicId: null,
            onAmbiguous: "resend",
            hasInstanceServer: false,
            step: "mail",
          }),
        );
    });
    clock.advance(2 * DAY_MS);
    const open = () =>
      app.db.many<{ source_id: string }>(
        sql`select source_id from automation_waves where automation_id = ${id} and closed_at is null`,
      );
    // Time stands still, so all of them are closed by one look.
    const running = startExecutor({ ...executorOf(app, clock), listener });
    await until(async () => (await open()).length === 1, 20_000).finally(() => running.stop());
    assert.match((await open())[0]?.source_id ?? "", /0001$/);
  });
});

describe("an account with much to read", () => {
  it("keeps no other waiting in which something happens meanwhile", async () => {
    const neighbour = (await app.addAccount()).accountId;
    const accountId = uuidOf("acc", app.accountId);
    await makeLive(app, listId, { nodes: WAIT });
    await settled(app);
    const places = () =>
      app.db.many<{ account_id: string; event_id: string }>(
        sql`select account_id, event_id from automation_feeds`,
      );
    for (const one of [accountId, neighbour]) {
      await app.db.execute(sql`
        insert into automation_feed_starts (account_id, automation_id, starts_at, version) values (${one}, ${newId(systemClock)}, now(), 1)`);
      await app.db.transaction((tx) =>
        makeFeed(tx, one, { xid: "0", id: newId(systemClock) }, systemClock.now()),
      );
      await app.db.execute(sql`
        update automation_feeds set xid = last.xid, event_id = last.id
        from (select xid, id from events where account_id = ${one} order by xid desc, id desc limit 1) as last
        where account_id = ${one}`);
    }
    const write = (one: string, count: number) =>
      app.db.transaction((tx) =>
        recordSystemEvents(
          { sql: tx, clock: systemClock },
          Array.from({ length: count }, () => ({
            type: "subscriber.tag_added" as const,
            accountId: one,
            data: Object.fromEntries(
              ["subscriber", "contact", "list", "tag"].map((of) => [
                `${of}_id`,
                toPublicId(of === "list" ? "lst" : of.slice(0, 3), newId(systemClock)),
              ]),
            ),
          })),
        ),
      );
    await write(accountId, 5_000);
    await settled(app);
    const [before] = (await places()).filter((one) => one.account_id === neighbour);
    const seen: { isLargeRead: boolean; isOtherRead: boolean }[] = [];
    let pieces = 0;
    const caughtUpTo = createCaughtUpTo(systemClock);
    const readsAll = async () => ((await caughtUpTo(app.db, accountId))?.getTime() ?? 0) > begun;
    const db = new Proxy(app.db, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name !== "transaction") return typeof value === "function" ? value.bind(target) : value;
        return async (work: (tx: Tx) => Promise<unknown>) => {
          const result = await target.transaction(work);
          pieces += 1;
          if (pieces === 1) {
            await write(neighbour, 1);
            await settled(app);
          }
          const [now] = (await places()).filter((one) => one.account_id === neighbour);
          seen.push({ isLargeRead: await readsAll(), isOtherRead: now?.event_id !== before?.event_id });
          return result;
        };
      },
    });
    const begun = Date.now();
    const running = startFeed({ db, clock: systemClock, log, ...RUN_TOOLS });
    await until(() => seen.some(({ isOtherRead }) => isOtherRead)).finally(() => running.stop());
    const first = seen.find(({ isOtherRead }) => isOtherRead);
    assert.equal(first?.isLargeRead, false, "the other is read before the large one is");
    assert.ok(pieces <= 4, `it waited for ${pieces} pieces`);
  });
});
