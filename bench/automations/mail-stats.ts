/** Measures the stats of an automation that has mailed every day for a year: ten e-mail steps, and a wave of each for each day. */
import { advanceDue } from "../../src/automations/executing/executing.ts";
import { type Db, raw, sql } from "../../src/platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../src/platform/ids.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";
import type { FilledDatabase, Service } from "../send/service.ts";
import { executorOn } from "./engine.ts";
import { inMs, judgeLimit } from "./limits.ts";
import { MAIL, startAutomation } from "./started.ts";

const EMAIL_STEPS = 10;
const DAYS = 365;
const LED = 1_000;
const READS = 50;
const ASKED_MS = 50;
/** What each of so many senders has counted of a wave. */
const SENDERS = 4;
const COUNTED = ["sent", "failed", "unknown", "skipped.unsubscribed", "bounce.hard", "bounce.soft"];
/** The tables that have a row for each source, and the column of its id. */
const COPIED = [
  ["sources", "id"],
  ["plans", "source_id"],
] as const;

/** The executor leads people through, which opens a wave for each step. These are then copied, with what was counted of each. */
export async function mailStats(
  { note }: Setting,
  db: Db,
  service: Service,
  database: FilledDatabase,
): Promise<Result> {
  const mails = Array.from({ length: EMAIL_STEPS }, (_, n) => [
    `mail${n}`,
    { ...MAIL, subject: `Mail ${n}`, next: n + 1 < EMAIL_STEPS ? `mail${n + 1}` : "end" },
  ]);
  const id = await startAutomation(service, database, { ...Object.fromEntries(mails), end: { type: "end" } });
  const { account_id: accountId } = await db.one<{ account_id: string }>(
    sql`select account_id from automations where id = ${id}`,
  );
  await db.execute(sql`
    with entered as (
      insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
      select account_id, ${id}, uuidv7(), id, 1, 'mail0', at, at, at
      from (select account_id, id, now() - interval '1 hour' as at from subscribers
            where list_id = ${fromPublicId("lst", database.listId)} and status = 'active' limit ${LED}) as s returning account_id)
    insert into automation_counts (account_id, automation_id, node, what, shard, count)
    select account_id, ${id}, node, 'entered', 0, count(*) from entered, (values (''), ('mail0')) as place (node) group by 1, 3`);
  const tools = executorOn(db);
  while ((await advanceDue(tools, accountId, id)) > 0);
  const waves = await copyWaves(db, id, DAYS - 1);
  await count(db, id);
  await db.execute(sql`vacuum (analyze) sources, plans, counters, engagement_sums, automation_waves`);
  note(`stats of mails: ${waves} waves`);
  const path = `/automations/${toPublicId("aut", id)}/stats`;
  const took: number[] = [];
  let said: Said = { mails: [] };
  for (let turn = 0; turn < READS; turn++) {
    const startedMs = performance.now();
    said = await service.ask("GET", path);
    took.push(performance.now() - startedMs);
  }
  const sent = said.mails.map((one) => one.sent);
  const each = (waves / EMAIL_STEPS) * SENDERS;
  if (sent.length !== EMAIL_STEPS || sent.some((one) => one !== each))
    throw new Error(`${each} mails of each step were counted as sent, and the stats say ${sent.join(", ")}`);
  return judgeLimit(
    `stats of ${EMAIL_STEPS} mails, each of ${waves / EMAIL_STEPS} waves`,
    median(took),
    ASKED_MS,
    inMs,
    [spread(took, inMs)],
  );
}

type Said = { readonly mails: readonly { readonly sent: number }[] };

/** Copies each wave so many times, and returns how many there are then. */
async function copyWaves(db: Db, automationId: string, copies: number): Promise<number> {
  const isOf = sql`automation_id = ${automationId}`;
  await db.execute(sql`
    create unlogged table wave_copies as
    select account_id, source_id as original, uuidv7() as id from automation_waves, generate_series(1, ${copies}) where ${isOf}`);
  for (const [table, column] of COPIED)
    await db.execute(sql`
      insert into ${raw(table)}
      select (jsonb_populate_record(one, jsonb_build_object(${column}::text, w.id))).*
      from wave_copies w join ${raw(table)} one on one.account_id = w.account_id and one.${raw(column)} = w.original`);
  await db.execute(sql`
    insert into automation_waves
    select (jsonb_populate_record(one, jsonb_build_object('source_id', w.id, 'closed_at', now()))).*
    from wave_copies w join automation_waves one on one.account_id = w.account_id and one.source_id = w.original`);
  const { waves } = await db.one<{ waves: number }>(
    sql`select count(*) as waves from automation_waves where ${isOf}`,
  );
  return waves;
}

/** Counts of each wave what senders count, and opens and clicks. */
async function count(db: Db, automationId: string): Promise<void> {
  await db.execute(sql`
    insert into counters (account_id, source_id, worker_id, what, count)
    select w.account_id, w.source_id, md5(sender::text)::uuid, what, 1
    from automation_waves w, generate_series(1, ${SENDERS}) as sender, unnest(${COUNTED}::text[]) as what
    where w.automation_id = ${automationId}`);
  await db.execute(sql`
    insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers, human_clicks,
      human_clickers, first_at, last_at)
    select account_id, source_id, '', 3, 2, 2, 1, 2, 1, 1, 1, now(), now() from automation_waves
    where automation_id = ${automationId}`);
}
