/**
 * Warm-ups with a provider that takes nothing for a while, for which nobody is written who can't leave today, with days without sending, and with domains of which
 * nobody knows whose they are yet.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readProgress } from "../../src/delivery/delivery.ts";
import { reopenProvider } from "../../src/delivery/providers/providers.ts";
import { createTransport } from "../../src/delivery/transports/transports.ts";
import { drawFromDay, openDay } from "../../src/delivery/warmup/day-store.ts";
import { readWarmup } from "../../src/delivery/warmup/plans.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import {
  assertAgree,
  type Bench,
  type Compose,
  composeSimply,
  countTwice,
  createBench,
  people,
  testSenderOptions,
} from "../support/delivery.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const tools = { ...testSenderOptions, internalHosts: ["127.0.0.1"] };

/** The clock of this machine, moved to any time. A sender that runs keeps to what it knew, so senders are started anew after a move. */
function createMovedClock(): Clock & { moveTo(ms: number): void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    monotonicMs: () => systemClock.monotonicMs(),
    moveTo(ms) {
      offsetMs = ms - Date.now();
    },
  };
}

describe("a provider that is closed during a warm-up", () => {
  const clock = createMovedClock();
  const noon = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
  let bench: Bench;
  const servers: ScriptedServer[] = [];
  before(async () => {
    bench = await createBench({ clock });
    await bench.startJobs();
  });
  after(async () => {
    await bench.stop();
    await Promise.all(servers.map((server) => server.close()));
  });

  type Way = { readonly accountId: string; readonly transportId: string; readonly server: ScriptedServer };

  /** Adds an account that warms a transport up, with this many mails to a provider on the first day. */
  async function addWay(start: number, script: Script = {}): Promise<Way> {
    clock.moveTo(noon);
    const server = await startScriptedServer(script);
    servers.push(server);
    const accountId = await bench.addAccount();
    const input = { name: "Own", host: "127.0.0.1", port: server.port, tls: "never" as const };
    const { id: transportId } = await bench.ctx(
      (ctx) => createTransport(ctx, tools, { ...input, max_connections: 4, streams: ["campaign"] }),
      accountId,
    );
    await bench.db.execute(sql`
      insert into warmup_plans (account_id, transport_id, start_per_day, growth, target_per_day, began_at, updated_at)
      values (${accountId}, ${transportId}, ${start}, 1.5, 1000000, ${clock.now()}, ${clock.now()})`);
    return { accountId, transportId, server };
  }
  async function launch({ accountId }: Way, emails: readonly string[]): Promise<string> {
    const listId = await bench.addList(accountId);
    await bench.addSubscribers(emails, listId, accountId);
    const audience = { listId, segmentId: null };
    const id = await bench.launch(
      { audience, hasInstanceServer: false, isSandbox: false, ownHost: "127.0.0.1" },
      accountId,
    );
    await until(async () => (await progressOf({ accountId }, id))?.phase !== "planning");
    return id;
  }
  const close = ({ accountId, transportId }: Way, fromDomain: string, untilMs: number) =>
    bench.db.execute(sql`
      insert into provider_closings (account_id, transport_id, provider, from_domain, closed_at, until, times, reason, told_by, met_by)
      values (${accountId}, ${transportId}, 'google', ${fromDomain}, ${clock.now()}, ${new Date(untilMs)}, 1, 'rate', 'session', ${accountId})`);
  const startSender = (compose: Compose = composeSimply) =>
    bench.startSender(compose, { internalHosts: ["127.0.0.1"], firstRetryMs: 2_000 });
  const progressOf = async ({ accountId }: Pick<Way, "accountId">, id: string) =>
    (await readProgress(bench.db, accountId, [id], clock.now())).get(id);
  async function isHeld(way: Way, id: string): Promise<void> {
    await until(async () => (await progressOf(way, id))?.phase === "held");
    const before = way.server.messages.length;
    await sleep(1_200);
    assert.equal(way.server.messages.length, before, "nothing leaves while it is held");
    assert.equal((await progressOf(way, id))?.phase, "held");
  }
  const sentTo = (domain: string, { server }: Way) =>
    server.messages.filter((message) => message.toString().includes(`@${domain}\r\n`)).length;
  const statesOf = async (id: string) => {
    const rows = await bench.db.many<{ state: string; count: number }>(sql`
      select state, count(*) as count from deliveries where source_id = ${id} group by 1`);
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  /** Counts the rows of the ledger that were written since that time. */
  const writtenSince = async (id: string, since: Date) =>
    (
      await bench.db.one<{ count: number }>(sql`
        select count(*) as count from deliveries where source_id = ${id} and changed_at >= ${since}`)
    ).count;

  for (const fromDomain of ["", "example.org"])
    test(`costs no write for those who can't leave today, where it is closed for ${fromDomain || "all domains"}`, async () => {
      const way = await addWay(60);
      const opensMs = noon + 10 * MINUTE_MS;
      await close(way, fromDomain, opensMs);
      const id = await launch(way, people(2_000, "gmail.com"));
      const closed = clock.now();
      let sender = await startSender();
      await isHeld(way, id);
      const progress = await progressOf(way, id);
      assert.deepEqual([progress?.held?.by, progress?.held?.providers], ["provider", ["google"]]);
      const afterMs = (progress?.held?.until.getTime() ?? 0) - opensMs;
      assert.ok(afterMs > 8 * MINUTE_MS && afterMs < 9 * MINUTE_MS, `${afterMs} ms after the opening`);
      assert.equal(way.server.messages.length, 0);
      // Two batches are read at once, and each may have put some off before it knew of the others' places.
      const written = await writtenSince(id, closed);
      assert.ok(written >= 60 && written <= 260, `${written} writes`);

      await sender.stop();
      clock.moveTo(opensMs + 20 * MINUTE_MS);
      const opened = clock.now();
      sender = await startSender();
      await until(() => way.server.messages.length === 60);
      await isHeld(way, id);
      assert.equal((await progressOf(way, id))?.held?.by, "transport");
      assert.deepEqual(
        await statesOf(id),
        { sent: 60, ready: 1_940 },
        "nobody waits for midnight by themselves",
      );
      assert.ok((await writtenSince(id, opened)) <= 260);

      await sender.stop();
      clock.moveTo(noon + DAY_MS);
      const next = clock.now();
      sender = await startSender();
      await until(() => way.server.messages.length === 150);
      await isHeld(way, id);
      assert.equal(await writtenSince(id, next), 90, "only those who leave are written on the next day");
      assertAgree(await countTwice(bench, way.accountId, id));
      await sender.stop();
    });

  test("waits for its opening again where it closes once more, and goes when it is opened by hand", async () => {
    const way = await addWay(40);
    await close(way, "", noon + 10 * MINUTE_MS);
    const id = await launch(way, people(900, "gmail.com"));
    let sender = await startSender();
    await isHeld(way, id);
    await sender.stop();
    clock.moveTo(noon + 30 * MINUTE_MS);
    await bench.db.execute(sql`
      update provider_closings set closed_at = ${clock.now()}, until = ${new Date(noon + 90 * MINUTE_MS)}, placed = 0
      where account_id = ${way.accountId}`);
    sender = await startSender();
    await until(
      async () => ((await progressOf(way, id))?.held?.until.getTime() ?? 0) > noon + 90 * MINUTE_MS,
    );
    await isHeld(way, id);
    assert.equal(way.server.messages.length, 0);
    const { batches } = await bench.db.one<{ batches: number }>(
      sql`select max(n) as batches from batches where source_id = ${id}`,
    );
    await sleep(1_000);
    assert.deepEqual(
      { ...(await bench.db.one(sql`select max(n) as batches from batches where source_id = ${id}`)) },
      { batches },
      "no batch goes round",
    );
    await sender.stop();
    await bench.ctx((ctx) => reopenProvider(ctx, way.transportId, "google"), way.accountId);
    clock.moveTo(clock.now().getTime() + 20 * MINUTE_MS);
    sender = await startSender();
    await until(() => way.server.messages.length === 40);
    await sender.stop();
  });

  test("who was put off without an attempt is held with the others once the cap is used up", async () => {
    const way = await addWay(20);
    const id = await launch(way, people(100, "gmail.com"));
    await bench.db.execute(sql`update deliveries set state = 'deferred' where source_id = ${id}`);
    await bench.db.execute(sql`
      insert into retries (account_id, source_id, contact_id, due_at)
      select account_id, source_id, contact_id, ${clock.now()} from deliveries where source_id = ${id}`);
    await bench.db.execute(sql`delete from batches where source_id = ${id}`);
    const sender = await startSender();
    await until(() => way.server.messages.length === 20);
    await isHeld(way, id);
    assert.deepEqual((await progressOf(way, id))?.held?.providers, ["google"]);
    assert.deepEqual(await statesOf(id), { sent: 20, ready: 80 });
    const { count } = await bench.db.one<{ count: number }>(
      sql`select count(*) as count from retries where source_id = ${id}`,
    );
    assert.equal(count, 0);
    assertAgree(await countTwice(bench, way.accountId, id));
    await sender.stop();
  });

  test("complaints and bounces of days without sending count for the last day before, also where others were sent to", async () => {
    const way = await addWay(1_000);
    const { accountId, transportId } = way;
    const dayIn = (days: number) => new Date(noon + days * DAY_MS).toISOString().slice(0, 10);
    const sendOn = async (days: number, provider: string, count: number) => {
      const of = { accountId, transportId, day: dayIn(days) };
      await openDay(bench.db, of, [provider]);
      await drawFromDay(bench.db, of, { wanted: new Map([[provider, count]]), isUrgent: false });
    };
    const id = await launch(way, people(20, "yahoo.com"));
    await bench.db.execute(sql`
      insert into mail_flows (account_id, transport_id, from_domain, provider, created_at)
      select ${accountId}, ${transportId}, 'example.org', provider, ${clock.now()} from unnest('{yahoo,google}'::text[]) as provider`);
    const comesBack = (days: number, kind: string, count: number, provider = "yahoo") =>
      bench.db.execute(sql`
        insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at, flow_id)
        select d.account_id, d.source_id, ${kind}, d.contact_id, ${new Date(noon)}, ${new Date(noon + days * DAY_MS)}, m.id
        from deliveries d join mail_flows m on m.account_id = d.account_id and m.provider = ${provider}
        where d.source_id = ${id} and not exists (select from source_feedback f where f.contact_id = d.contact_id)
        order by d.contact_id limit ${count}`);
    const shown = async () => {
      const { providers } = await bench.ctx((ctx) => readWarmup(ctx, transportId), accountId);
      return Object.fromEntries(
        providers.map(({ provider, days }) => [
          provider,
          days.map((one) => [one.day, one.planned, one.hard_bounces, one.complaints]),
        ]),
      );
    };
    await sendOn(0, "yahoo", 800);
    await sendOn(0, "google", 800);
    await comesBack(0, "complaint", 1);
    await comesBack(1, "complaint", 1);
    await sendOn(2, "google", 800);
    await comesBack(3, "hard_bounce", 5);
    await comesBack(6, "complaint", 2);
    clock.moveTo(noon + 7 * DAY_MS);
    await sendOn(7, "yahoo", 10);
    await comesBack(7, "complaint", 3);
    assert.deepEqual((await shown())["yahoo"], [
      [dayIn(0), 1_000, 5, 4],
      [dayIn(7), 1_000, 0, null],
    ]);
    await sendOn(9, "yahoo", 10);
    await sendOn(9, "google", 10);
    const last = await shown();
    assert.deepEqual(last["yahoo"]?.[1], [dayIn(7), 1_000, 0, 3]);
    assert.deepEqual(
      last["google"]?.map(([, , , complaints]) => complaints),
      [null, null, null],
      "Gmail tells nobody who complained",
    );
  });

  test("retries that find the cap used up come after midnight, and not all at once", async () => {
    const dot = [...Array.from({ length: 10 }, () => "451 4.3.0 later"), "250 ok"];
    const way = await addWay(10, { dot });
    const id = await launch(way, people(10, "gmail.com"));
    const sender = await startSender();
    const waiting = () =>
      bench.db.many<{ due_at: Date }>(
        sql`select due_at from retries where source_id = ${id} and not claimed`,
      );
    const drawn = async () =>
      (
        await bench.db.one<{ drawn: number }>(
          sql`select drawn from transport_days where account_id = ${way.accountId}`,
        )
      ).drawn;
    await until(async () => (await waiting()).length === 10 && (await drawn()) === 0);
    await bench.db.execute(
      sql`update transport_days set drawn = allowed where account_id = ${way.accountId}`,
    );
    const midnight = noon + DAY_MS / 2;
    const late = async () => (await waiting()).filter(({ due_at: at }) => at.getTime() >= midnight);
    await until(async () => (await late()).length === 10);
    const due = (await late()).map(({ due_at: at }) => at.getTime() - midnight);
    assert.ok(new Set(due).size > 5 && Math.max(...due) < 15 * MINUTE_MS, `${due}`);
    await sender.stop();
  });

  test("domains of which nobody knows whose they are yet wait until that is known, so that the cap of their provider holds", async () => {
    const way = await addWay(10);
    const emails = Array.from({ length: 30 }, (_, n) => `somebody@firm${n}.net`);
    const domains = emails.map((email) => email.slice(email.indexOf("@") + 1));
    const id = await launch(way, emails);
    const sender = await startSender();
    const wanted = async () =>
      (await bench.db.many<{ name: string }>(sql`select name from wanted_domains`)).map(({ name }) => name);
    await until(async () => (await wanted()).length === emails.length);
    assert.deepEqual((await wanted()).sort(), [...domains].sort());
    // Half of them are answered, as by a job; of the others nobody answers, and they are nobody's after half a minute.
    const [google, silent] = [domains.slice(0, 15), domains.slice(15)];
    await bench.db.execute(sql`
      insert into recipient_domains (name, state, servers, looked_up_at, fresh_until)
      select name, 'mx', '{aspmx.l.google.com}', now(), now() + interval '8 days' from unnest(${google}::text[]) as name`);
    await bench.db.execute(sql`delete from wanted_domains where name = any(${google}::text[])`);
    const sentAt = (names: readonly string[]) => names.reduce((sum, name) => sum + sentTo(name, way), 0);
    await until(() => sentAt(google) === 10);
    assert.equal(sentAt(silent), 0);
    await until(() => sentAt(silent) === 10, 60_000);
    await isHeld(way, id);
    assert.deepEqual([sentAt(google), sentAt(silent)], [10, 10]);
    assertAgree(await countTwice(bench, way.accountId, id));
    await sender.stop();
  });
});
