/** Measures how long the export of an account with a million subscribers takes, and how much more memory the service has meanwhile. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import type { Bench, Result } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";
import type { Program } from "../harness/program.ts";
import { startWithSubscribers } from "../subscribers/subscribers.ts";

const MOST_SECONDS = 60;
const MOST_MB = 64;
const LOOK_EVERY_MS = 50;

type Service = Awaited<ReturnType<typeof startWithSubscribers>>;
type Taken = { readonly seconds: number; readonly moreMb: number; readonly bytes: number };

export const accountExportBench: Bench = {
  name: "account-export",
  summary: "time and memory of the export of an account with a million subscribers (--rows)",
  async *run(setting) {
    const programs: Program[] = [];
    try {
      const service = await startWithSubscribers(setting, "export", setting.sizes.rows, programs);
      const taken: Taken[] = [];
      for (let round = 0; round < setting.sizes.rounds; round++) taken.push(await takeOnce(service));
      yield* results(service.rows, taken);
    } finally {
      await Promise.all(programs.map((program) => program.stop()));
    }
  },
};

function* results(rows: number, taken: readonly Taken[]): Iterable<Result> {
  const seconds = taken.map((one) => one.seconds);
  // The first round counts as the others do, and grows the heap the most.
  const moreMb = Math.max(...taken.map((one) => one.moreMb));
  const size = `${((taken[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB`;
  const bounded = (name: string, ours: number, asked: number, unit: string, details: string[]): Result => ({
    figure: {
      name: `${name}, ${rows} subscribers`,
      ours,
      reference: null,
      ratio: null,
      asked,
      ok: ours <= asked,
    },
    unit,
    headline: `${ours.toFixed(1)} ${unit}, asked ≤ ${asked}`,
    details,
  });
  yield bounded("export of an account: seconds", median(seconds), MOST_SECONDS, "s", [
    `${size}; ${spread(seconds, (value) => `${value.toFixed(1)} s`)}`,
  ]);
  yield bounded("export of an account: more memory", moreMb, MOST_MB, "MB", []);
}

/** Reads the export to its end, and checks its last line. */
async function takeOnce({ port, key, pid, rows }: Service): Promise<Taken> {
  const beforeMb = residentMb(pid);
  let mostMb = beforeMb;
  const looking = setInterval(() => {
    mostMb = Math.max(mostMb, residentMb(pid));
  }, LOOK_EVERY_MS);
  try {
    const startedMs = performance.now();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      get({ port, path: "/v1/account/export", headers }, resolve).on("error", reject);
    });
    assert.equal(response.statusCode, 200);
    const { bytes, last, sha256 } = await digestOf(response);
    const seconds = (performance.now() - startedMs) / 1_000;
    assert.deepEqual(
      [last.object, last.counts.subscriber, last.sha256],
      ["account_export_end", rows, sha256],
    );
    return { seconds, moreMb: mostMb - beforeMb, bytes };
  } finally {
    clearInterval(looking);
  }
}

/** Digests all but the last line, which is kept back until more has come. */
async function digestOf(response: IncomingMessage) {
  const digest = createHash("sha256");
  let bytes = 0;
  let kept = Buffer.alloc(0);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    const all = Buffer.concat([kept, chunk]);
    const end = all.lastIndexOf(10, all.length - 2) + 1;
    digest.update(all.subarray(0, end));
    kept = all.subarray(end);
  }
  return { bytes, last: JSON.parse(kept.toString()), sha256: digest.digest("hex") };
}

/** What of its memory is really there, by proc_pid_status(5). */
function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}
