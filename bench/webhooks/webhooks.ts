/** Measures how fast events are posted to endpoints, whether a dead or slow one delays others, and what a long backlog takes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { judgeContest } from "../harness/compare.ts";
import { measure, type Sample } from "../harness/meter.ts";
import { median, rate, spread } from "../harness/numbers.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { type FilledDatabase, fillDatabase, type Service, startService } from "../send/service.ts";

const EVENTS = 10_000;
const HEALTHY = 8;
const CONNECTIONS = 8;
const SILENT = -1;
const SLOW_MS = 2_000;
const ASKED_RATIO = 0.5;
/** The eight complete within a tenth more time beside the two than without them. */
const ASKED_SHARE = 1 / 1.1;
const ASKED_MS = 200;
const IDLE_EVENTS = 60;
const ASKED_MEGABYTES = 64;
/** The garbage of such work is collected about every 40 s. */
const WATCHED_SECONDS = 60;
const LOOK_EVERY_MS = 200;

export const webhooksBench: Bench = {
  name: "webhooks",
  summary: "10,000 events posted to ten endpoints, one dead and one slow, against a bare undici loop",
  parts: ["rate", "idle", "backlog"],
  async *run(setting) {
    const database = await fillDatabase(setting, "webhooks", 100);
    const env = { ...database.env, INTERNAL_HOSTS: "127.0.0.1" };
    const service = await startService({ ...database, env }, { roles: "api,jobs" });
    const delays = [...Array<number>(HEALTHY).fill(0), SILENT, SLOW_MS];
    const file = join(import.meta.dirname, "receiver-process.ts");
    const receiver = startProgram({ file, args: delays.map(String), cwd: setting.folder });
    try {
      const ports = await receiver.hear((said) => (said as { ports?: number[] }).ports);
      const bed = { setting, database, service, receiver, ports };
      if (setting.part !== "rate" && setting.part !== "backlog") yield await measureIdle(bed);
      if (setting.part !== "idle" && setting.part !== "backlog") yield* measureRates(bed);
      if (setting.part !== "idle" && setting.part !== "rate") yield await measureBacklog(bed);
    } finally {
      await Promise.all([service.program.stop(), receiver.stop()]);
    }
  },
};

type Bed = {
  readonly setting: Setting;
  readonly database: FilledDatabase;
  readonly service: Service;
  readonly receiver: Program;
  readonly ports: readonly number[];
};

async function addHooks({ service }: Bed, ports: readonly number[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const port of ports) {
    const body = { url: `http://127.0.0.1:${port}/hooks`, events: ["list.updated"] };
    ids.push((await service.ask("POST", "/webhooks", body)).id);
  }
  return ids;
}

/** Removes them, and waits until their log of deliveries is gone too, so that this slows nothing that is measured. */
async function removeHooks({ service, database }: Bed, ids: readonly string[]): Promise<void> {
  for (const id of ids) await service.ask("DELETE", `/webhooks/${id}`);
  const isEmpty = async () => (await database.query("select from webhook_deliveries limit 1")).length === 0;
  while (!(await isEmpty())) await sleep(LOOK_EVERY_MS);
}

/** All of them are committed at once. */
async function writeEvents({ database }: Bed, count: number): Promise<void> {
  await database.query(`
    insert into events (account_id, id, xid, type, created_at, actor_kind, actor_id, data)
    select account_id, gen_random_uuid(), coalesce((select event_offset from instance), 0) + pg_current_xact_id()::text::bigint,
           'list.updated', now(), 'system', null, jsonb_build_object('count', n)
    from accounts cross join generate_series(1, ${count}) as n`);
}

async function expect({ receiver }: Bed, count: number): Promise<void> {
  const isCounting = receiver.hear((said) => (said as { counting?: number }).counting);
  receiver.tell(count);
  await isCounting;
}

/** Returns the seconds from the commit of the events until each of the eight has all of them. */
async function runEight(bed: Bed): Promise<number> {
  await expect(bed, EVENTS);
  const left = new Set(Array.from({ length: HEALTHY }, (_, at) => at));
  let lastMs = 0;
  const done = bed.receiver.hear((said) => {
    const { done: at, atMs } = said as { done?: number; atMs?: number };
    if (at === undefined || atMs === undefined) return undefined;
    if (left.delete(at)) lastMs = Math.max(lastMs, atMs);
    return left.size === 0 ? true : undefined;
  });
  await writeEvents(bed, EVENTS);
  const startedMs = Date.now();
  await done;
  return (lastMs - startedMs) / 1_000;
}

type Way = "alone" | "beside";

/** Measures the eight once, each time with tables that were tidied, so that no vacuum of what came before falls into it. */
async function measureEight(bed: Bed, way: Way): Promise<Sample> {
  await bed.database.query("vacuum webhooks, webhook_deliveries, events");
  const added = await addHooks(bed, way === "beside" ? bed.ports : bed.ports.slice(0, HEALTHY));
  const sample = await measure(bed.setting.postgres, bed.service.program.pid, async () => {
    return { units: EVENTS * HEALTHY, seconds: await runEight(bed) };
  });
  await removeHooks(bed, added);
  return sample;
}

/** In each round both ways are measured twice, in the order of a mirror: so what changes slowly changes both alike. */
const ORDER: readonly Way[] = ["alone", "beside", "beside", "alone"];

