/** Measures how many steps a second one worker takes people through, against the two statements without which no step can be. */
import { join } from "node:path";
import { advanceDue } from "../../src/automations/executing/executing.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure } from "../harness/meter.ts";
import { SECRET_KEY } from "../harness/service.ts";
import { openBareSteps } from "../reference/bare-steps.ts";
import { generate } from "../subscribers/generate.ts";
import { executorOn, openDb } from "./engine.ts";
import { timed } from "./limits.ts";
import { makeLive } from "./live.ts";

const ASKED = 0.3;
/** So many are due of all that are inside. */
const DUE = 20_000;

/** Who is woken here goes on to the next wait: one step, and one row of the journal. */
const WAITS = {
  a: { type: "wait", for: "PT1H", next: "b" },
  b: { type: "wait", for: "PT1H", next: "a" },
};
/** Who is woken here takes three or four steps before the next wait. */
const MIXED = {
  a: { type: "wait", for: "PT1H", next: "asked" },
  asked: {
    type: "branch",
    ways: [{ if: { all: [{ field: "fields.points", op: "at_least", value: 50 }] }, next: "dealt" }],
    else: "reached",
  },
  dealt: {
    type: "split",
    ways: [
      { percent: 50, next: "reached" },
      { percent: 50, next: "b" },
    ],
  },
  reached: { type: "goal", name: "Reached", next: "b" },
  b: { type: "wait", for: "PT1H", next: "a" },
};

export async function* stepsFigures(setting: Setting): AsyncIterable<Result> {
  const url = await setting.postgres.createDatabase("bench_automations_steps");
  const env = { DATABASE_URL: url, SECRET_KEY, DATA_DIR: join(setting.folder, "automations-steps") };
  const { listId } = await generate(env, Math.ceil(setting.sizes.rows / 5), setting.note);
  const db = openDb(url);
  try {
    const { account_id: accountId } = await db.one<{ account_id: string }>(
      sql`select account_id from accounts`,
    );
    const people = { accountId, listId: fromPublicId("lst", listId) ?? "" };
    for (const [name, nodes] of [
      ["one step a wake-up", WAITS],
      ["wait, branch, split, goal", MIXED],
    ] as const)
      yield await speed(setting, url, db, name, {
        ...people,
        automationId: await makeLive(db, people, nodes),
      });
  } finally {
    await db.close();
  }
}

type Filled = { readonly accountId: string; readonly listId: string; readonly automationId: string };

/** Everybody on the list waits at `a`; some have waited for long enough, in no order. */
async function fill(db: Db, { accountId, listId, automationId }: Filled): Promise<void> {
  await db.execute(sql`truncate automation_runs, automation_journal, automation_counts`);
  await db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, woken_by, entered_at, arrived_at,
      due_at)
    select ${accountId}, ${automationId}, uuidv7(), id, 1, 'a', 'time', now() - interval '1 day', now() - interval '1 day',
           case when row_number() over () <= ${DUE} then now() - interval '1 hour' + random() * interval '30 minutes'
                else now() + interval '1 day' end
    from (select id from subscribers where account_id = ${accountId} and list_id = ${listId} and status = 'active'
          order by random()) as s`);
  await db.execute(sql`vacuum (analyze) automation_runs, automation_journal, subscribers`);
  await db.execute(sql`checkpoint`);
}

async function speed(setting: Setting, url: string, db: Db, name: string, filled: Filled): Promise<Result> {
  const { accountId, automationId } = filled;
  const tools = executorOn(db);
  const contest: Contest = {
    name: `steps of automations, ${name}`,
    unit: "step",
    asked: ASKED,
    ours: async () => {
      await fill(db, filled);
      const sample = await measure(setting.postgres, process.pid, () =>
        timed(async () => {
          while ((await advanceDue(tools, accountId, automationId)) > 0);
          return (await db.one<{ n: number }>(sql`select count(*) as n from automation_journal`)).n;
        }),
      );
      await checkSums(db);
      return sample;
    },
    reference: async () => {
      await fill(db, filled);
      const bare = await openBareSteps(url, { accountId, automationId }, "b");
      const sample = await measure(setting.postgres, process.pid, () => timed(() => bare.run()));
      await bare.close();
      return sample;
    },
  };
  return judgeContest(contest, await runInTurns(contest, setting));
}

/** What was measured must be right: every step is in the journal once, and is counted once. */
async function checkSums(db: Db): Promise<void> {
  const { counted, written, due } = await db.one<{ counted: number; written: number; due: number }>(sql`
    select (select coalesce(sum(count), 0)::bigint from automation_counts where what like 'left:%') as counted,
           (select count(*) from automation_journal) as written,
           (select count(*) from automation_runs where state = 'active' and due_at <= now()) as due`);
  if (counted !== written || due > 0)
    throw new Error(`${written} steps were written, ${counted} counted, and ${due} people left behind`);
}
