/**
 * Measures the time from `send` to the first leased rows for any size of list, how fast the ledger is written, and
 * whether counts stay cheap.
 */
import { join } from "node:path";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import {
  deliveryJobs,
  launchSource,
  ledgerPartitions,
  readCounts,
  readProgress,
  startSenders,
} from "../../src/delivery/delivery.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { maintainPartitions } from "../../src/platform/db/partitions.ts";
import { fromPublicId, newId } from "../../src/platform/ids.ts";
import { startJobRunner } from "../../src/platform/jobs/runner.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure } from "../harness/meter.ts";
import { median, share, spread } from "../harness/numbers.ts";
import { bareInsertSelect } from "../reference/bare-insert-select.ts";
import { generate } from "../subscribers/generate.ts";

const SMALL = 10_000;
const ASKED_FIRST_SECONDS = 1;
const ASKED_PLANNING = 0.6;
/** The cost counts as flat if the large source costs at most half as much again. */
const ASKED_FLAT = 0.67;
const LAUNCHES = 5;
const READS = 200;
const SECRET_KEY = "a secret key of the bench with 32 characters or more";

export const planBench: Bench = {
  name: "plan",
  summary:
    "from send to the first rows leased, planning against insert … select, counts at 10 thousand and at a million",
  async *run(setting) {
    const small = await fill(setting, "plan_small", SMALL);
    const large = await fill(setting, "plan_large", setting.sizes.rows);
    try {
      yield await firstRows(setting, small);
      yield await firstRows(setting, large);
      yield await planning(setting, large);
      for (const result of await flatness(small, large)) yield result;
    } finally {
      await small.db.close();
      await large.db.close();
    }
  },
};

const owner = campaignOwner;
const waysOut = { secrets: createSecrets([SECRET_KEY]), relay: undefined, internalHosts: [] };

type FilledDatabase = {
  readonly url: string;
  readonly db: Db;
  readonly accountId: string;
  readonly listId: string;
  readonly rows: number;
};

const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const clock = systemClock;

async function fill(setting: Setting, name: string, rows: number): Promise<FilledDatabase> {
  const url = await setting.postgres.createDatabase(`bench_${name}`);
  const env = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: join(setting.folder, name) };
  const generated = await generate(env, rows, setting.note);
  const db = createDb({
    connection: url,
    poolSize: 12,
    applicationName: "bench",
    log,
    statementTimeoutMs: 60_000,
  });
  await maintainPartitions(db, clock, ledgerPartitions, log);
  await db.execute(sql`vacuum subscribers`);
  const { account_id: accountId } = await db.one<{ account_id: string }>(
    sql`select account_id from accounts`,
  );
  return { url, db, accountId, listId: fromPublicId("lst", generated.listId) ?? "", rows };
}

function launch({ db, accountId, listId }: FilledDatabase, id = newId(clock)): Promise<string> {
  return db.transaction(async (tx) => {
    const ctx = { sql: tx, accountId, actor: { kind: "system", id: null } as const, clock, log };
    await launchSource(ctx, {
      ownerId: id,
      stream: "campaign",
      audience: { listId, segmentId: null },
      // Another one each time, so that each is prepared.
      revisionId: id,
      onAmbiguous: "resend",
      hasInstanceServer: false,
      isSandbox: true,
      ownHost: undefined,
    });
    return id;
  });
}

async function removeAll({ db }: FilledDatabase): Promise<void> {
  await db.execute(sql`delete from runnable`);
  await db.execute(
    sql`truncate sources, plans, batches, deliveries, retries, delivery_errors, counters, rates cascade`,
  );
}

