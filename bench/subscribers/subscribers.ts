/** Measures whether the API stays as quick with a million subscribers as with ten thousand, and what a batch gains. */
import { mkdirSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, rate, spread } from "../harness/numbers.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { type Generated, generate } from "./generate.ts";

const SMALL_ROWS = 10_000;
const PAGE = 10;
const DEEP_PAGE = 1_000;
const REQUESTS = 1_500;
const CLIENTS = 4;
const SECRET_KEY = "a secret key for the bench of 32 characters or more";

export const subscribersBench: Bench = {
  name: "subscribers",
  summary: "latency with a million subscribers (--rows) against ten thousand; batches against single creates",
  async *run(setting) {
    const programs: Program[] = [];
    try {
      const small = await startWithSubscribers(setting, "small", SMALL_ROWS, programs);
      const large = await startWithSubscribers(setting, "large", setting.sizes.rows, programs);
      yield* latencies(setting, small, large);
      yield await batches(setting, large);
    } finally {
      await Promise.all(programs.map((program) => program.stop()));
    }
  },
};

type Side = Generated & { readonly port: number; readonly pid: number };

/** Starts the service with that many subscribers. The caller stops the programs. */
export async function startWithSubscribers(
  setting: Setting,
  name: string,
  rows: number,
  programs: Program[],
): Promise<Side> {
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
  const generated = await generate(env, rows, setting.note);
  const program = startProgram({
    file: join(import.meta.dirname, "..", "..", "src", "main.ts"),
    env,
    cwd: dataDir,
  });
  programs.push(program);
  const port = await program.hear((said) => {
    const found =
      typeof said === "string" ? /"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(said)?.[1] : undefined;
    return found ? Number(found) : undefined;
  });
  return { ...generated, port, pid: program.pid };
}

type Question = { readonly name: string; readonly path: (side: Side) => Promise<(turn: number) => string> };

const questions: readonly Question[] = [
  { name: "first page", path: async (side) => () => pagePath(side) },
  {
    name: `page ${DEEP_PAGE}`,
    path: async (side) => {
      const cursor = await cursorOfPage(side, DEEP_PAGE);
      return () => `${pagePath(side)}&cursor=${cursor}`;
    },
  },
  { name: "filter by tag", path: async (side) => () => `${pagePath(side)}&tag=one+in+a+hundred` },
  {
    name: "search by e-mail",
    path: async (side) => (turn) =>
      `/v1/subscribers/search?email=${encodeURIComponent(side.emailOf((turn * 7_907) % side.rows))}`,
  },
  { name: "counts", path: async (side) => () => `/v1/lists/${side.listId}` },
];

async function* latencies(setting: Setting, small: Side, large: Side): AsyncIterable<Result> {
  for (const question of questions) {
    const [ofSmall, ofLarge] = [await question.path(small), await question.path(large)];
    const p99s = { small: [] as number[], large: [] as number[] };
    await ask(small, ofSmall);
    await ask(large, ofLarge);
    for (let round = 0; round < setting.sizes.rounds; round++) {
      p99s.large.push(percentile(await ask(large, ofLarge), 0.99));
      p99s.small.push(percentile(await ask(small, ofSmall), 0.99));
    }
    const [ours, reference] = [median(p99s.large), median(p99s.small)];
    const ratio = median(p99s.large.map((p99, round) => p99 / (p99s.small[round] ?? Number.NaN)));
    yield {
      figure: {
        name: `${question.name}: p99 in ms, ${large.rows} rows`,
        ours,
        reference,
        ratio,
        asked: 2,
        ok: ratio <= 2,
      },
      unit: "ms",
      headline: `ours ${ms(ours)} with ${large.rows} rows, reference ${ms(reference)} with ${small.rows}, ratio ${ratio.toFixed(2)}, asked ≤ 2.00`,
      details: [`large ${spread(p99s.large, ms)}`, `small ${spread(p99s.small, ms)}`],
    };
  }
}

/** Compares rows a second of batches of 1,000, one after the other, with single creates, 16 at once. */
async function batches(setting: Setting, side: Side): Promise<Result> {
  const [batched, single]: [number[], number[]] = [[], []];
  let made = 0;
  const next = () => ({ email: `new${made++}@example.org`, list_id: side.listId, first_name: "Ada" });
  for (let round = 0; round < setting.sizes.rounds; round++) {
    batched.push(
      await perSecond(1, setting.sizes.seconds, async (agent) => {
        const subscribers = Array.from({ length: 1_000 }, next);
        await call(side, agent, "POST", "/v1/subscribers/batch", { subscribers });
        return 1_000;
      }),
    );
    single.push(
      await perSecond(16, setting.sizes.seconds, async (agent) => {
        await call(side, agent, "POST", "/v1/subscribers", next());
        return 1;
      }),
    );
  }
  const ratio = median(batched.map((speed, round) => speed / (single[round] ?? Number.NaN)));
  return {
    figure: {
      name: "batch of 1,000 against single creates at 16",
      ours: median(batched),
      reference: median(single),
      ratio,
      asked: 8,
      ok: ratio >= 8,
    },
    unit: "subscriber",
    details: [`batches ${spread(batched, rate)}`, `singles ${spread(single, rate)}`],
  };
}

async function perSecond(
  clients: number,
  seconds: number,
  work: (agent: Agent) => Promise<number>,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: clients }, async () => {
      let count = 0;
      while (performance.now() < untilMs) count += await work(agent);
      return count;
    }),
  );
  agent.destroy();
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startedMs) / 1_000);
}

async function ask(side: Side, path: (turn: number) => string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const times: number[] = [];
  let turn = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (turn < REQUESTS) {
        const startedMs = performance.now();
        await call(side, agent, "GET", path(turn++));
        times.push(performance.now() - startedMs);
      }
    }),
  );
  agent.destroy();
  return times;
}

function pagePath(side: Side): string {
  return `/v1/subscribers?list_id=${side.listId}&limit=${PAGE}`;
}

async function cursorOfPage(side: Side, page: number): Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let cursor = "";
  for (let n = 1; n < page; n++) {
    const { next_cursor: next } = await call(
      side,
      agent,
      "GET",
      `${pagePath(side)}${cursor && `&cursor=${cursor}`}`,
    );
    cursor = String(next);
  }
  agent.destroy();
  return cursor;
}

type Answer = { next_cursor?: string | null };

function call(side: Side, agent: Agent, method: string, path: string, body?: unknown): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = {
    authorization: `Bearer ${side.key}`,
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const sent = request({ host: "127.0.0.1", port: side.port, method, path, agent, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if ((response.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${text}`));
      else resolve(JSON.parse(text));
    });
  });
  sent.on("error", reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
