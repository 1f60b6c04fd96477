/** Measures how long publishing takes with a million inside, and the sums of an automation after 10 million steps. */
import { advanceDue } from "../../src/automations/executing/executing.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../src/platform/ids.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";
import { type FilledDatabase, fillDatabase, type Service, startService } from "../send/service.ts";
import { executorOn, openDb } from "./engine.ts";
import { inMs, judgeLimit } from "./limits.ts";
import { mailStats } from "./mail-stats.ts";
import { MAIL, startAutomation } from "./started.ts";

const INSIDE = 1_000_000;
const STEPS = 10_000_000;
const ASKED = { publishMs: 1_000, statsMs: 50 };
/** So many are led through by the executor; what they did is repeated until there are enough steps. */
const LED = 10_000;
const READS = 50;

export async function* publishFigures(setting: Setting): AsyncIterable<Result> {
  const inside = Math.round(INSIDE * setting.sizes.scale);
  const database = await fillDatabase(setting, "automations_publish", inside);
  const service = await startService(database, { roles: "api" });
  const db = openDb(database.env["DATABASE_URL"] ?? "");
  try {
    yield* publishing(setting, db, service, database, inside);
    yield await stats(setting, db, service, database);
    yield await mailStats(setting, db, service, database);
  } finally {
    await db.close();
    await service.program.stop();
  }
}

const waiting = (days: number) => ({
  hello: { ...MAIL, next: "pause" },
  pause: { type: "wait", for: `P${days}D`, at: "09:00", next: "more" },
  more: { ...MAIL, next: "end" },
  end: { type: "end" },
});

