/** The journal's statements must be executed by keys and without wasted work, with and without statistics of the tables. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { type Bench, createBench, idsOf } from "../../../test/support/delivery.ts";
import { clientConfigFor, type Queryable, sql } from "../../platform/db/db.ts";
import { queryable } from "../../platform/db/queryable.ts";
import { queryConfig } from "../../platform/db/send.ts";
import { startWorker, type Worker } from "../../platform/workers/workers.ts";
import {
  createTopic,
  pauseContact,
  setTopicChoices,
  suppressContact,
} from "../../subscribers/subscribers.ts";
import {
  type Entry,
  markInflight,
  parkRows,
  type Settled,
  writeAccepted,
  writeOutcomes,
} from "../ledger/journal-store.ts";
import { eventsOf } from "../ledger/mail-events.ts";
import { planSlice } from "./plan.ts";

const GROUP = 100;
const PEOPLE = 3_000;

// biome-ignore lint/suspicious/noExplicitAny: the members of a plan are PostgreSQL's and have many types
type ExecutedPlan = Record<string, any> & { Plans?: ExecutedPlan[] };

/** Opens a connection with a sender's settings, and collects the plans that were really executed on it. */
async function connect(url: string) {
  const options = { connection: url, applicationName: "test", statementTimeoutMs: 30_000, plansOnce: true };
  const client = new pg.Client(clientConfigFor(options));
  await client.connect();
  await client.query("load 'auto_explain'");
  for (const setting of ["min_duration = 0", "analyze = on", "format = json", "level = notice"])
    await client.query(`set auto_explain.log_${setting}`);
  const plans: ExecutedPlan[] = [];
  client.on("notice", ({ message = "" }) => {
    const at = message.indexOf("{");
    if (at >= 0) plans.push(...flatten(JSON.parse(message.slice(at)).Plan));
  });
  return {
    db: queryable((statement) => client.query(queryConfig(statement))),
    plans,
    end: () => client.end(),
  };
}

function flatten(plan: ExecutedPlan): ExecutedPlan[] {
  return [plan, ...(plan["Plans"] ?? []).flatMap(flatten)];
}

/** Asserts that big tables are read by their primary keys, and that no step handles more rows than three times the group. */
function assertLinear(plans: readonly ExecutedPlan[]): void {
  assert.ok(plans.length > 0, "there are plans");
  for (const plan of plans) {
    const what = `${plan["Node Type"]} on ${plan["Relation Name"] ?? "nothing"} by ${plan["Index Name"] ?? "no index"}`;
    const touched = ["Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter"];
    const rows = touched.reduce((sum, name) => sum + (plan[name] ?? 0), 0) * (plan["Actual Loops"] ?? 0);
    assert.ok(rows <= 3 * GROUP, `${what} went through ${rows} rows for ${GROUP}`);
    const isBig = /^(deliveries|subscribers)/.test(plan["Relation Name"] ?? "");
    if (isBig && plan["Node Type"] !== "ModifyTable")
      assert.match(plan["Index Name"] ?? "none", /^(deliveries_\w+|subscribers)_pkey$/, what);
  }
}

const knowledge = ["never analysed", "analysed"] as const;
const ledgers = ["with a partition for the month", "with the default partition alone"] as const;

