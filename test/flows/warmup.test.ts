/** What a transport may be given in a day, with real senders and a real server: never more, whoever sends and whoever dies. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readProgress } from "../../src/delivery/delivery.ts";
import {
  createTransport,
  deleteTransport,
  updateTransport,
} from "../../src/delivery/transports/transports.ts";
import { drawFromDay, openDay } from "../../src/delivery/warmup/day-store.ts";
import { deleteWarmup } from "../../src/delivery/warmup/plans.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import {
  assertAgree,
  type Bench,
  composeSimply,
  countTwice,
  createBench,
  people,
  testSenderOptions,
} from "../support/delivery.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;
const tools = { ...testSenderOptions, internalHosts: ["127.0.0.1"] };

/** The clock of this machine, moved to any day. */
function createMovedClock(): Clock & { moveTo(iso: string): void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    monotonicMs: () => systemClock.monotonicMs(),
    moveTo(iso) {
      offsetMs = new Date(iso).getTime() - Date.now();
    },
  };
}

describe("what a transport may be given in a day", () => {
  const clock = createMovedClock();
  const today = new Date();
  const noonIn = (days: number) =>
    new Date(Math.floor(today.getTime() / DAY_MS) * DAY_MS + (days + 0.5) * DAY_MS).toISOString();
  let bench: Bench;
  const servers: ScriptedServer[] = [];
  before(async () => {
    bench = await createBench({ hasRelay: true, clock });
    await bench.startJobs();
  });
  after(async () => {
    await bench.stop();
    await Promise.all(servers.map((server) => server.close()));
  });

  type Way = { readonly accountId: string; readonly transportId: string; readonly server: ScriptedServer };
  type Plan = { readonly start: number; readonly growth?: number; readonly target?: number };

  /** Adds an account whose campaigns leave by a server of its own. */
  async function addWay(
    {
      plan,
      most,
      streams = ["campaign"],
    }: { plan?: Plan; most?: number; streams?: ("campaign" | "transactional")[] },
    script: Script = {},
  ): Promise<Way> {
    const server = await startScriptedServer(script);
    servers.push(server);
    const accountId = await bench.addAccount();
    const { id: transportId } = await bench.ctx(
      (ctx) =>
        createTransport(ctx, tools, {
          name: "Own",
          host: "127.0.0.1",
          port: server.port,
          tls: "never",
          max_connections: 4,
          max_per_day: most ?? null,
          streams: [...streams],
        }),
      accountId,
    );
    if (plan) await setPlan({ accountId, transportId, server }, plan);
    return { accountId, transportId, server };
  }
  async function setPlan({ accountId, transportId }: Way, { start, growth = 1.5, target = 1_000_000 }: Plan) {
    await bench.db.execute(sql`
      insert into warmup_plans (account_id, transport_id, start_per_day, growth, target_per_day, began_at, updated_at)
      values (${accountId}, ${transportId}, ${start}, ${growth}, ${target}, ${clock.now()}, ${clock.now()})
      on conflict (account_id, transport_id) do update set start_per_day = excluded.start_per_day`);
  }
  const startSender = () =>
    bench.startSender(composeSimply, { internalHosts: ["127.0.0.1"], firstRetryMs: 100 });
  async function launch({ accountId }: Way, emails: readonly string[]): Promise<string> {
    const listId = await bench.addList(accountId);
    await bench.addSubscribers(emails, listId, accountId);
    const audience = { listId, segmentId: null };
    return bench.launch(
      { audience, hasInstanceServer: false, isSandbox: false, ownHost: "127.0.0.1" },
      accountId,
    );
  }
  /** Counts the bodies that the server got for a domain. */
  const sentTo = (domain: string, { server }: Way) =>
    server.messages.filter((message) => new RegExp(`^To: .*@${domain}`, "m").test(message.toString())).length;
  const progressOf = async ({ accountId }: Way, id: string) =>
    (await readProgress(bench.db, accountId, [id], clock.now())).get(id);
  async function isHeld(way: Way, id: string): Promise<void> {
    await until(async () => (await progressOf(way, id))?.phase === "held");
    const before = way.server.messages.length;
    await sleep(700);
    assert.equal(way.server.messages.length, before, "nothing leaves while it is held");
  }
  const daysOf = ({ accountId, transportId }: Way) =>
    bench.db.many<{ provider: string; allowed: number; drawn: number }>(sql`
      select provider, allowed, drawn from transport_days
      where account_id = ${accountId} and transport_id = ${transportId} and day = ${clock.now()}::date order by provider`);

  test("each provider gets its cap on the first day and half as much again on the next, and the campaign says for whom it waits", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 100 } });
    const senders = [await startSender(), await startSender()];
    const id = await launch(way, [...people(400, "gmail.com"), ...people(120, "gmx.de"), ...people(30)]);
    await isHeld(way, id);
    assert.deepEqual(
      [sentTo("gmail.com", way), sentTo("gmx.de", way), sentTo(".*example", way)],
      [100, 100, 30],
    );
    const progress = await progressOf(way, id);
    assert.deepEqual(
      [progress?.eta, progress?.held],
      [
        null,
        {
          until: new Date(`${noonIn(1).slice(0, 10)}T00:00:00Z`),
          by: "transport",
          providers: ["gmx", "google"],
        },
      ],
    );
    const { untried } = await bench.db.one<{ untried: number }>(sql`
      select count(*) as untried from deliveries
      where account_id = ${way.accountId} and state in ('ready', 'deferred') and attempt = 0`);
    assert.equal(untried, 320, "what is held was not tried");
    clock.moveTo(noonIn(1));
    await until(() => sentTo("gmail.com", way) >= 250);
    await isHeld(way, id);
    assert.deepEqual([sentTo("gmail.com", way), sentTo("gmx.de", way)], [250, 120]);
    clock.moveTo(noonIn(2));
    await until(() => bench.ended.has(id));
    assert.equal(way.server.messages.length, 550);
    assertAgree(await countTwice(bench, way.accountId, id));
    await Promise.all(senders.map((sender) => sender.stop()));
    assert.deepEqual(await daysOf(way), [{ provider: "google", allowed: 225, drawn: 150 }]);
  });

  test("a batch that a dead sender had under way waits for the next day like the rest, and the campaign says so", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ most: 40 });
    const sender = await startSender();
    const id = await launch(way, people(100));
    await isHeld(way, id);
    await sender.stop();
    // It was taken over after it had died with rows on the wire.
    await bench.db.execute(sql`
      update batches set worker_id = ${newId(clock)}, epoch = 1 where account_id = ${way.accountId} and source_id = ${id}`);
    const progress = await progressOf(way, id);
    const until = new Date(`${noonIn(1).slice(0, 10)}T00:00:00Z`);
    assert.deepEqual([progress?.phase, progress?.held], ["held", { until, by: "transport", providers: [] }]);
  });

  test("a limit of the transport holds for all providers together", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ most: 70 });
    const sender = await startSender();
    const id = await launch(way, [...people(100, "gmail.com"), ...people(50)]);
    await isHeld(way, id);
    assert.equal(way.server.messages.length, 70);
    assert.deepEqual((await progressOf(way, id))?.held?.providers, []);
    await bench.ctx(
      (ctx) => updateTransport(ctx, tools, way.transportId, { max_per_day: 90 }, undefined),
      way.accountId,
    );
    await until(() => way.server.messages.length >= 90);
    await isHeld(way, id);
    assert.deepEqual(await daysOf(way), [{ provider: "*", allowed: 90, drawn: 90 }]);
    await bench.ctx(
      (ctx) => updateTransport(ctx, tools, way.transportId, { max_per_day: 10 }, undefined),
      way.accountId,
    );
    assert.deepEqual(
      await daysOf(way),
      [{ provider: "*", allowed: 90, drawn: 90 }],
      "what was drawn stays drawn",
    );
    await bench.ctx(
      (ctx) => updateTransport(ctx, tools, way.transportId, { max_per_day: null }, undefined),
      way.accountId,
    );
    await until(() => bench.ended.has(id));
    assert.equal(way.server.messages.length, 150);
    await sender.stop();
  });

  test("both hold at once, and what one of them refuses costs the other nothing", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 40 }, most: 60 });
    const sender = await startSender();
    const id = await launch(way, [...people(100, "gmail.com"), ...people(100, "yahoo.com")]);
    await until(() => way.server.messages.length >= 60);
    await isHeld(way, id);
    assert.equal(way.server.messages.length, 60);
    await sender.stop();
    const days = await daysOf(way);
    assert.equal(days.find(({ provider }) => provider === "*")?.drawn, 60);
    const drawn = days.filter(({ provider }) => provider !== "*").map((one) => one.drawn);
    assert.equal(
      drawn.reduce((sum, one) => sum + one, 0),
      60,
    );
    assert.ok(drawn.every((one) => one <= 40));
  });

  test("a clock that goes back a day finds that day as it was left, and no day is opened twice", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 20 } });
    const sender = await startSender();
    const id = await launch(way, people(100, "gmail.com"));
    await isHeld(way, id);
    clock.moveTo(noonIn(1));
    await until(() => way.server.messages.length >= 50);
    await isHeld(way, id);
    clock.moveTo(noonIn(0));
    await isHeld(way, id);
    clock.moveTo(noonIn(1));
    await isHeld(way, id);
    assert.equal(way.server.messages.length, 50);
    await sender.stop();
  });

  test("a plan that is deleted holds nothing back, and one that comes on the same day finds what was drawn", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 20 } });
    const sender = await startSender();
    const id = await launch(way, people(60, "gmail.com"));
    await isHeld(way, id);
    await bench.db.execute(sql`delete from warmup_plans where account_id = ${way.accountId}`);
    await until(() => bench.ended.has(id));
    assert.equal(way.server.messages.length, 60);
    await setPlan(way, { start: 500 });
    const second = await launch(
      way,
      people(30, "gmail.com").map((email) => `second-${email}`),
    );
    await isHeld(way, second);
    assert.equal(way.server.messages.length, 60, "the day keeps its cap");
    await sender.stop();
  });

  test("a mail that is put off costs nothing until it is taken, and one that is refused for good costs one; both are counted", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay(
      { plan: { start: 30 } },
      {
        MAIL: ["451 4.3.0 busy", "250 ok"],
        dot: ["250 ok", "451 4.3.0 later", "550 5.1.1 no such user", "250 ok"],
      },
    );
    const sender = await startSender();
    const id = await launch(way, people(20, "gmail.com"));
    await until(() => bench.ended.has(id));
    await sender.stop();
    const day = await bench.db.one(sql`
      select drawn, hard, deferred from transport_days where account_id = ${way.accountId}`);
    assert.deepEqual({ ...day }, { drawn: 20, hard: 1, deferred: 1 });
  });

  test("a retry that found the cap used up leaves when the plan is deleted, and not on the next day", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 2 } }, { dot: ["451 4.3.0 later", "250 ok", "250 ok"] });
    const { accountId, transportId } = way;
    const sender = await bench.startSender(composeSimply, {
      internalHosts: ["127.0.0.1"],
      firstRetryMs: 2_000,
    });
    const id = await launch(way, people(2, "gmail.com"));
    const waiting = () =>
      bench.db.many<{ due_at: Date }>(sql`
        select due_at from retries where account_id = ${accountId} and not claimed`);
    // The right of what was put off is given back when its batch ends.
    await until(async () => (await waiting()).length === 1 && (await daysOf(way))[0]?.drawn === 1);
    await bench.db.execute(
      sql`update transport_days set drawn = allowed where account_id = ${accountId} and transport_id = ${transportId}`,
    );
    const midnight = Date.parse(`${noonIn(1).slice(0, 10)}T00:00:00Z`);
    await until(async () => ((await waiting())[0]?.due_at.getTime() ?? 0) >= midnight);
    const tried = way.server.messages.length;
    await bench.ctx((ctx) => deleteWarmup(ctx, transportId), accountId);
    await until(() => bench.ended.has(id));
    assert.equal(way.server.messages.length, tried + 1);
    assertAgree(await countTwice(bench, accountId, id));
    await sender.stop();
  });

  test("a limit or a plan that comes in the middle of a day counts what left before", async () => {
    clock.moveTo(noonIn(0));
    const limited = await addWay({});
    const planned = await addWay({});
    const sender = await startSender();
    for (const way of [limited, planned]) {
      const id = await launch(way, people(10, "gmail.com"));
      await until(() => bench.ended.has(id));
    }
    const limit = (most: number | null) =>
      bench.ctx(
        (ctx) => updateTransport(ctx, tools, limited.transportId, { max_per_day: most }, undefined),
        limited.accountId,
      );
    await limit(12);
    await setPlan(planned, { start: 12 });
    const others = (prefix: string, count: number) =>
      people(count, "gmail.com").map((one) => `${prefix}${one}`);
    for (const way of [limited, planned]) {
      await isHeld(way, await launch(way, others("more", 20)));
      assert.equal(way.server.messages.length, 12);
    }
    // Without a limit all leave, and they count when there is one again.
    await limit(null);
    await until(() => limited.server.messages.length === 30);
    await limit(25);
    await isHeld(limited, await launch(limited, others("last", 5)));
    assert.equal(limited.server.messages.length, 30);
    await sender.stop();
  });

  test("what comes back by mail keeps the next day at its cap, and is added once", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 100 } });
    const { accountId, transportId } = way;
    const senders = [await startSender(), await startSender()];
    const id = await launch(way, people(330, "gmail.com"));
    await isHeld(way, id);
    const comesBack = (kind: string, count: number) =>
      bench.db.execute(sql`
        insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at, flow_id)
        select account_id, source_id, ${kind}, contact_id, changed_at, ${clock.now()}, flow_id from deliveries
        where account_id = ${accountId} and state = 'sent' order by changed_at desc, contact_id limit ${count}`);
    await comesBack("hard_bounce", 3);
    const countsOn = (day: number) =>
      bench.db.maybeOne<{ allowed: number; hard: number; complained: number | null }>(sql`
        select allowed, hard, complained from transport_days
        where account_id = ${accountId} and transport_id = ${transportId} and day = ${noonIn(day)}::timestamptz::date`);
    clock.moveTo(noonIn(1));
    await until(() => way.server.messages.length >= 200);
    await isHeld(way, id);
    assert.deepEqual(await countsOn(0), { allowed: 100, hard: 3, complained: 0 });
    assert.deepEqual(await countsOn(1), { allowed: 100, hard: 0, complained: null }, "3% are too many");
    clock.moveTo(noonIn(2));
    await until(() => way.server.messages.length >= 330);
    await until(() => bench.ended.has(id));
    assert.equal((await countsOn(2))?.allowed, 150, "a good day");
    await comesBack("complaint", 1);
    clock.moveTo(noonIn(3));
    const next = await launch(way, people(10, "googlemail.com"));
    await until(() => bench.ended.has(next));
    assert.deepEqual(await countsOn(2), { allowed: 150, hard: 0, complained: 1 });
    assert.equal((await countsOn(3))?.allowed, 100, "two steps back, and never below the first day's");
    await Promise.all(senders.map((sender) => sender.stop()));
  });

  test("the ledger counts those who are held as queued", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 10 } });
    const sender = await startSender();
    const id = await launch(way, people(40, "gmail.com"));
    await isHeld(way, id);
    await sender.stop();
    assertAgree(await countTwice(bench, way.accountId, id));
    assert.equal((await bench.counts(id, way.accountId)).queued, 30);
  });

  test("those who are held cost far less than a write each, also on the next day", async (t) => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 20 } });
    const id = await launch(way, [...people(4_000, "gmail.com"), ...people(1_000, "yahoo.com")]);
    await until(async () => (await progressOf(way, id))?.phase === "sending");
    const writes = async () => {
      // Connections tell of what they wrote a while later; what planning inserted into the ledger may come late, and isn't counted.
      await sleep(1_500);
      const { count } = await bench.db.one<{ count: number }>(sql`
        select sum(n_tup_upd + n_tup_del + case when relname like 'deliveries%' then 0 else n_tup_ins end)::bigint as count
        from pg_stat_user_tables
        where relname ~ '^(deliveries|batches|retries)'`);
      return count;
    };
    const before = await writes();
    const sender = await startSender();
    await isHeld(way, id);
    const first = (await writes()) - before;
    clock.moveTo(noonIn(1));
    await until(() => way.server.messages.length >= 100);
    await isHeld(way, id);
    const both = (await writes()) - before;
    await sender.stop();
    t.diagnostic(`5,000 rows, 100 sent: ${first} writes on the first day, ${both} on both`);
    assert.equal(way.server.messages.length, 100);
    assert.ok(both < 1_000, `${both} writes`);
  });

  test("a transport that is deleted meanwhile is given nothing", async () => {
    clock.moveTo(noonIn(0));
    const way = await addWay({ plan: { start: 10 } });
    await bench.ctx((ctx) => deleteTransport(ctx, way.transportId), way.accountId);
    const of = { ...way, day: noonIn(0).slice(0, 10) };
    assert.equal(await openDay(bench.db, of, ["google"]), undefined);
    const drawn = await drawFromDay(bench.db, of, { wanted: new Map([["google", 5]]), isUrgent: false });
    assert.equal(drawn.size, 0);
  });
});
