/** Moves what was sent a moment ago into the past, since a report whose opens all came in one minute shows little. */
import { join } from "node:path";
import pg from "pg";
import { uuidOf } from "./subscribers.ts";

const HOUR_MS = 3_600_000;

/** How long ago each was sent, in the order in which they are given. */
const AGES_HOURS = [216, 144, 51] as const;

export async function moveIntoThePast(dataDir: string, campaigns: readonly string[]): Promise<void> {
  const client = new pg.Client({ host: join(dataDir, "pg"), user: "postrider", database: "postrider" });
  await client.connect();
  try {
    for (const [at, id] of campaigns.entries())
      await moveOne(client, uuidOf("cmp", id), new Date(Date.now() - (AGES_HOURS[at] ?? 0) * HOUR_MS));
  } finally {
    await client.end();
  }
}

async function moveOne(client: pg.Client, campaignId: string, at: Date): Promise<void> {
  const parameters = [campaignId, at.toISOString()];
  await client.query(
    `update counters_by_time set at = date_bin('15 minutes', $2::timestamptz, 'epoch')
     where source_id in (select id from sources where owner_id = $1)`,
    parameters,
  );
  await client.query(SPREAD, parameters);
  await client.query(
    `update campaigns set created_at = $2::timestamptz - interval '2 hours', updated_at = $2::timestamptz,
       started_at = $2::timestamptz, finished_at = $2::timestamptz + interval '4 minutes' where id = $1`,
    parameters,
  );
  await client.query("update sources set launched_at = $2 where owner_id = $1", parameters);
}

/** Most open a mail in its first hours, fewer later, and some the next morning: the opens of one quarter are dealt out so. */
const SPREAD = `
  with gone as (
    delete from engagement_sums where source_id in (select id from sources where owner_id = $1) and part ^@ 'quarter '
    returning *
  ), total as (
    select account_id, source_id, sum(opens) as opens, sum(human_opens) as human_opens, sum(clicks) as clicks,
           sum(human_clicks) as human_clicks
    from gone group by account_id, source_id
  ), share as (
    select $2::timestamptz + n * interval '15 minutes' as at, weight / sum(weight) over () as part_of
    from (select n, exp(-n / 16.0) + 0.12 * exp(-power((n - 92) / 10.0, 2)) as weight
          from generate_series(1, 170) as n) as weights
  )
  insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
                               human_clicks, human_clickers, first_at, last_at)
  select account_id, source_id,
         'quarter ' || to_char(date_bin('15 minutes', at, 'epoch') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         round(opens * part_of), 0, round(human_opens * part_of), 0, round(clicks * part_of), 0,
         round(human_clicks * part_of), 0, at, at
  from total cross join share where opens * part_of >= 0.5`;
