/** What owners are told of an allowance: each part that is used up, once, by whomever it is found. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isLimited, leaseFromAllowance } from "../../src/delivery/allowance/allowance.ts";
import { readAllowance, tellLateThresholds, writeAllowance } from "../../src/delivery/delivery.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { type Bench, createBench } from "../support/delivery.ts";
import { addUsage } from "../support/usage.ts";

const DAY_MS = 24 * 3_600_000;
const DAY = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);

describe("an allowance", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench({ hasRelay: true });
    await bench.startJobs();
  });
  after(() => bench.stop());

  /** Allows so much in the 30 days from this one on. */
  const allow = (
    accountId: string,
    { mails = null, freeMails }: { mails?: number | null; freeMails: number },
  ) =>
    bench.ctx(
      (ctx) =>
        writeAllowance(ctx.sql, ctx.accountId, {
          timeZone: "UTC",
          periods: [
            {
              from: DAY,
              to: new Date(DAY.getTime() + 30 * DAY_MS),
              ...{ mails, dailyMails: null, freeMails, transactionalReserve: 0 },
            },
          ],
          now: clock.now(),
        }),
      accountId,
    );
  const toldOf = async (accountId: string) => {
    const rows = await bench.db.many<{ data: { percent: number; limit: number; stops: boolean } }>(sql`
      select data from events where account_id = ${accountId} and type = 'quota.threshold_reached' order by created_at, id`);
    return rows.map(
      ({ data: { percent, limit, stops } }) => `${percent} of ${limit}${stops ? "" : ", goes on"}`,
    );
  };
  const log = createLog({ level: "silent", pretty: false });
  const lookLate = () => tellLateThresholds({ db: bench.db, clock, log });

  test("that is none, where mails beyond those included are charged, is told of by the timer alone, and no lease asks for it", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { freeMails: 100 });
    await addUsage(bench.db, accountId, { [clock.now().toISOString()]: 85 });
    const granted = await leaseFromAllowance({ ...bench, clock }, { accountId, isTransactional: false }, [
      async (_tx, left) => {
        assert.equal(left, 500);
        return undefined;
      },
    ]);
    assert.deepEqual(granted, { lease: undefined, usedUp: undefined });
    const { limited } = await bench.db.one<{ limited: boolean }>(
      sql`select ${isLimited(sql`${accountId}::uuid`)} as limited`,
    );
    assert.deepEqual([limited, await readAllowance(bench.db, accountId, clock.now())], [false, undefined]);
    assert.deepEqual(await toldOf(accountId), []);
    await lookLate();
    await lookLate();
    assert.deepEqual(await toldOf(accountId), ["50 of 100, goes on", "80 of 100, goes on"]);
    // A limit that comes later counts what is leased from then on, and one that goes is forgotten.
    await allow(accountId, { mails: 90, freeMails: 90 });
    assert.equal((await readAllowance(bench.db, accountId, clock.now()))?.limits.mails, 90);
    await allow(accountId, { freeMails: 100 });
    assert.equal(await readAllowance(bench.db, accountId, clock.now()), undefined);
    await bench.db.execute(sql`delete from usage_hours where account_id = ${accountId}`);
  });

  test("is told of anew where it is another within the period, and once where it is as before", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 100, freeMails: 100 });
    await addUsage(bench.db, accountId, { [clock.now().toISOString()]: 100 });
    await lookLate();
    await allow(accountId, { mails: 190, freeMails: 190 });
    await lookLate();
    await addUsage(bench.db, accountId, { [clock.now().toISOString()]: 60 });
    await lookLate();
    await allow(accountId, { mails: 190, freeMails: 190 });
    await lookLate();
    assert.deepEqual(await toldOf(accountId), [
      "50 of 100",
      "80 of 100",
      "90 of 100",
      "100 of 100",
      "50 of 190",
      "80 of 190",
    ]);
    await bench.db.execute(sql`delete from usage_hours where account_id = ${accountId}`);
  });

  test("is told once when a part of it is used up, though fifty processes find it at once", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 1_000, freeMails: 1_000 });
    await addUsage(bench.db, accountId, { [clock.now().toISOString()]: 910 });
    // Each has a connection of its own, as a process has.
    const connections = Array.from({ length: 50 }, (_, n) =>
      createDb({
        connection: bench.url,
        poolSize: 1,
        applicationName: `sender ${n}`,
        log,
        statementTimeoutMs: 30_000,
      }),
    );
    const lookAll = () =>
      Promise.all(
        connections.map((db) =>
          leaseFromAllowance({ db, log, clock }, { accountId, isTransactional: false }, [
            async () => undefined,
          ]),
        ),
      );
    await lookAll();
    const told = () =>
      bench.db.many<{ percent: number; jobs: number }>(sql`
        select (data ->> 'percent')::int as percent from events
        where account_id = ${accountId} and type = 'quota.threshold_reached' order by 1`);
    assert.deepEqual(
      (await told()).map(({ percent }) => percent),
      [50, 80, 90],
    );
    await addUsage(bench.db, accountId, { [clock.now().toISOString()]: 90 });
    await lookAll();
    assert.deepEqual(
      (await told()).map(({ percent }) => percent),
      [50, 80, 90, 100],
    );
    await Promise.all(connections.map((db) => db.close()));
    await bench.db.execute(sql`delete from usage_hours where account_id = ${accountId}`);
  });
});
