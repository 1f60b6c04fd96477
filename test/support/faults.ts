/** Runs the short version of a fault as a test: each of its figures must be what was asked. */
import assert from "node:assert/strict";
import type { Result } from "../../bench/harness/bench.ts";
import { describeResult } from "../../bench/harness/report.ts";
import type { Setting } from "../../faults/fault.ts";

export const shortSetting: Setting = {
  full: false,
  seed: Number(process.env["TEST_SEED"]) || 1,
  slack: 4,
  note: () => undefined,
};

export async function assertHolds(results: AsyncIterable<Result>): Promise<void> {
  const all = await Array.fromAsync(results);
  assert.ok(all.length > 0);
  assert.deepEqual(
    all.filter(({ figure }) => !figure.ok).map(describeResult),
    [],
    all.map(describeResult).join("\n"),
  );
}
