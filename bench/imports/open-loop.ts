/**
 * Sends requests at a fixed rate, whether or not earlier ones are answered, so that waiting in a queue counts as
 * latency too.
 */
import { Agent, request } from "node:http";
import type { Result } from "../harness/bench.ts";
import { percentile99 } from "../harness/numbers.ts";

const MOST_TIMES_IDLE = 3;
/**
 * A latency below this is always good, because three times that of a very fast idle service may still be next to
 * nothing.
 */
const ALWAYS_GOOD_MS = 25;

export type OpenLoop = {
  readonly port: number;
  readonly key: string;
  readonly perSecond: number;
  readonly path: (turn: number) => string;
};

/** Returns the milliseconds of every request, counted from when it was due. */
export async function runOpenLoop(loop: OpenLoop, isOver: (elapsedMs: number) => boolean): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const everyMs = 1_000 / loop.perSecond;
  const startedMs = performance.now();
  const pending: Promise<number>[] = [];
  for (let turn = 0; !isOver(performance.now() - startedMs); turn++) {
    const dueMs = startedMs + turn * everyMs;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    pending.push(ask(loop, agent, turn).then(() => performance.now() - dueMs));
  }
  const times = await Promise.all(pending);
  agent.destroy();
  return times;
}

/** Compares the p99 of a service that is busy with something else with that of an idle one. */
export function judgeBeside(name: string, idleTimes: readonly number[], times: readonly number[]): Result {
  const idle = percentile99(idleTimes);
  const busy = percentile99(times);
  const limit = Math.max(MOST_TIMES_IDLE * idle, ALWAYS_GOOD_MS);
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return {
    figure: { name, ours: busy, reference: idle, ratio: busy / idle, asked: limit, ok: busy <= limit },
    unit: "ms",
    headline: `ours ${ms(busy)}, reference ${ms(idle)} without one, asked ≤ ${ms(limit)} (3 × idle, or 25 ms)`,
    details: [`${times.length} requests meanwhile, the slowest ${ms(Math.max(...times))}`],
  };
}

function ask(loop: OpenLoop, agent: Agent, turn: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { authorization: `Bearer ${loop.key}` };
  const sent = request(
    { host: "127.0.0.1", port: loop.port, path: loop.path(turn), agent, headers },
    (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
      );
    },
  );
  sent.on("error", reject);
  sent.end();
  return promise;
}
