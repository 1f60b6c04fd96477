/** Keeps `list_growth` small: the shards of past quarters become one row, and what no reader can ask for any more goes. */
import { type Db, type Queryable, sql, type Writable } from "../../platform/db/db.ts";
import { defineJob } from "../../platform/jobs/jobs.ts";
import { MOST_DAYS } from "./growth.ts";

const LISTS_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 5_000;
/** Growth goes back from today's count, so nothing is missed of days before the first that can be asked for in any zone. */
const KEPT_DAYS = MOST_DAYS + 4;
/** Older shards were merged by earlier runs. Without this bound each run would read a year of rows. */
const MERGED_DAYS = 30;

type ListKey = { readonly account_id: string; readonly id: string };

export const thinGrowthJob = defineJob<Record<string, never>>({
  name: "thin_growth",
  timeoutMs: 3_600_000,
  run: ({ db, signal }) => thinGrowth(db, signal),
});

/** Goes through all lists, in statements of a few thousand rows. What is left at an end by the signal is done by the next run. */
export async function thinGrowth(db: Db, signal: AbortSignal): Promise<void> {
  let lists = await nextLists(db, undefined);
  while (lists.length > 0) {
    for (const list of lists) {
      while ((await dropOld(db, list)) === ROWS_AT_ONCE) signal.throwIfAborted();
      while ((await mergeShards(db, list)) === ROWS_AT_ONCE) signal.throwIfAborted();
      signal.throwIfAborted();
    }
    lists = await nextLists(db, lists.at(-1));
  }
}

function nextLists(db: Queryable, after: ListKey | undefined): Promise<ListKey[]> {
  const above = after ? sql`where (account_id, id) > (${after.account_id}, ${after.id})` : sql``;
  return db.many<ListKey>(
    sql`select account_id, id from lists ${above} order by account_id, id limit ${LISTS_AT_ONCE}`,
  );
}

/** The rows are named by their place, since a join with a subquery that has a limit may be planned to run it for each row. */
function dropOld(db: Writable, { account_id, id }: ListKey): Promise<number> {
  return db.execute(sql`
    delete from list_growth where ctid = any(array(
      select ctid from list_growth
      where account_id = ${account_id} and list_id = ${id} and at < now() - make_interval(days => ${KEPT_DAYS}::int)
      limit ${ROWS_AT_ONCE} for update))`);
}

/** Adds the shards of each quarter to its first one. Of a day ago, no transaction counts any more; and if one did, it would wait. */
async function mergeShards(db: Writable, { account_id, id }: ListKey): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    with gone as (
      delete from list_growth where ctid = any(array(
        select ctid from list_growth
        where account_id = ${account_id} and list_id = ${id} and shard <> 0
          and at > now() - make_interval(days => ${MERGED_DAYS}::int) and at < now() - interval '1 day'
        limit ${ROWS_AT_ONCE} for update))
      returning at, gained, lost
    ), merged as (
      insert into list_growth as counted (account_id, list_id, at, shard, gained, lost)
      select ${account_id}::uuid, ${id}::uuid, at, 0, sum(gained), sum(lost) from gone group by at order by at
      on conflict (account_id, list_id, at, shard)
        do update set gained = counted.gained + excluded.gained, lost = counted.lost + excluded.lost
    )
    select count(*) as count from gone`);
  return count;
}
