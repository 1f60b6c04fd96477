/** Measures what 10 million people who wait cost: bytes of a run, a look at what is due, and a process that has nothing to do. */
import { setTimeout as sleep } from "node:timers/promises";
import { raw } from "sql-template-tag";
import { createAccount } from "../../src/accounts/accounts.ts";
import { startDates, startExecutor, startFeed, startSegments } from "../../src/automations/automations.ts";
import { findDue } from "../../src/automations/executing/run-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { createListener } from "../../src/platform/db/listen.ts";
import { createList } from "../../src/subscribers/subscribers.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { cpuMsOfFamily } from "../harness/meter.ts";
import { median, percentile99, spread } from "../harness/numbers.ts";
import { executorOn, log, openDb } from "./engine.ts";
import { inMs, judgeLimit } from "./limits.ts";
import { makeLive } from "./live.ts";

const RUNS = 10_000_000;
const ACCOUNTS = 10;
const AUTOMATIONS_EACH = 10;
const SLICE = 500_000;
const LOOKS = 200;
const ASKED = { bytes: 400, lookMs: 2, idleShare: 0.01 };
/** Ticks of processor time are of 10 ms, so a share of 1% needs some seconds to be seen. */
const IDLE_SECONDS = 20;
const WARM_UP_SECONDS = 5;

export async function* waitingFigures(setting: Setting): AsyncIterable<Result> {
  const { sizes, postgres, note } = setting;
  const runs = Math.round(RUNS * sizes.scale);
  const url = await postgres.createDatabase("bench_automations_waiting");
  const db = openDb(url);
  try {
    await makeAutomations(db);
    await fill(db, runs, note);
    yield await bytesOfRun(db, runs);
    yield await lookFigure(db, runs, "never analysed");
    await db.execute(sql`vacuum (analyze) automation_runs`);
    await db.execute(sql`alter table automation_runs reset (autovacuum_enabled)`);
    yield await lookFigure(db, runs, "analysed");
    yield await idleFigure(setting, url, db, runs);
  } finally {
    await db.close();
  }
}

const NODES = { wait: { type: "wait", for: "P30D", next: "end" }, end: { type: "end" } };

async function makeAutomations(db: Db): Promise<void> {
  for (let nth = 0; nth < ACCOUNTS; nth++) {
    const { account_id: accountId } = await db.transaction((tx) =>
      createAccount(tx, systemClock, { name: `Bench ${nth}` }),
    );
    const list = await db.transaction((tx) =>
      createList(systemCtx({ clock: systemClock, log }, tx, accountId), { name: "Bench" }),
    );
    for (let each = 0; each < AUTOMATIONS_EACH; each++)
      await makeLive(db, { accountId, listId: list.id }, NODES);
  }
}

type Index = { readonly name: string; readonly definition: string };

/**
 * Rows come in the order of their ids, and everything else is by chance. The indexes whose keys are by chance are built afterwards, as full as
 * inserts one by one would leave them: a page that is split by chance is 70% full.
 */
async function fill(db: Db, runs: number, note: (text: string) => void): Promise<void> {
  const indexes = await db.many<Index>(sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = 'automation_runs'::regclass and not indisprimary`);
  await db.execute(sql`alter table automation_runs set (autovacuum_enabled = off)`);
  for (const { name } of indexes) await db.execute(raw(`drop index ${name}`));
  for (let from = 0; from < runs; from += SLICE) {
    await db.execute(sql`
      with automation as materialized (
        select account_id, id, row_number() over (order by id) - 1 as nth from automations)
      insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, visit, woken_by, entered_at,
        arrived_at, due_at)
      select a.account_id, a.id, uuidv7(), gen_random_uuid(), 1, 'wait', 2, 'time', now(), now(),
             now() + interval '1 day' + random() * interval '29 days'
      from generate_series(1, ${Math.min(SLICE, runs - from)}::int) as n
      join automation a on a.nth = n % ${ACCOUNTS * AUTOMATIONS_EACH}::int`);
    note(`waiting: ${Math.min(from + SLICE, runs)} of ${runs} runs`);
  }
  for (const { name, definition } of indexes) {
    await db.transaction(async (tx) => {
      tx.send(sql`set local maintenance_work_mem = '1GB'`);
      await tx.execute(raw(definition.replace(" WHERE ", " with (fillfactor = 70) WHERE ")));
    });
    note(`waiting: ${name} is built`);
  }
  await db.execute(sql`checkpoint`);
}

async function bytesOfRun(db: Db, runs: number): Promise<Result> {
  const parts = await db.many<{ name: string; bytes: number }>(sql`
    select 'table' as name, pg_table_size('automation_runs') as bytes
    union all select indexrelid::regclass::text, pg_relation_size(indexrelid) from pg_index
    where indrelid = 'automation_runs'::regclass`);
  const each = parts.map(({ name, bytes }) => `${name} ${Math.round(bytes / runs)}`);
  const all = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  return judgeLimit(
    `bytes of a waiting run, of ${runs}`,
    all / runs,
    ASKED.bytes,
    (bytes) => `${Math.round(bytes)} bytes`,
    [each.join(", ")],
  );
}

/** A look asks for what is due in every live automation. */
async function lookFigure(db: Db, runs: number, when: string): Promise<Result> {
  const times: number[] = [];
  for (let turn = 0; turn < LOOKS; turn++) {
    const startedMs = performance.now();
    const due = await findDue(db, new Date());
    times.push(performance.now() - startedMs);
    if (due.length > 0) throw new Error("somebody is due who must not be");
  }
  return judgeLimit(
    `a look at ${ACCOUNTS * AUTOMATIONS_EACH} automations with ${runs} waiting, ${when}`,
    median(times),
    ASKED.lookMs,
    inMs,
    [`each of ${LOOKS} ${spread(times, inMs)}, p99 ${inMs(percentile99(times))}`],
  );
}

/**
 * The executor, the feed and the looks for dates and segments run in this process, which does nothing else meanwhile. The executor alone is told apart,
 * since the others cost the same with nobody waiting.
 */
async function idleFigure({ postgres }: Setting, url: string, db: Db, runs: number): Promise<Result> {
  const tools = executorOn(db);
  const listener = createListener(url, log);
  const restMs = await spentMs(postgres.pid);
  const executor = startExecutor({ ...tools, listener });
  const executorMs = await spentMs(postgres.pid);
  const others = [startFeed(tools), startDates(tools), startSegments(tools)];
  const allMs = await spentMs(postgres.pid);
  for (const one of [executor, ...others]) await one.stop();
  await listener.stop();
  const share = (ms: number) => (ms - restMs) / (IDLE_SECONDS * 1_000);
  const percent = (value: number) => `${(value * 100).toFixed(2)}% of a core`;
  return judgeLimit(`idle with ${runs} waiting`, share(allMs), ASKED.idleShare, percent, [
    `of it the executor ${percent(share(executorMs))}; at rest PostgreSQL and Node spend ${restMs.toFixed(0)} ms in ${IDLE_SECONDS} s, which are taken off`,
  ]);
}

/** The processor time that PostgreSQL and this process spend in so many seconds. What is compiled by the first looks is no part of it. */
async function spentMs(postgresPid: number): Promise<number> {
  await sleep(WARM_UP_SECONDS * 1_000);
  const read = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + (cpuMsOfFamily(postgresPid) ?? Number.NaN);
  };
  const before = read();
  await sleep(IDLE_SECONDS * 1_000);
  return read() - before;
}