/** Measures until a sender has leased rows, read them, and asks for their messages. */
async function firstRows({ note }: Setting, database: FilledDatabase): Promise<Result> {
  const { db, url } = database;
  const listener = createListener(url, log);
  const asked = new Map<string, (atMs: number) => void>();
  const runner = await startJobRunner({
    connection: url,
    db,
    clock,
    log,
    jobs: deliveryJobs({ owner, ...waysOut }),
    concurrency: 4,
    onFinished: () => undefined,
  });
  const sender = await startSenders({
    db,
    clock,
    log,
    listener,
    ...waysOut,
    owner,
    composer: {
      async prepare(_accountId, id) {
        asked.get(id)?.(performance.now());
        return {
          needsTags: false,
          compose: async (_sourceId, recipients) => recipients.map(() => ({ ok: false, reason: "measured" })),
        };
      },
    },
  });
  const seconds: number[] = [];
  try {
    for (let turn = 0; turn < LAUNCHES; turn++) {
      const { promise, resolve } = Promise.withResolvers<number>();
      const id = newId(clock);
      asked.set(id, resolve);
      const startedMs = performance.now();
      await launch(database, id);
      seconds.push(((await promise) - startedMs) / 1_000);
      note(`first rows of ${database.rows}: ${seconds.at(-1)?.toFixed(3)} s`);
      await db.transaction(async (tx) => {
        await tx.execute(sql`update sources set state = 'canceled' where id = ${id}`);
        await tx.execute(sql`delete from runnable where source_id = ${id}`);
      });
    }
  } finally {
    await sender.stop(5_000);
    await runner.stop(5_000);
    await listener.stop();
  }
  await removeAll(database);
  const ours = median(seconds);
  return {
    figure: {
      name: `first rows leased after send, ${database.rows} subscribers`,
      ours,
      reference: null,
      ratio: null,
      asked: ASKED_FIRST_SECONDS,
      ok: ours <= ASKED_FIRST_SECONDS,
    },
    unit: "s",
    headline: `ours ${ours.toFixed(3)} s, asked ≤ ${ASKED_FIRST_SECONDS} s`,
    details: [`each of ${LAUNCHES} ${spread(seconds, (one) => `${one.toFixed(3)} s`)}`],
  };
}

async function planning(setting: Setting, database: FilledDatabase): Promise<Result> {
  const { postgres } = setting;
  const contest: Contest = {
    name: `plan an audience of ${database.rows} subscribers`,
    unit: "row",
    asked: ASKED_PLANNING,
    ours: async () => {
      await removeAll(database);
      return measure(postgres, process.pid, async () => {
        const startedMs = performance.now();
        const id = await launch(database);
        while (await planSlice({ db: database.db, clock, log, owner }, database.accountId, id));
        const seconds = (performance.now() - startedMs) / 1_000;
        const { recipients } = await readCounts(database.db, database.accountId, id);
        return { units: recipients, seconds };
      });
    },
    reference: () =>
      measure(postgres, process.pid, async () => {
        const ids = { accountId: database.accountId, listId: database.listId, sourceId: newId(clock) };
        const { rows, seconds } = await bareInsertSelect(database.url, ids);
        return { units: rows, seconds };
      }),
  };
  return judgeContest(contest, await runInTurns(contest, setting));
}

/** Plans both sources, and writes the counters of eight workers that have sent all but a hundred. */
async function flatness(small: FilledDatabase, large: FilledDatabase): Promise<Result[]> {
  const planned: { db: Db; accountId: string; id: string }[] = [];
  for (const database of [small, large]) {
    const { db, accountId } = database;
    await removeAll(database);
    const id = await launch(database);
    while (await planSlice({ db, clock, log, owner }, accountId, id));
    await db.execute(sql`
      insert into counters (account_id, source_id, worker_id, what, count)
      select ${accountId}, ${id}, gen_random_uuid(), what, ${Math.floor(database.rows / 40)}
      from generate_series(1, 8), unnest(array['sent', 'failed', 'bounce.hard', 'skipped.unsubscribed']) as what`);
    await db.execute(sql`analyze counters, batches, plans, sources, retries`);
    // The writes that a million new rows leave for later aren't the cost of a count, so they are done first.
    await db.execute(sql`checkpoint`);
    planned.push({ db, accountId, id });
  }
  const measured = planned.map(() => ({ counts: [] as number[], progress: [] as number[] }));
  for (let turn = 0; turn < READS; turn++) {
    for (const [index, { db, accountId, id }] of planned.entries()) {
      measured[index]?.counts.push(await timeOne(() => readCounts(db, accountId, id)));
      measured[index]?.progress.push(await timeOne(() => readProgress(db, accountId, [id], new Date())));
    }
  }
  const [atSmall, atLarge] = measured;
  if (!atSmall || !atLarge) throw new Error("nothing was measured");
  return (["counts", "progress"] as const).map((what) => {
    const [ours, reference] = [median(atLarge[what]), median(atSmall[what])];
    const ratio = reference / ours;
    const name = `${what} of a source, ${large.rows} recipients against ${small.rows}`;
    const show = (ms: number) => `${ms.toFixed(2)} ms`;
    return {
      figure: { name, ours, reference, ratio, asked: ASKED_FLAT, ok: ratio >= ASKED_FLAT },
      unit: "ms",
      headline: `ours ${show(ours)}, at the small one ${show(reference)}, ratio ${share(ratio)}, asked ≥ ${share(ASKED_FLAT)}`,
      details: [`large ${spread(atLarge[what], show)}`, `small ${spread(atSmall[what], show)}`],
    };
  });
}

async function timeOne(read: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await read();
  return performance.now() - startedMs;
}
