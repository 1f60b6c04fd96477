/** What the parts of this bench share: judging what must stay below a limit, and timing. */
import type { Result } from "../harness/bench.ts";
import type { Work } from "../harness/meter.ts";

export function judgeLimit(
  name: string,
  ours: number,
  asked: number,
  show: (value: number) => string,
  details: readonly string[] = [],
): Result {
  return {
    figure: { name, ours, reference: null, ratio: null, asked, ok: ours <= asked },
    unit: "limit",
    headline: `${show(ours)}, asked ≤ ${show(asked)}`,
    details,
  };
}

export const inMs = (ms: number) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;

/** Measures how long so many units of work take. */
export async function timed(work: () => Promise<number>): Promise<Work> {
  const startedMs = performance.now();
  const units = await work();
  return { units, seconds: (performance.now() - startedMs) / 1_000 };
}
