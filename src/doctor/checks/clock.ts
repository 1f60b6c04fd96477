/** This check compares the database's clock with this machine's. */
import type { Clock } from "../../platform/clock.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Check, DatabaseEnv, Result } from "../check.ts";

/** The database is ahead by `aheadMs`. Nobody knows when in the round trip it read its clock, hence `uncertainMs`. */
export type Difference = { readonly aheadMs: number; readonly uncertainMs: number };

const SAMPLES = 3;
const TOLERATED_MS = 2_000;

export const clockCheck: Check<DatabaseEnv> = {
  name: "clock",
  run: ({ look, clock }) => look(async (tx) => judgeClock(await measureClock(tx, clock))),
};

/** The quickest of a few round trips is the least uncertain. */
async function measureClock(tx: Queryable, clock: Clock): Promise<Difference> {
  const differences: Difference[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const [sentMs, wallMs] = [clock.monotonicMs(), clock.now().getTime()];
    const { now } = await tx.one<{ now: number }>(
      sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    const uncertainMs = (clock.monotonicMs() - sentMs) / 2;
    differences.push({ aheadMs: now - (wallMs + uncertainMs), uncertainMs });
  }
  return differences.reduce((best, one) => (one.uncertainMs < best.uncertainMs ? one : best));
}

export function judgeClock({ aheadMs, uncertainMs }: Difference): Result {
  const seconds = `${(Math.abs(aheadMs) / 1_000).toFixed(Math.abs(aheadMs) < 10_000 ? 1 : 0)} s`;
  if (Math.abs(aheadMs) - uncertainMs <= TOLERATED_MS) {
    return { status: "ok", finding: `the database's differs from this machine's by ${seconds}` };
  }
  return {
    status: "warn",
    finding: `the database's clock is ${seconds} ${aheadMs > 0 ? "ahead of" : "behind"} this machine's`,
    remedy:
      "let a time service (chrony, systemd-timesyncd) set both; what is due by the clock comes early or late",
  };
}
