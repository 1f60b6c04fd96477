/**
 * Measures whether an import is near the speed of COPY, in constant memory, and whether the API stays quick beside
 * it.
 */
import { mkdirSync, openAsBlob, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { fromPublicId } from "../../src/platform/ids.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, rate, share, spread } from "../harness/numbers.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { bareCopy } from "../reference/bare-copy.ts";
import { generate } from "../subscribers/generate.ts";
import { judgeBeside, runOpenLoop } from "./open-loop.ts";
import { writeCopyFiles, writeCsv } from "./rows.ts";
import { previewSegment } from "./segment.ts";

const SECRET_KEY = "a secret key for the bench of 32 characters or more";
const ASKED_SHARE = 0.4;
const MOST_MEGABYTES = 150;
const PER_SECOND = 100;
const IDLE_SECONDS = 20;
const SMALL_ROWS = 10_000;
/** A million rows take over a minute on either side, so few rounds fit into the ten minutes of a bench. */
const ROUNDS = 2;

export const importsBench: Bench = {
  name: "imports",
  summary: "a million rows (--rows) against a bare COPY; memory; the API beside it; a segment of them",
  async *run(setting) {
    const rows = setting.sizes.rows;
    const small = await writeCsv(setting.folder, SMALL_ROWS, rows);
    const large = await writeCsv(setting.folder, rows);
    const rounds = setting.sizes.full ? 5 : ROUNDS;
    const sides = {
      ours: [] as number[],
      copy: [] as number[],
      peaks: [] as number[],
      smallPeaks: [] as number[],
    };
    for (let round = 0; round < rounds; round++) {
      const runs = [
        async () => void sides.copy.push(await copyOnce(setting, `copy${round}`, rows)),
        async () => {
          const measured = await importOnce(setting, `ours${round}`, small, large, rows);
          sides.ours.push(measured.perSecond);
          sides.peaks.push(measured.peakMegabytes);
          sides.smallPeaks.push(measured.smallPeakMegabytes);
        },
      ];
      for (const run of round % 2 === 0 ? runs : runs.reverse()) await run();
      setting.note(
        `round ${round + 1}: ours ${rate(sides.ours.at(-1) ?? 0)}, COPY ${rate(sides.copy.at(-1) ?? 0)}`,
      );
    }
    yield speed(rows, sides.ours, sides.copy);
    yield memory(rows, sides.peaks, sides.smallPeaks);
    // A quarter of the rows takes long enough for some thousand requests.
    yield await besides(setting, await writeCsv(setting.folder, Math.ceil(rows / 4), rows));
    yield await segment(setting, rows);
  },
};

function speed(rows: number, ours: readonly number[], copy: readonly number[]): Result {
  const ratios = ours.map((one, round) => one / (copy[round] ?? Number.NaN));
  const ratio = median(ratios);
  return {
    figure: {
      name: `import of ${rows} rows against a bare COPY`,
      ours: median(ours),
      reference: median(copy),
      ratio,
      asked: ASKED_SHARE,
      ok: ratio >= ASKED_SHARE,
    },
    unit: "row",
    details: [`import ${spread(ours, rate)}`, `COPY ${spread(copy, rate)}`, `ratio ${spread(ratios, share)}`],
  };
}

function memory(rows: number, peaks: readonly number[], smallPeaks: readonly number[]): Result {
  const ours = Math.max(...peaks);
  const show = (megabytes: number) => `${megabytes.toFixed(0)} MB`;
  return {
    figure: {
      name: `memory above idle, ${rows} rows`,
      ours,
      reference: null,
      ratio: null,
      asked: MOST_MEGABYTES,
      ok: ours <= MOST_MEGABYTES,
    },
    unit: "MB",
    headline: `ours ${show(ours)} at its peak, asked ≤ ${show(MOST_MEGABYTES)}`,
    details: [
      `with ${SMALL_ROWS} rows ${spread(smallPeaks, show)}`,
      `with ${rows} rows ${spread(peaks, show)}`,
    ],
  };
}

type Service = { program: Program; port: number; key: string; listId: string; databaseUrl: string };

async function startService(setting: Setting, name: string, rows = 0): Promise<Service> {
  const databaseUrl = await setting.postgres.createDatabase(`bench_${name}`);
  const dataDir = join(setting.folder, name);
  mkdirSync(dataDir, { recursive: true });
  const env = {
    DATABASE_URL: databaseUrl,
    SECRET_KEY,
    DATA_DIR: dataDir,
    PORT: "0",
    RATE_LIMIT_PER_MINUTE: "10000000",
    LOG_FORMAT: "json",
  };
  const { key, listId } = await generate(env, rows, setting.note);
  const file = join(import.meta.dirname, "..", "..", "src", "main.ts");
  const program = startProgram({ file, env, cwd: dataDir });
  const port = await program.hear((said) => {
    const found =
      typeof said === "string" ? /"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(said)?.[1] : undefined;
    return found ? Number(found) : undefined;
  });
  return { program, port, key, listId, databaseUrl };
}

async function copyOnce(setting: Setting, name: string, rows: number): Promise<number> {
  const databaseUrl = await setting.postgres.createDatabase(`bench_${name}`);
  const env = { DATABASE_URL: databaseUrl, SECRET_KEY, DATA_DIR: join(setting.folder, name) };
  const { listId } = await generate(env, 0, setting.note);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const found = await client.query("select account_id from accounts limit 1");
  await client.end();
  const into = { accountId: found.rows[0].account_id as string, listId: fromPublicId("lst", listId) ?? "" };
  const files = await writeCopyFiles(setting.folder, rows, into);
  return rows / (await bareCopy(databaseUrl, files));
}

async function importOnce(setting: Setting, name: string, small: string, large: string, rows: number) {
  const service = await startService(setting, name);
  try {
    await sleep(2_000);
    const idle = megabytesOf(service.program.pid);
    const smallPeak = await peakDuring(service.program.pid, () => importFile(service, small));
    let seconds = 0;
    const peak = await peakDuring(service.program.pid, async () => {
      seconds = await importFile(service, large);
    });
    return { perSecond: rows / seconds, peakMegabytes: peak - idle, smallPeakMegabytes: smallPeak - idle };
  } finally {
    await service.program.stop();
  }
}

/** Measures from when a worker takes the import to its end, by the service's own clock. */
async function importFile(service: Service, path: string): Promise<number> {
  const form = new FormData();
  form.append("options", JSON.stringify({ list_id: service.listId }));
  form.append("file", await openAsBlob(path), basename(path));
  const headers = { authorization: `Bearer ${service.key}` };
  const address = `http://127.0.0.1:${service.port}/v1/imports`;
  const made = (await (await fetch(address, { method: "POST", headers, body: form })).json()) as {
    id: string;
  };
  for (;;) {
    await sleep(200);
    const now = (await (await fetch(`${address}/${made.id}`, { headers })).json()) as Record<string, string>;
    if (now["status"] === "failed") throw new Error(JSON.stringify(now["error"]));
    if (now["status"] === "completed") {
      return (Date.parse(now["finished_at"] ?? "") - Date.parse(now["started_at"] ?? "")) / 1_000;
    }
  }
}

async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, megabytesOf(pid));
  }, 100);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak;
}

function megabytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return Number(kilobytes) / 1_024;
}

async function besides(setting: Setting, file: string): Promise<Result> {
  const service = await startService(setting, "beside");
  try {
    const { port, key, listId } = service;
    const paths = [
      `/v1/subscribers?list_id=${listId}&limit=10`,
      `/v1/lists/${listId}`,
      "/v1/subscribers/search?email=ada@example.org",
    ];
    const loop = {
      port,
      key,
      perSecond: PER_SECOND,
      path: (turn: number) => paths[turn % paths.length] ?? "",
    };
    await runOpenLoop(loop, (elapsedMs) => elapsedMs > 3_000);
    const idle = await runOpenLoop(loop, (elapsedMs) => elapsedMs > IDLE_SECONDS * 1_000);
    let isDone = false;
    const importing = importFile(service, file).finally(() => {
      isDone = true;
    });
    const times = await runOpenLoop(loop, () => isDone);
    await importing;
    return judgeBeside(`API p99 in ms at ${PER_SECOND} requests/s during an import`, idle, times);
  } finally {
    await service.program.stop();
  }
}

async function segment(setting: Setting, rows: number): Promise<Result> {
  const service = await startService(setting, "segment", rows);
  try {
    return await previewSegment({ ...service, rows });
  } finally {
    await service.program.stop();
  }
}
