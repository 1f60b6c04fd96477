/** Measures an installation's first minutes: tens of thousands come in before any table of automations was ever analysed. */
import { enrollPiece } from "../../src/automations/enrolling/enroll-people.ts";
import { advanceDue } from "../../src/automations/executing/executing.ts";
import { feedAccount } from "../../src/automations/feed/feed.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../src/platform/ids.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { type FilledDatabase, fillDatabase, type Service, startService } from "../send/service.ts";
import { executorOn, openDb } from "./engine.ts";
import { inMs, judgeLimit } from "./limits.ts";
import { startAutomation } from "./started.ts";

/** With so many the planner takes every index that begins with the account for equally good, and the narrowest for the best. */
const PEOPLE = 60_000;
const WOKEN = 5_000;
const FORGOTTEN = 1_000;
const TOLD_AT_ONCE = 1_000;
const ASKED = { enterMs: 20_000, leadMs: 20_000, wakeMs: 2_000, forgetMs: 2_000 };

const NODES = {
  listen: {
    type: "wait_for",
    on: [{ type: "event", name: "seen" }],
    timeout: "P30D",
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a way
    then: "rest",
    else: "end",
  },
  rest: { type: "wait", for: "P30D", next: "end" },
  end: { type: "end" },
};

export async function* freshFigures(setting: Setting): AsyncIterable<Result> {
  const people = Math.round(PEOPLE * setting.sizes.scale);
  const database = await fillDatabase(setting, "automations_fresh", people);
  const service = await startService(database, { roles: "api" });
  const db = openDb(database.env["DATABASE_URL"] ?? "");
  try {
    for (const { name } of await db.many<{ name: string }>(
      sql`select oid::regclass::text as name from pg_class where relkind = 'r' and relname like 'automation%'`,
    ))
      await database.query(`alter table ${name} set (autovacuum_enabled = off)`);
    yield* figures(setting, db, service, database, people);
  } finally {
    await db.close();
    await service.program.stop();
  }
}

async function* figures(
  { sizes, note }: Setting,
  db: Db,
  service: Service,
  database: FilledDatabase,
  people: number,
): AsyncIterable<Result> {
  const tools = executorOn(db);
  const id = await startAutomation(service, database, NODES, { on: [{ type: "manual" }] });
  const path = `/automations/${toPublicId("aut", id)}`;
  const { accountId } = await db.one<{ accountId: string }>(
    sql`select account_id as "accountId" from automations where id = ${id}`,
  );
  const judge = async (name: string, asked: number, work: () => Promise<unknown>): Promise<Result> => {
    const startedMs = performance.now();
    await work();
    const tookMs = performance.now() - startedMs;
    note(`${name}: ${inMs(tookMs)}`);
    return judgeLimit(name, tookMs, asked, inMs);
  };
  const feed = async () => {
    while ((await feedAccount(tools, accountId)) !== "done");
  };
  const { id: enrollment } = await service.ask("POST", `${path}/enrollments`, { everyone: true });
  const payload = { account_id: accountId, enrollment_id: fromPublicId("enr", enrollment) ?? "" };
  yield await judge(`${people} enter`, ASKED.enterMs, async () => {
    while (await enrollPiece(tools, tools, payload));
  });
  yield await judge(`${people} are led to where they wait`, ASKED.leadMs, async () => {
    while ((await advanceDue({ ...tools, caughtUpTo: async () => tools.clock.now() }, accountId, id)) > 0);
  });
  const some = await db.many<{ id: string }>(
    sql`select subscriber_id as id from automation_runs order by id limit ${Math.round(WOKEN * sizes.scale)}`,
  );
  for (let from = 0; from < some.length; from += TOLD_AT_ONCE) {
    const events = some.slice(from, from + TOLD_AT_ONCE).map((one) => ({
      subscriber_id: toPublicId("sub", one.id),
      name: "seen",
    }));
    await service.ask("POST", "/track/batch", { events });
  }
  yield await judge(`${some.length} are woken`, ASKED.wakeMs, feed);
  const { woken } = await db.one<{ woken: number }>(
    sql`select count(*) as woken from automation_runs where automation_id = ${id} and woken_by = 'event'`,
  );
  if (woken !== some.length) throw new Error(`${woken} were woken`);
  const forgotten = some.slice(0, Math.round(FORGOTTEN * sizes.scale)).map((one) => one.id);
  yield await judge(`${forgotten.length} are forgotten at once`, ASKED.forgetMs, () =>
    db.execute(
      sql`delete from subscribers where account_id = ${accountId} and id = any(${forgotten}::uuid[])`,
    ),
  );
}
