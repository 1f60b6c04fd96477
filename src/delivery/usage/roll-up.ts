/** Hours that are over for a week lose their workers, and go after three years. A job does both a piece at a time. */
import { type Db, sql } from "../../platform/db/db.ts";
import { defineJob } from "../../platform/jobs/jobs.ts";
import { NO_WORKER } from "../ids.ts";
import { removeTestMails } from "./test-mails.ts";

const DAY_MS = 24 * 3_600_000;
const WORKERS_KEPT_DAYS = 7;
/** Three years, one of which may be a leap year, and a day in which time zones differ. */
export const USAGE_KEPT_DAYS = 3 * 365 + 2;
/** As long as the ledger, of 13 months and the age of its last partition. */
const TESTS_KEPT_DAYS = 430;
/** By then a job has ended that was to say whether it was sent, or never will. */
const WAITING_TESTS_KEPT_DAYS = 7;
const PIECE = 2_000;

export const rollUpUsageJob = defineJob<Record<string, never>>({
  name: "roll_up_usage",
  run: ({ db, clock, signal }) => rollUp(db, clock.now(), signal),
});

/** An hour to which a sender still adds is in nobody's way: what it adds comes into a row of its own again, until the next run. */
export async function rollUp(
  db: Db,
  now: Date,
  signal: Pick<AbortSignal, "aborted">,
  piece = PIECE,
): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  while (!signal.aborted && (await addUpPiece(db, before(WORKERS_KEPT_DAYS), piece)) === piece);
  while (!signal.aborted && (await removePiece(db, before(USAGE_KEPT_DAYS), piece)) === piece);
  const olds = { sent: before(TESTS_KEPT_DAYS), waiting: before(WAITING_TESTS_KEPT_DAYS) };
  while (!signal.aborted && (await removeTestMails(db, olds, piece)) === piece);
}

/** Moves a piece in one statement, so that whoever reads misses nothing and counts nothing twice. */
async function addUpPiece(db: Db, before: Date, piece: number): Promise<number> {
  const { moved } = await db.transaction((tx) =>
    tx.one<{ moved: number }>(sql`
      with gone as (
        delete from usage_hours where ctid = any(array(
          select ctid from usage_hours where worker_id > ${NO_WORKER}::uuid and hour < ${before}
          limit ${piece} for update skip locked))
        returning *
      ), added as (
        insert into usage_hours as known (account_id, hour, stream, via, worker_id, sent)
        select account_id, hour, stream, via, ${NO_WORKER}::uuid, sum(sent) from gone group by 1, 2, 3, 4 order by 1, 2, 3, 4
        on conflict (account_id, hour, stream, via, worker_id) do update set sent = known.sent + excluded.sent
      )
      select count(*)::int as moved from gone`),
  );
  return moved;
}

function removePiece(db: Db, before: Date, piece: number): Promise<number> {
  return db.execute(sql`
    delete from usage_hours where ctid = any(array(
      select ctid from usage_hours where worker_id = ${NO_WORKER}::uuid and hour < ${before} order by hour limit ${piece}))`);
}