async function* measureRates(bed: Bed): AsyncIterable<Result> {
  const { setting, ports } = bed;
  const file = join(import.meta.dirname, "../reference/bare-undici.ts");
  const args = [EVENTS, CONNECTIONS, ...ports.slice(0, HEALTHY)].map(String);
  const reference = startProgram({ file, args, cwd: setting.folder });
  const samples = { alone: [] as Sample[], beside: [] as Sample[], bare: [] as Sample[] };
  const measureBare = () =>
    measure(setting.postgres, reference.pid, async () => {
      const seconds = reference.hear((said) => (said as { seconds?: number }).seconds);
      reference.tell(0);
      return { units: EVENTS * HEALTHY, seconds: await seconds };
    });
  try {
    await reference.hear((said) => (said as { ready?: boolean }).ready);
    for (let round = 1; round <= setting.sizes.rounds; round++) {
      const bare = await measureBare();
      const both = { alone: [] as Sample[], beside: [] as Sample[] };
      for (const way of ORDER) both[way].push(await measureEight(bed, way));
      samples.bare.push(bare);
      samples.alone.push(meanOf(both.alone));
      samples.beside.push(meanOf(both.beside));
      const rates = [both.alone, both.beside, [bare]].map((some) => some.map((one) => rate(one.perSecond)));
      const [alone, beside, undici] = rates.map((some) => some.join(" and "));
      setting.note(
        `round ${round} of ${setting.sizes.rounds}: eight alone ${alone}, beside a dead and a slow one ${beside}, undici ${undici}`,
      );
    }
  } finally {
    await reference.stop();
  }
  yield judgeContest(
    { name: "deliveries to eight endpoints, against bare undici", unit: "delivery", asked: ASKED_RATIO },
    { ours: samples.alone, reference: samples.bare },
  );
  yield judgeContest(
    {
      name: "deliveries to the eight beside a dead and a slow endpoint, against the eight alone",
      unit: "delivery",
      asked: ASKED_SHARE,
    },
    { ours: samples.beside, reference: samples.alone },
  );
}

/** The rate is that of both runs together, and not the mean of their rates. */
function meanOf(some: readonly Sample[]): Sample {
  const mean = (of: (one: Sample) => number | null) =>
    some.reduce((sum, one) => sum + (of(one) ?? Number.NaN), 0) / some.length;
  return {
    perSecond: 1 / mean((one) => 1 / one.perSecond),
    serverCpuMs: mean((one) => one.serverCpuMs),
    databaseCpuMs: mean((one) => one.databaseCpuMs),
    walBytes: mean((one) => one.walBytes),
  };
}

async function measureIdle(bed: Bed): Promise<Result> {
  const ids = await addHooks(bed, bed.ports.slice(0, 1));
  const times: number[] = [];
  for (let nth = 0; nth < IDLE_EVENTS; nth++) {
    await expect(bed, 1);
    const came = bed.receiver.hear((said) => (said as { atMs?: number }).atMs);
    await writeEvents(bed, 1);
    const committedMs = Date.now();
    times.push(Math.max(0, (await came) - committedMs));
  }
  await removeHooks(bed, ids);
  const ours = median(times);
  const name = "from the commit of an event to its post, idle";
  return {
    figure: { name, ours, reference: null, ratio: null, asked: ASKED_MS, ok: ours <= ASKED_MS },
    unit: "ms",
    headline: `p50 ${ours.toFixed(0)} ms, asked ≤ ${ASKED_MS} ms`,
    details: [spread(times, (ms) => `${ms.toFixed(0)} ms`)],
  };
}

async function measureBacklog(bed: Bed): Promise<Result> {
  const { sizes, note } = bed.setting;
  const ids = await addHooks(bed, bed.ports.slice(0, 1));
  // A process that is busy grows until its garbage is collected, whatever waits. So it is as busy with a short backlog before.
  let isShort = true;
  const short = (async () => {
    while (isShort) {
      await expect(bed, EVENTS);
      const came = bed.receiver.hear((said) => (said as { atMs?: number }).atMs);
      await writeEvents(bed, EVENTS);
      await came;
    }
  })();
  const busy = await watchMemory(bed);
  isShort = false;
  await short;
  const before = Math.max(...busy);
  note(`memory in MB with a short backlog, each second: ${busy.join(" ")}`);
  await writeEvents(bed, sizes.rows);
  const seen = await watchMemory(bed);
  note(`memory in MB with the long one, each second: ${seen.join(" ")}`);
  const left = await countWaiting(bed);
  await removeHooks(bed, ids);
  const grown = Math.max(...seen) - before;
  const name = `memory beyond ${before} MB with a backlog of ${sizes.rows.toLocaleString("en-GB")}`;
  return {
    figure: {
      name,
      ours: grown,
      reference: null,
      ratio: null,
      asked: ASKED_MEGABYTES,
      ok: grown <= ASKED_MEGABYTES,
    },
    unit: "MB",
    headline: `${grown} MB, asked ≤ ${ASKED_MEGABYTES} MB`,
    details: [
      `resident at most ${Math.max(...seen)} MB in ${WATCHED_SECONDS} s, ${seen.at(-1)} MB at the end, when ` +
        `${left.toLocaleString("en-GB")} still waited`,
    ],
  };
}

/** Counts what the only endpoint has yet to get. */
async function countWaiting({ database }: Bed): Promise<number> {
  const [row] = await database.query(`
    select count(*)::int as waiting from events e join webhooks w on w.account_id = e.account_id
    where e.type = 'list.updated' and (e.xid, e.id) > (w.xid, w.event_id)`);
  return Number(row?.["waiting"]);
}

async function watchMemory({ service }: Bed): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let second = 0; second < WATCHED_SECONDS; second++) {
    await sleep(1_000);
    seen.push(residentMegabytes(service.program.pid));
  }
  return seen;
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}
