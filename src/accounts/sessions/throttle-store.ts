import { sql, type Writable } from "../../platform/db/db.ts";

export type Counter = { key: Buffer; free: number; leakPerSecond: number };

/** The wait doubles from 1 s to 15 min. Failures beyond those that would mean 2^10 s are not counted. */
const LONGEST_WAIT_S = 900;
const MOST_BEYOND_FREE = 10;

/**
 * Counts one attempt on every counter, or on none when one is blocked, and then returns until when. It is one
 * statement: each of several simultaneous attempts sees the count of the one before, because the update waits for its
 * row. Rows are taken in order of the key, so that two never wait for each other.
 */
export async function countAttempt(
  db: Writable,
  counters: readonly Counter[],
  now: Date,
): Promise<Date | undefined> {
  const keys = counters.map(({ key }) => key);
  const row = await db.one<{ counted: number; until: Date | null }>(sql`
    with wanted as (
      select * from unnest(${keys}::bytea[], ${counters.map((one) => one.free)}::float8[],
                           ${counters.map((one) => one.leakPerSecond)}::float8[]) as wanted (key, free, leak)
    ), blocked as (
      select max(blocked_until) as until from guesses where key = any(${keys}::bytea[]) and blocked_until > ${now}
    ), counted as (
      insert into guesses as known (key, failures, blocked_until, updated_at)
      select key, 1, ${now}, ${now} from wanted where (select until from blocked) is null order by key
      on conflict (key) do update set (failures, blocked_until, updated_at) = (
        select failures, ${now}::timestamptz + case when failures < free then interval '0'
            else make_interval(secs => least(${LONGEST_WAIT_S}, power(2, failures - free))) end, ${now}::timestamptz
        from (
          select free, least(free + ${MOST_BEYOND_FREE}, 1 + greatest(0, known.failures
            - leak * greatest(0, extract(epoch from ${now}::timestamptz - known.updated_at)))) as failures
          from wanted where wanted.key = known.key
        ) as leaked
      ) where known.blocked_until <= ${now}
      returning key
    )
    select (select count(*) from counted) as counted, (select until from blocked) as until`);
  if (row.until) return row.until;
  // Another attempt has blocked this one at the same time: the wait is the shortest, and the next answer is exact.
  return row.counted < counters.length ? new Date(now.getTime() + 1_000) : undefined;
}

/** Takes back an attempt and the wait that it caused. The counter `cleared` is set to zero. */
export async function takeBackAttempt(
  db: Writable,
  counters: readonly Counter[],
  cleared: Counter | undefined,
  now: Date,
): Promise<void> {
  const keys = counters.map(({ key }) => key);
  await db.execute(sql`
    with held as (select key from guesses where key = any(${keys}::bytea[]) order by key for update)
    update guesses set blocked_until = ${now},
      failures = case when guesses.key = ${cleared?.key ?? null} then 0 else greatest(0, failures - 1) end
    from held where guesses.key = held.key`);
}

/** Deletes counters that have leaked empty, by the index guesses_by_age. A locked row is in use and so isn't old. */
export async function removeLeaked(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`
    delete from guesses where key in (
      select key from guesses where updated_at < ${before} order by updated_at limit 10000 for update skip locked)`);
}
