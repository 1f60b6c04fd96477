/** A million hits on one link: they must become few rows, and cost no memory. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../../src/platform/db/db.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { runLoad, warmUp } from "../harness/load.ts";
import { rate } from "../harness/numbers.ts";
import type { Program } from "../harness/program.ts";
import { startService } from "../harness/service.ts";
import { clicksOn } from "./clicks.ts";
import { makeLinks, withDb } from "./mail-links.ts";

const HITS = 1_000_000;
const LONGEST_SECONDS = 60;
const COUNTED_WITHIN_MS = 180_000;
/** The process that answers must not grow by more than this, and what it stores must be less than a row for ten hits. */
const MOST_MORE_MB = 100;
const HITS_A_ROW = 10;

export async function* floodFigures(setting: Setting): AsyncIterable<Result> {
  const databaseUrl = await setting.postgres.createDatabase("bench_flood");
  const paths = await makeLinks(databaseUrl, 1);
  const programs: Program[] = [];
  try {
    const { program, port } = await startService({ databaseUrl, folder: setting.folder, roles: "public" });
    programs.push(program);
    const load = clicksOn(port, paths);
    await warmUp(load);
    const warmMb = residentMb(program.pid);
    const before = await readStored(databaseUrl);
    let [hits, seconds] = [0, 0];
    let mostMb = warmMb;
    while (hits < HITS && seconds < LONGEST_SECONDS) {
      const work = await runLoad(load, 1);
      hits += work.units;
      seconds += work.seconds;
      mostMb = Math.max(mostMb, residentMb(program.pid));
    }
    const stored = await readStored(databaseUrl);
    const rows = stored.rows - before.rows;
    const speed = `${hits.toLocaleString("en-GB")} hits in ${seconds.toFixed(0)} s, ${rate(hits / seconds)}`;
    yield atMostResult("a million hits on one link: rows stored", rows, hits / HITS_A_ROW, "rows", [
      speed,
      `${(hits / rows).toFixed(0)} hits a row in the inbox`,
    ]);
    const memory = [`${warmMb.toFixed(0)} MB after the warm-up, ${mostMb.toFixed(0)} MB at most`];
    yield atMostResult(
      "a million hits on one link: more memory",
      mostMb - warmMb,
      MOST_MORE_MB,
      "MB",
      memory,
    );
    programs.push((await startService({ databaseUrl, folder: setting.folder, roles: "jobs" })).program);
    const counted = await untilCounted(databaseUrl);
    yield atMostResult(
      "a million hits on one link: hits counted wrongly",
      Math.abs(counted.hits - stored.hits),
      0,
      "hits",
      [`${counted.rows} rows are left of them, one for each minute and kind`],
    );
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

type Stored = { readonly rows: number; readonly hits: number };

function readStored(databaseUrl: string): Promise<Stored> {
  return withDb(databaseUrl, (db) =>
    db.one<Stored>(sql`select count(*)::int as rows, coalesce(sum(times), 0)::int as hits from hits`),
  );
}

async function untilCounted(databaseUrl: string): Promise<Stored> {
  const untilMs = performance.now() + COUNTED_WITHIN_MS;
  while ((await readStored(databaseUrl)).rows > 0) {
    if (performance.now() > untilMs) throw new Error("the hits aren't counted");
    await sleep(500);
  }
  return withDb(databaseUrl, (db) =>
    db.one<Stored>(sql`
      select count(*)::int as rows, coalesce((select sum(clicks) from engagement_sums where part = ''), 0)::int as hits
      from counted_hits`),
  );
}

function atMostResult(
  name: string,
  ours: number,
  asked: number,
  unit: string,
  details: readonly string[],
): Result {
  const show = (value: number) => Math.round(value).toLocaleString("en-GB");
  return {
    figure: { name, ours, reference: null, ratio: null, asked, ok: ours <= asked },
    unit,
    headline: `${show(ours)} ${unit}, asked ≤ ${show(asked)}`,
    details,
  };
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}
