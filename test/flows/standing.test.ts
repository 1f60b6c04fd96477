/** The standing of accounts: by what of their mail bounced or was complained about within a week, they are warned or stopped. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findHolds } from "../../src/accounts/accounts.ts";
import {
  INSTANCE_TRANSPORT,
  judgeAccounts,
  releaseStanding,
  SANDBOX_TRANSPORT,
} from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Bench, createBench, people } from "../support/delivery.ts";
import { startRelay } from "../support/smtp/relay.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("the standing of accounts", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench({ hasRelay: true });
  });
  after(() => bench.stop());

  type Past = { sent?: number; failed?: number; hard?: number; complaints?: number; later?: number };

  /** Writes what became of a source's mail so long ago, as the counters by time have it. */
  async function addPast(accountId: string, past: Past, agoMs = HOUR_MS, transportId = INSTANCE_TRANSPORT) {
    const sourceId = newId(bench.clock);
    const at = new Date(Date.now() - agoMs);
    await bench.db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, is_given, on_ambiguous, launched_at, ended_at)
      values (${accountId}, ${sourceId}, ${sourceId}, 'campaign', ${transportId}, 'finished', ${sourceId}, false, 'resend', ${at}, ${at})`);
    const { sent = 0, failed = 0, hard = 0, complaints = 0, later = 0 } = past;
    for (const [what, count] of [
      ["sent", sent],
      ["failed", failed],
      ["bounce.hard", hard],
    ] as const)
      await bench.db.execute(sql`
        insert into counters_by_time (account_id, source_id, worker_id, what, at, count)
        values (${accountId}, ${sourceId}, ${sourceId}, ${what}, date_bin('15 minutes', ${at}, 'epoch'), ${count})`);
    for (const [kind, count] of [
      ["complaint", complaints],
      ["hard_bounce", later],
    ] as const)
      await bench.db.execute(sql`
        insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at, item_id)
        select ${accountId}, ${sourceId}, ${kind}, gen_random_uuid(), ${at}, ${at}, gen_random_uuid() from generate_series(1, ${count}::int)`);
  }
  const judge = () => judgeAccounts({ db: bench.db, clock: bench.clock, log: bench.log });
  async function standingOf(accountId: string): Promise<string> {
    const alert = await bench.db.maybeOne<{ severity: string }>(
      sql`select severity from alerts where account_id = ${accountId} and kind = 'standing' and status <> 'closed'`,
    );
    const holds = await findHolds(bench.db, accountId);
    assert.ok(holds.every(({ kind }) => kind === "standing"));
    assert.equal(holds.length > 0, alert?.severity === "critical");
    return alert ? alert.severity : "fine";
  }

  it("of the only account of an instance is judged by nobody", async () => {
    await addPast(bench.accountId, { sent: 100, failed: 100, hard: 100, complaints: 50 });
    await judge();
    assert.equal(await standingOf(bench.accountId), "fine");
    await bench.db.execute(sql`update sources set ended_at = ${new Date(Date.now() - 9 * DAY_MS)}`);
    await bench.addAccount({ isNew: true });
  });

  it("is told from the counts, exactly at the edges", async () => {
    const cases: readonly [Past, string][] = [
      [{ sent: 50, failed: 49, hard: 49 }, "fine"],
      [{ sent: 96, failed: 4, hard: 4 }, "fine"],
      [{ sent: 95, failed: 5, hard: 5 }, "warning"],
      [{ sent: 91, failed: 9, hard: 9 }, "warning"],
      [{ sent: 90, failed: 10, hard: 10 }, "critical"],
      [{ sent: 100, later: 10 }, "critical"],
      [{ sent: 96, failed: 4, hard: 4, later: 6 }, "critical"],
      [{ sent: 2_001, complaints: 6 }, "warning"],
      [{ sent: 2_000, complaints: 6 }, "critical"],
      [{ sent: 2_000, complaints: 3 }, "warning"],
      [{ sent: 2_001, complaints: 3 }, "fine"],
      [{ sent: 100, complaints: 2 }, "fine"],
    ];
    const accounts = await Promise.all(cases.map(() => bench.addAccount({ isNew: true })));
    await Promise.all(cases.map(([past], n) => addPast(accounts[n] as string, past)));
    await judge();
    await judge();
    for (const [n, [past, expected]] of cases.entries())
      assert.equal(await standingOf(accounts[n] as string), expected, JSON.stringify(past));
    const told = await bench.db.many(sql`select from events where type = 'alert.opened'`);
    assert.equal(
      told.length,
      cases.filter(([, standing]) => standing !== "fine").length,
      "each is told once",
    );
  });

  it("counts all sources of seven days together, and nothing that is older, or stayed in the sandbox", async () => {
    const [several, old, tried] = [
      await bench.addAccount({ isNew: true }),
      await bench.addAccount({ isNew: true }),
      await bench.addAccount({ isNew: true }),
    ];
    await addPast(several, { sent: 60, failed: 6, hard: 6 });
    await addPast(several, { sent: 30, failed: 4, hard: 4 }, 6 * DAY_MS);
    await addPast(old, { sent: 60, failed: 60, hard: 60 }, 7 * DAY_MS + HOUR_MS);
    await addPast(tried, { sent: 60, failed: 60, hard: 60 }, HOUR_MS, SANDBOX_TRANSPORT);
    await judge();
    assert.deepEqual(
      [await standingOf(several), await standingOf(old), await standingOf(tried)],
      ["critical", "fine", "fine"],
    );
  });

  it("is fine again without anybody's help where it was only warned of, and the day of the warning isn't clean", async () => {
    const accountId = await bench.addAccount({ isNew: true });
    await bench.db.execute(sql`
      insert into account_days (account_id, day, allowed, drawn) values (${accountId}, ${bench.clock.now()}::date, 200, 100)`);
    await addPast(accountId, { sent: 93, failed: 7, hard: 7 });
    await judge();
    assert.equal(await standingOf(accountId), "warning");
    const { is_warned } = await bench.db.one<{ is_warned: boolean }>(
      sql`select is_warned from account_days where account_id = ${accountId}`,
    );
    assert.equal(is_warned, true);
    await addPast(accountId, { sent: 100 });
    await judge();
    assert.equal(await standingOf(accountId), "fine");
  });

  it("stays stopped until an operator lets it go on, and then counts anew", async () => {
    const accountId = await bench.addAccount({ isNew: true });
    await addPast(accountId, { sent: 80, failed: 20, hard: 20 });
    await judge();
    assert.equal(await standingOf(accountId), "critical");
    await addPast(accountId, { sent: 1_000 });
    await judge();
    assert.equal(await standingOf(accountId), "critical", "more mail doesn't end it");
    assert.equal(await bench.ctx((ctx) => releaseStanding(ctx), accountId), true);
    assert.equal(await bench.ctx((ctx) => releaseStanding(ctx), accountId), false);
    await judge();
    assert.equal(await standingOf(accountId), "fine");
    await addPast(accountId, { sent: 80, failed: 20, hard: 20 }, -HOUR_MS);
    await judge();
    assert.equal(await standingOf(accountId), "critical");
  });

  it("stops mail that is on its way, which goes on after the release, and nobody is lost", async () => {
    const relay = await startRelay({
      hideSTARTTLS: true,
      authOptional: true,
      onRcptTo({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) {
        if (Number(/(\d+)@/.exec(address)?.[1]) % 8 !== 0) return done();
        done(Object.assign(new Error("5.1.1 User unknown"), { responseCode: 550 }));
      },
    });
    try {
      await bench.startJobs();
      await bench.startSender(undefined, { relay: { host: "127.0.0.1", port: relay.port } });
      const launch = async (count: number) => {
        const listId = await bench.addList();
        await bench.addSubscribers(people(count), listId);
        return bench.launch({ audience: { listId, segmentId: null } });
      };
      const first = await launch(160);
      await until(() => bench.ended.has(first));
      await judge();
      assert.equal(await standingOf(bench.accountId), "critical");
      const before = relay.received.length;
      const held = await launch(40);
      await judge();
      assert.equal(relay.received.length, before);
      await bench.ctx((ctx) => releaseStanding(ctx));
      await until(() => bench.ended.has(held));
      const { sent, failed } = await bench.counts(held);
      assert.equal(sent + failed, 40);
    } finally {
      await relay.close();
    }
  });
});
