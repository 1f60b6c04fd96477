/** Measures how fast e-mail steps write rows of the ledger, against planning a campaign for the same people. */
import { advanceDue } from "../../src/automations/executing/executing.ts";
import { type Mailing, queueMail } from "../../src/automations/executing/waves.ts";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { launchSource, ledgerPartitions, readCounts } from "../../src/delivery/delivery.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { commitWithoutFlush } from "../../src/platform/db/flush.ts";
import { maintainPartitions } from "../../src/platform/db/partitions.ts";
import { fromPublicId, newId } from "../../src/platform/ids.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure } from "../harness/meter.ts";
import { fillDatabase, startService } from "../send/service.ts";
import { executorOn, log, openDb } from "./engine.ts";
import { timed } from "./limits.ts";
import { MAIL, startAutomation } from "./started.ts";

const ASKED = 0.5;
const PEOPLE = 20_000;
const AT_ONCE = 500;

const NODES = { hello: { ...MAIL, next: "end" }, end: { type: "end" } };

export async function* emailsFigures(setting: Setting): AsyncIterable<Result> {
  const database = await fillDatabase(setting, "automations_emails", Math.min(PEOPLE, setting.sizes.rows));
  const service = await startService(database, { roles: "api" });
  const automationId = await startAutomation(service, database, NODES).finally(() => service.program.stop());
  const db = openDb(database.env["DATABASE_URL"] ?? "");
  try {
    await maintainPartitions(db, systemClock, ledgerPartitions, log);
    const { account_id: accountId } = await db.one<{ account_id: string }>(
      sql`select account_id from accounts`,
    );
    const listId = fromPublicId("lst", database.listId) ?? "";
    yield* speeds(setting, db, { accountId, listId, automationId });
  } finally {
    await db.close();
  }
}

type Filled = { readonly accountId: string; readonly listId: string; readonly automationId: string };

/**
 * Queuing is what an e-mail step does beside being a step: it finds its wave and writes rows of the ledger, for 500 people a commit. What the
 * step costs in all, with the run and two rows of the journal for each, is the second figure; it is judged by the part `steps`.
 */
async function* speeds(setting: Setting, db: Db, filled: Filled): AsyncIterable<Result> {
  const { accountId, automationId } = filled;
  const { postgres } = setting;
  const tools = executorOn(db);
  const planning = async () => {
    await emptyLedger(db);
    return measure(postgres, process.pid, () => timed(() => planCampaign(db, filled)));
  };
  const queuing: Contest = {
    name: "mails queued for people at an e-mail step, against the planning of a campaign",
    unit: "mail",
    asked: ASKED,
    ours: async () => {
      await emptyLedger(db);
      const mailing = await mailingOf(db, filled);
      const people = await listPeople(db, filled);
      return measure(postgres, process.pid, () => timed(() => queueAll(db, accountId, mailing, people)));
    },
    reference: planning,
  };
  yield judgeContest(queuing, await runInTurns(queuing, setting));
  const whole: Contest = {
    name: "e-mail steps in all, against the planning of a campaign",
    unit: "mail",
    asked: 0,
    ours: async () => {
      await emptyLedger(db);
      await putIn(db, filled);
      return measure(postgres, process.pid, () =>
        timed(async () => {
          while ((await advanceDue(tools, accountId, automationId)) > 0);
          return (await db.one<{ n: number }>(sql`select count(*) as n from deliveries`)).n;
        }),
      );
    },
    reference: planning,
  };
  yield judgeContest(whole, await runInTurns(whole, setting));
}

async function mailingOf(db: Db, { accountId, listId, automationId }: Filled): Promise<Mailing> {
  const { revision } = await db.one<{ revision: string }>(sql`
    select emails ->> 'hello' as revision from automation_versions
    where account_id = ${accountId} and automation_id = ${automationId}`);
  const step = { node: "hello", revisionId: revision, topicId: null };
  return { automationId, listId, ...step, hasInstanceServer: false, isSandbox: true };
}

type Person = { readonly contactId: string; readonly subscriberId: string };

function listPeople(db: Db, { accountId, listId }: Filled): Promise<Person[]> {
  return db.many<Person>(sql`
    select contact_id as "contactId", id as "subscriberId" from subscribers
    where account_id = ${accountId} and list_id = ${listId} and status = 'active' order by random()`);
}

async function queueAll(
  db: Db,
  accountId: string,
  mailing: Mailing,
  people: readonly Person[],
): Promise<number> {
  for (let from = 0; from < people.length; from += AT_ONCE)
    await db.transaction((tx) => {
      // As the executor does, and planning.
      commitWithoutFlush(tx);
      const ctx = systemCtx({ clock: systemClock, log }, tx, accountId);
      return queueMail(ctx, mailing, people.slice(from, from + AT_ONCE));
    });
  return people.length;
}

async function emptyLedger(db: Db): Promise<void> {
  await db.execute(sql`delete from runnable`);
  await db.execute(
    sql`truncate sources, plans, batches, deliveries, retries, delivery_errors, counters, rates, automation_runs,
      automation_journal, automation_counts, automation_waves cascade`,
  );
}

/** Everybody has just come to the e-mail step. */
async function putIn(db: Db, { accountId, listId, automationId }: Filled): Promise<void> {
  await db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
    select ${accountId}, ${automationId}, uuidv7(), id, 1, 'hello', at, at, at
    from (select id, now() - interval '1 hour' - random() * interval '1 hour' as at from subscribers
          where account_id = ${accountId} and list_id = ${listId} and status = 'active') as s`);
  await db.execute(sql`vacuum (analyze) automation_runs, subscribers`);
  await db.execute(sql`checkpoint`);
}

async function planCampaign(db: Db, { accountId, listId }: Filled): Promise<number> {
  const id = newId(systemClock);
  await db.transaction((tx) =>
    launchSource(systemCtx({ clock: systemClock, log }, tx, accountId), {
      ownerId: id,
      stream: "campaign",
      audience: { listId, segmentId: null },
      revisionId: id,
      onAmbiguous: "resend",
      hasInstanceServer: false,
      isSandbox: true,
      ownHost: undefined,
    }),
  );
  while (await planSlice({ db, clock: systemClock, log, owner: campaignOwner }, accountId, id));
  return (await readCounts(db, accountId, id)).recipients;
}
