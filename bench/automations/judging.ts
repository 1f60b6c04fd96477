/** Measures what rules cost that come true because time goes by: everybody of a list, and everybody inside, is judged each quarter of an hour. */
import { sweepRules } from "../../src/automations/feed/feed.ts";
import { lookAtSegment } from "../../src/automations/segments/segments.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { percentile99, spread } from "../harness/numbers.ts";
import { type FilledDatabase, fillDatabase, type Service, startService } from "../send/service.ts";
import { executorOn, openDb } from "./engine.ts";
import { inMs, judgeLimit } from "./limits.ts";
import { startAutomation } from "./started.ts";

const PEOPLE = 1_000_000;
/** One of so many matches. */
const ONE_OF = 100;
/** The feed of the account waits for a page, and all of them must be done well before the next quarter of an hour. */
const ASKED = { pageMs: 500, allMs: 300_000, sweepMs: 60_000 };
const AWAY = { field: "event", op: "did_not", value: { name: "seen", days: 30 } };
const END = { type: "end" };

export async function* judgingFigures(setting: Setting): AsyncIterable<Result> {
  const people = Math.round(PEOPLE * setting.sizes.scale);
  const database = await fillDatabase(setting, "automations_judging", people);
  const service = await startService(database, { roles: "api" });
  const db = openDb(database.env["DATABASE_URL"] ?? "");
  try {
    await db.execute(sql`
      insert into custom_events (account_id, subscriber_id, name, occurred_at, id, properties, created_at)
      select account_id, id, 'seen', now() - interval '1 day', uuidv7(), '{}', now()
      from (select account_id, id, row_number() over () as nth from subscribers where status = 'active') as s
      where nth % ${ONE_OF} <> 0`);
    for (const when of ["never analysed", "analysed"]) {
      yield* segmentFigures(setting, db, service, database, { people, when });
      yield* sweepFigures(setting, db, service, database, { people, when });
      await db.execute(sql`vacuum (analyze)`);
    }
  } finally {
    await db.close();
    await service.program.stop();
  }
}

type Round = { readonly people: number; readonly when: string };

/** Who is in the segment is noted when the automation starts; then everybody is looked at, and again after one of a hundred has left. */
async function* segmentFigures(
  { note }: Setting,
  db: Db,
  service: Service,
  database: FilledDatabase,
  { people, when }: Round,
): AsyncIterable<Result> {
  const { id: segment_id } = await service.ask("POST", "/segments", {
    name: `Away, ${when}`,
    list_id: database.listId,
    rules: AWAY,
  });
  const startedMs = performance.now();
  const id = await startAutomation(
    service,
    database,
    { end: END },
    { on: [{ type: "segment_entered", segment_id }] },
  );
  const startMs = performance.now() - startedMs;
  yield judgeLimit(`start on a segment of ${people}, ${when}`, startMs, ASKED.sweepMs, inMs);
  for (const moved of ["nobody", "one of a hundred"]) {
    if (moved !== "nobody")
      await db.execute(sql`
        insert into custom_events (account_id, subscriber_id, name, occurred_at, id, properties, created_at)
        select m.account_id, m.subscriber_id, 'seen', now(), uuidv7(), '{}', now()
        from automation_segment_members m join automation_segments w on w.account_id = m.account_id and w.id = m.watch_id
        where w.automation_id = ${id}`);
    const pages = await lookThrough(db, id);
    const allMs = pages.reduce((sum, ms) => sum + ms, 0);
    note(`segment, ${when}, ${moved} moved: ${pages.length} pages, ${inMs(allMs)}`);
    yield judgeLimit(`a page of a look, ${moved} moved, ${when}`, percentile99(pages), ASKED.pageMs, inMs, [
      spread(pages, inMs),
    ]);
    yield judgeLimit(`a look through ${people}, ${moved} moved, ${when}`, allMs, ASKED.allMs, inMs);
  }
  await db.execute(sql`delete from custom_events where occurred_at > now() - interval '12 hours'`);
}

/** Returns how long each page took. */
async function lookThrough(db: Db, automationId: string): Promise<readonly number[]> {
  const watch = await db.one<{ accountId: string; id: string }>(sql`
    update automation_segments set looked_at = looked_at - interval '1 hour', next_at = now()
    where automation_id = ${automationId} returning account_id as "accountId", id`);
  const pages: number[] = [];
  for (;;) {
    const startedMs = performance.now();
    const looked = await lookAtSegment(executorOn(db), watch.accountId, watch.id);
    pages.push(performance.now() - startedMs);
    if (looked === "taken") throw new Error("somebody else has the feed");
    if (looked === "done") return pages;
  }
}

/** Everybody waits for a rule; one of a hundred is woken by the first sweep, and nobody by the second. */
async function* sweepFigures(
  { note }: Setting,
  db: Db,
  service: Service,
  database: FilledDatabase,
  { people, when }: Round,
): AsyncIterable<Result> {
  // biome-ignore lint/suspicious/noThenProperty: it is the name of a way
  const wait = { type: "wait_for", rule: AWAY, timeout: "P30D", then: "end", else: "end" };
  const id = await startAutomation(service, database, { wait, end: END });
  await db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, woken_by, entered_at, arrived_at, due_at)
    select account_id, ${id}, uuidv7(), id, 1, 'wait', 'time', at, at, at + interval '30 days'
    from (select account_id, id, now() - random() * interval '1 day' as at from subscribers where status = 'active'
          order by random() limit ${people}) as s`);
  const { accountId } = await db.one<{ accountId: string }>(
    sql`select account_id as "accountId" from automations where id = ${id}`,
  );
  for (const found of ["one of a hundred", "nobody"]) {
    const startedMs = performance.now();
    await sweepRules(executorOn(db), accountId, id);
    const tookMs = performance.now() - startedMs;
    const { woken } = await db.one<{ woken: number }>(
      sql`select count(*) as woken from automation_runs where automation_id = ${id} and woken_by = 'event'`,
    );
    note(`sweep, ${when}, ${found} found: ${inMs(tookMs)}, ${woken} are woken`);
    if (woken === 0) throw new Error("nobody was woken");
    yield judgeLimit(`a sweep of ${people} inside, ${found} found, ${when}`, tookMs, ASKED.sweepMs, inMs);
  }
  await db.execute(sql`delete from automation_runs where automation_id = ${id}`);
}
