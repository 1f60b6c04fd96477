import { type Db, sql } from "../db/db.ts";

import type { Log } from "../log.ts";
import type { Job } from "./jobs.ts";

/** A timer adds its job at regular intervals, once for all processes together. */
export type Timer = { readonly everyMs: number; readonly job: Job<Record<string, never>> };

const LOOK_EVERY_MS = 1_000;

/**
 * Fires the timers that are due by the database's clock, and adds their jobs in the same statement. A last time in the
 * future means that the clock was set back, and fires too: the queue's own cron would be silent until the clock has
 * caught up.
 */
export async function fireDueTimers(db: Db, timers: readonly Timer[]): Promise<string[]> {
  const rows = await db.many<{ name: string }>(sql`
    with wanted as (
      select * from unnest(
        ${timers.map(({ job }) => job.name)}::text[], ${timers.map(({ everyMs }) => everyMs)}::float8[],
        ${timers.map(({ job }) => job.maxAttempts)}::int[], ${timers.map(({ job }) => job.priority)}::int[]
      ) as t (name, every_ms, max_attempts, priority)
    ), due as (
      insert into timers as known (name, last_fired_at) select name, now() from wanted
      on conflict (name) do update set last_fired_at = now()
        where exists (
          select from wanted where wanted.name = known.name
            and abs(extract(epoch from now() - known.last_fired_at)) * 1000 >= wanted.every_ms)
      returning name
    )
    select due.name from due join wanted using (name),
      lateral queue_jobs(array[name], array['{}'], array['timer ' || name], array[null]::timestamptz[], array[max_attempts],
        array[priority]) as added`);
  return rows.map(({ name }) => name);
}

export function startTimers(db: Db, timers: readonly Timer[], log: Log): { stop(): Promise<void> } {
  let firing: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    firing ??= fireDueTimers(db, timers)
      .catch((error) => log.warn({ reason: error.message }, "the timers could not be looked at"))
      .finally(() => {
        firing = undefined;
      });
  }, LOOK_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await firing;
    },
  };
}