for (const ledger of ledgers) {
  describe(`the journal's statements, on a ledger ${ledger}`, () => {
    let bench: Bench;
    let worker: Worker;
    let sourceId = "";
    let topicId = "";
    let entries: Entry[] = [];
    before(async () => {
      bench = await createBench();
      if (ledger === ledgers[1]) await dropPartitions(bench);
      await bench.addSubscribers(Array.from({ length: PEOPLE }, (_, n) => `p${n}@example.com`));
      await addBlocked(bench);
      worker = await startWorker({ ...bench, kind: "sender", lockName: null, onLost: () => undefined });
      topicId = await addTopic(bench);
      sourceId = await bench.launch({ audience: { listId: bench.listId, segmentId: null, topicId } });
      while (await planSlice(bench, bench.accountId, sourceId));
      const rows = await bench.db.many<{ contact_id: string; subscriber_id: string }>(
        sql`select contact_id, subscriber_id from deliveries where source_id = ${sourceId} order by md5(contact_id::text)`,
      );
      entries = rows.map((row) => ({
        contactId: row.contact_id,
        subscriberId: row.subscriber_id,
        attempt: 1,
        date: bench.clock.now(),
      }));
    });
    after(async () => {
      await worker.stop();
      await bench.stop();
    });
    const next = () => entries.splice(0, GROUP);

    const now = () => bench.clock.now();
    const admit = (db: Queryable, group: Entry[]) =>
      markInflight(db, worker, bench.accountId, sourceId, group, now());
    const settled = (group: Entry[], state: Settled["state"]): Settled[] =>
      group.map(({ contactId, subscriberId, attempt }) => ({
        contactId,
        subscriberId,
        attempt,
        state,
        why: null,
        bounce: null,
        code: 250,
        reply: `250 ${contactId}`,
        dueAt: state === "deferred" ? now() : null,
      }));

    for (const known of knowledge) {
      test(`admission and outcomes take each row by its key, ${known}`, async () => {
        if (known === "analysed") await bench.db.execute(sql`analyze`);
        const { db, plans, end } = await connect(bench.url);
        try {
          const group = next();
          assert.equal((await admit(db, group)).length, GROUP);
          const sent = settled(group, "sent");
          const outcomes = { accountId: bench.accountId, sourceId, settled: sent, now: now() };
          await writeAccepted(db, worker, outcomes, eventsOf(bench.clock, idsOf(sourceId), sent));
          assertLinear(plans);
          await assertAsGiven(group, "sent");

          const others = next();
          await admit(db, others);
          const deferred = settled(others, "deferred");
          await writeOutcomes(
            db,
            worker,
            { ...outcomes, settled: deferred },
            eventsOf(bench.clock, idsOf(sourceId), deferred),
          );
          await assertAsGiven(others, "deferred");
          const parked = next().map(({ contactId }, n) => ({ contactId, dueAt: new Date(1e12 + n) }));
          await parkRows(db, worker, bench.accountId, sourceId, parked, now());
          assertLinear(plans);
          const dues = await bench.db.many<{ contact_id: string; due_at: Date }>(
            sql`select contact_id, due_at from retries where due_at < '2002-01-01'`,
          );
          const dueOf = new Map(dues.map((one) => [one.contact_id, one.due_at.getTime()]));
          for (const { contactId, dueAt } of parked) assert.equal(dueOf.get(contactId), dueAt.getTime());
          await bench.db.execute(sql`delete from retries where due_at < '2002-01-01'`);
        } finally {
          await end();
        }
      });

      test(`a group of whom many may no longer be mailed is as cheap, ${known}`, async () => {
        const { db, plans, end } = await connect(bench.url);
        try {
          const group = next();
          const [suppressed, out, gone, paused, left, mailable] = [0, 15, 30, 45, 60, 75].map((from) =>
            group.slice(from, from === 75 ? GROUP : from + 15),
          );
          assert.ok(suppressed && out && gone && paused && left && mailable);
          await bench.ctx(async (ctx) => {
            for (const { contactId } of suppressed) await suppressContact(ctx, contactId, "manual", "test");
            for (const { contactId } of paused)
              await pauseContact(ctx, contactId, new Date(Date.now() + 86_400_000));
            for (const { contactId } of left)
              await setTopicChoices(ctx, contactId, [{ topicId, isOn: false }], "test");
          });
          await bench.db.execute(sql`
            insert into opt_outs (account_id, contact_id, list_id, source, created_at)
            select ${bench.accountId}, id, ${bench.listId}, 'test', now() from unnest(${out.map((one) => one.contactId)}::uuid[]) as id`);
          await bench.db.execute(
            sql`delete from subscribers where id = any(${gone.map((one) => one.subscriberId)}::uuid[])`,
          );
          const held = await admit(db, group);
          assert.deepEqual([...held].sort(), mailable.map((one) => one.contactId).sort());
          assertLinear(plans);
          for (const [some, why] of [
            [suppressed, "suppressed"],
            [out, "unsubscribed"],
            [paused, "unsubscribed"],
            [left, "unsubscribed"],
            [gone, "deleted"],
          ] as const) {
            const ids = some.map((one) => one.contactId);
            const rows = await bench.db.many(
              sql`select distinct state, why from deliveries where source_id = ${sourceId} and contact_id = any(${ids}::uuid[])`,
            );
            assert.deepEqual(rows, [{ state: "skipped", why }]);
          }
        } finally {
          await end();
        }
      });
    }

    async function assertAsGiven(group: readonly Entry[], state: string): Promise<void> {
      const ids = group.map((one) => one.contactId);
      const { count } = await bench.db.one<{ count: number }>(sql`
        select count(*) from deliveries
        where source_id = ${sourceId} and contact_id = any(${ids}::uuid[]) and state = ${state} and reply = '250 ' || contact_id`);
      assert.equal(count, GROUP, "each row has its own outcome");
    }
  });
}

/** Adds suppressions and opt-outs of other people, because the server rightly scans a table that has only one page. */
async function addBlocked({ db, accountId, listId }: Bench): Promise<void> {
  await db.execute(sql`
    insert into suppressions (account_id, contact_id, id, reason, source, created_at, updated_at)
    select ${accountId}, gen_random_uuid(), gen_random_uuid(), 'manual', 'test', now(), now() from generate_series(1, ${PEOPLE}::int)`);
  await db.execute(sql`
    insert into opt_outs (account_id, contact_id, list_id, source, created_at)
    select ${accountId}, gen_random_uuid(), ${listId}, 'test', now() from generate_series(1, ${PEOPLE}::int)`);
  await db.execute(sql`
    insert into contact_pauses (account_id, contact_id, until)
    select ${accountId}, gen_random_uuid(), now() + interval '1 day' from generate_series(1, ${PEOPLE}::int)`);
}

/** Adds a topic about which everybody has said yes, and others have said no. */
async function addTopic(bench: Bench): Promise<string> {
  const { id } = await bench.ctx((ctx) => createTopic(ctx, { name: "News" }));
  await bench.db.execute(sql`
    insert into topic_choices (account_id, contact_id, topic_id, is_on, source, at)
    select account_id, contact_id, ${id}::uuid, true, 'test', now() from subscribers where account_id = ${bench.accountId}
    union all
    select ${bench.accountId}, gen_random_uuid(), ${id}::uuid, false, 'test', now() from generate_series(1, ${PEOPLE}::int)`);
  return id;
}

async function dropPartitions({ db }: Bench): Promise<void> {
  const partitions = await db.many<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'deliveries'::regclass and inhrelid <> 'deliveries_default'::regclass`);
  for (const { name } of partitions) await db.execute(sql([`drop table ${name}`]));
}