/** Publishes a version whose mails are other ones, and then versions whose waits are, which may let people go at once. */
async function* publishing(
  { sizes, note }: Setting,
  db: Db,
  service: Service,
  database: FilledDatabase,
  inside: number,
): AsyncIterable<Result> {
  const id = await startAutomation(service, database, waiting(30));
  await db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, visit, woken_by, entered_at,
      arrived_at, due_at)
    select account_id, ${id}, uuidv7(), id, 1, 'pause', 2, 'time', at, at, at + interval '30 days'
    from (select account_id, id, now() - random() * interval '29 days' as at from subscribers where status = 'active'
          order by random() limit ${inside}) as s`);
  await db.execute(sql`
    insert into automation_counts (account_id, automation_id, node, what, shard, count)
    select account_id, ${id}, node, what, 0, ${inside}
    from accounts, (values ('', 'entered'), ('hello', 'entered'), ('hello', 'left:next'), ('pause', 'entered')) as sum (node, what)`);
  const path = `/automations/${toPublicId("aut", id)}`;
  const publish = async (nodes: object): Promise<number> => {
    const { draft } = await service.ask("GET", path);
    await service.ask("PATCH", path, { draft: { ...draft, nodes } });
    const startedMs = performance.now();
    await service.ask("POST", `${path}/publish`);
    return performance.now() - startedMs;
  };
  for (const when of ["never analysed", "analysed"]) {
    const mails: number[] = [];
    const waits: number[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      const nodes = waiting(30 + waits.length);
      mails.push(await publish({ ...nodes, hello: { ...nodes.hello, subject: `${when} ${round}` } }));
      waits.push(await publish(waiting(31 + waits.length)));
      note(`publish, ${when}: mails ${inMs(mails.at(-1) ?? 0)}, waits ${inMs(waits.at(-1) ?? 0)}`);
    }
    yield judgeLimit(`publish other mails, ${inside} inside, ${when}`, median(mails), ASKED.publishMs, inMs, [
      spread(mails, inMs),
    ]);
    yield judgeLimit(
      `publish another wait, ${inside} inside, ${when}`,
      median(waits),
      ASKED.publishMs,
      inMs,
      [spread(waits, inMs)],
    );
    await db.execute(sql`vacuum (analyze) automation_runs, automation_counts, automation_versions`);
  }
}

const PASSAGE = {
  asked: {
    type: "branch",
    ways: [{ if: { all: [{ field: "fields.points", op: "at_least", value: 50 }] }, next: "dealt" }],
    else: "reached",
  },
  dealt: {
    type: "split",
    ways: [
      { percent: 50, next: "reached" },
      { percent: 50, next: "end" },
    ],
  },
  reached: { type: "goal", name: "Reached", next: "end" },
  end: { type: "end" },
};

/** The executor leads some people through, who fell due before anything happened of which nobody has told it here. Their rows and sums are then multiplied, and read; the journal is counted anew. */
async function stats(
  { sizes, note }: Setting,
  db: Db,
  service: Service,
  database: FilledDatabase,
): Promise<Result> {
  const id = await startAutomation(service, database, PASSAGE);
  const { account_id: accountId } = await db.one<{ account_id: string }>(
    sql`select account_id from automations where id = ${id}`,
  );
  const listId = fromPublicId("lst", database.listId);
  await db.execute(sql`
    with entered as (
      insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
      select account_id, ${id}, uuidv7(), id, 1, 'asked', at, at, at
      from (select account_id, id, now() - interval '1 hour' as at from subscribers
            where list_id = ${listId} and status = 'active' limit ${LED}) as s returning account_id)
    insert into automation_counts (account_id, automation_id, node, what, shard, count)
    select account_id, ${id}, node, 'entered', 0, count(*) from entered, (values (''), ('asked')) as place (node) group by 1, 3`);
  const tools = executorOn(db);
  while ((await advanceDue(tools, accountId, id)) > 0);
  const { steps } = await db.one<{ steps: number }>(
    sql`select count(*) as steps from automation_journal where automation_id = ${id}`,
  );
  if (steps === 0) throw new Error("nobody was led on");
  const times = Math.max(1, Math.round((STEPS * sizes.scale) / steps));
  note(`stats: ${steps} steps, ${times} times`);
  for (let nth = 1; nth < times; nth++)
    await db.execute(sql`
      insert into automation_journal (account_id, run_id, visit, automation_id, version, node, way, reason, arrived_at, left_at)
      select account_id, md5(run_id::text || ${nth}::text)::uuid, visit, automation_id, version, node, way, reason, arrived_at,
             left_at
      from automation_journal where automation_id = ${id}
        and run_id in (select r.id from automation_runs r where r.automation_id = ${id})`);
  await db.execute(sql`update automation_counts set count = count * ${times} where automation_id = ${id}`);
  await db.execute(sql`checkpoint`);
  const path = `/automations/${toPublicId("aut", id)}/stats`;
  const took: number[] = [];
  for (let turn = 0; turn < READS; turn++) {
    const startedMs = performance.now();
    await service.ask("GET", path);
    took.push(performance.now() - startedMs);
  }
  const differing = await recount(db, id, await service.ask("GET", path));
  if (differing.length > 0) throw new Error(`sums differ from a recount: ${differing.join("; ")}`);
  return judgeLimit(
    `stats after ${steps * times} steps, equal to a recount`,
    median(took),
    ASKED.statsMs,
    inMs,
    [spread(took, inMs)],
  );
}

type Stats = {
  readonly entered: number;
  readonly active: number;
  readonly completed: number;
  readonly nodes: readonly {
    readonly node: string;
    readonly entered: number;
    readonly left: Record<string, number>;
  }[];
};

/** Counts the journal, in which everybody is through, and names what the stats say otherwise. */
async function recount(db: Db, id: string, said: Stats): Promise<readonly string[]> {
  const rows = await db.many<{ node: string; way: string; count: number; runs: number }>(sql`
    select node, coalesce(way, 'end') as way, count(*) as count, count(*) filter (where visit = 1) as runs
    from automation_journal where automation_id = ${id} group by 1, 2`);
  const sum = (some: readonly { count: number }[]) => some.reduce((all, { count }) => all + count, 0);
  const runs = rows.reduce((all, row) => all + row.runs, 0);
  const wrong: string[] = [];
  const compare = (name: string, is: number, asked: number) => {
    if (is !== asked) wrong.push(`${name} is ${is}, and ${asked} by a recount`);
  };
  compare("entered", said.entered, runs);
  compare("active", said.active, 0);
  compare("completed", said.completed, sum(rows.filter(({ node }) => node === "end")));
  for (const { node, entered, left } of said.nodes) {
    const own = rows.filter((row) => row.node === node);
    compare(`${node} entered`, entered, sum(own));
    for (const { way, count } of own) compare(`${node} left by ${way}`, left[way] ?? 0, count);
  }
  return wrong;
}
