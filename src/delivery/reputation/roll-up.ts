/**
 * Hours are added up to days once the next day is over, and days go with the ledger, after 13 months. A job does both a piece at a time. For a
 * week the hours have copies, for figures by the hour.
 */
import { type Db, join, sql } from "../../platform/db/db.ts";
import { defineJob } from "../../platform/jobs/jobs.ts";
import { COUNTED, nameOf } from "./counting.ts";

const DAY_MS = 24 * 3_600_000;
/** So many days before today have figures by the hour. */
export const HOURS_KEPT_DAYS = 7;
/** So many days before today are in hours only; guardrails by provider read the last 24 hours. */
const HOURS_ALONE_DAYS = 1;
/** As long as the ledger is kept. */
export const DAYS_KEPT = 396;
const PIECE = 2_000;

export const rollUpReputationJob = defineJob<Record<string, never>>({
  name: "roll_up_reputation",
  run: ({ db, clock, signal }) => rollUp(db, clock.now(), signal),
});

/** The UTC day that was so many days ago. */
export function dayBefore(now: Date, days: number): string {
  return new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10);
}

/** What is learnt later of older mail comes into hours again, and into their days at the next run. */
export async function rollUp(
  db: Db,
  now: Date,
  signal: Pick<AbortSignal, "aborted">,
  piece = PIECE,
): Promise<void> {
  const kept = firstHourOf(dayBefore(now, HOURS_KEPT_DAYS));
  const before = firstHourOf(dayBefore(now, HOURS_ALONE_DAYS));
  while (!signal.aborted && (await rollUpPiece(db, { before, kept }, piece)) === piece);
  while (!signal.aborted && (await removeCopies(db, kept, piece)) === piece);
  const oldest = dayBefore(now, DAYS_KEPT);
  while (!signal.aborted && (await removePiece(db, oldest, piece)) === piece);
}

const firstHourOf = (day: string) => new Date(`${day}T00:00:00Z`);

/**
 * Moves a piece in one statement, so that whoever reads both tables at once misses nothing and counts nothing twice. A trigger adds the days to
 * their weeks and months meanwhile.
 */
async function rollUpPiece(
  db: Db,
  { before, kept }: { readonly before: Date; readonly kept: Date },
  piece: number,
): Promise<number> {
  const names = join(COUNTED.map(nameOf));
  const sums = join(COUNTED.map((name) => sql`sum(${nameOf(name)})`));
  const added = join(
    COUNTED.map((one) => sql`${nameOf(one)} = known.${nameOf(one)} + excluded.${nameOf(one)}`),
  );
  const { moved } = await db.transaction((tx) =>
    tx.one<{ moved: number }>(sql`
      with gone as (
        delete from mail_flow_hours where ctid = any(array(
          select ctid from mail_flow_hours where hour < ${before} order by hour limit ${piece} for update skip locked))
        returning *
      ), added as (
        insert into mail_flow_days as known (account_id, day, flow_id, ${names})
        select account_id, (hour at time zone 'UTC')::date, flow_id, ${sums} from gone group by 1, 2, 3 order by 1, 2, 3
        on conflict (account_id, day, flow_id) do update set ${added}
      ), copied as (
        insert into mail_flow_past_hours as known (account_id, hour, flow_id, ${names})
        select account_id, hour, flow_id, ${sums} from gone where hour >= ${kept} group by 1, 2, 3 order by 1, 2, 3
        on conflict (account_id, hour, flow_id) do update set ${added}
      )
      select count(*)::int as moved from gone`),
  );
  return moved;
}

function removeCopies(db: Db, before: Date, piece: number): Promise<number> {
  return db.execute(sql`
    delete from mail_flow_past_hours where ctid = any(array(
      select ctid from mail_flow_past_hours where hour < ${before} order by hour limit ${piece}))`);
}

function removePiece(db: Db, oldest: string, piece: number): Promise<number> {
  return db.execute(sql`
    delete from mail_flow_days where ctid = any(array(
      select ctid from mail_flow_days where day < ${oldest}::date order by day limit ${piece}))`);
}
