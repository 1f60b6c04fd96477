import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { cancelSource, pauseSource, resumeSource } from "../../src/delivery/delivery.ts";
import {
  markInflight,
  parkRows,
  writeAccepted,
  writeOutcomes,
} from "../../src/delivery/ledger/journal-store.ts";
import { giveBack, leaseBatch, leaseRetries, readRows } from "../../src/delivery/ledger/lease-store.ts";
import { eventsOf } from "../../src/delivery/ledger/mail-events.ts";
import { settlementOf } from "../../src/delivery/outcomes/outcome-rules.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { startWorker, takeOver, type Worker } from "../../src/platform/workers/workers.ts";
import {
  assertAgree,
  type Bench,
  type Compose,
  composeSimply,
  countTwice,
  createBench,
  idsOf,
} from "../support/delivery.ts";
import { until } from "../support/until.ts";

let domains = 0;
const people = (count: number) => {
  const domain = `d${++domains}.example`;
  return Array.from({ length: count }, (_, n) => `person${n}@${domain}`);
};

async function newAudience(bench: Bench, count: number) {
  const listId = await bench.addList();
  const ids = await bench.addSubscribers(people(count), listId);
  return { ids, audience: { listId, segmentId: null } };
}

/** Counts the rows of the ledger, and how often each of them stands in a batch. */
function batched({ db }: Bench, id: string) {
  return db.one<{ rows: number; ready: number; inBatches: number; distinctInBatches: number }>(sql`
    select (select count(*) from deliveries where source_id = ${id}) as rows,
           (select count(*) from deliveries where source_id = ${id} and state = 'ready') as ready,
           count(*) as "inBatches", count(distinct contact_id) as "distinctInBatches"
    from (select unnest(contacts) as contact_id from batches where source_id = ${id}) as all_batches`);
}

describe("planning", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench.stop());

  test("planners at once, and one killed in the middle of a slice, lose nobody and double nobody", async () => {
    const { audience } = await newAudience(bench, 12_000);
    const id = await bench.launch({ audience });
    await planSlice(bench, bench.accountId, id);
    assert.deepEqual(await batched(bench, id), {
      rows: 500,
      ready: 500,
      inBatches: 500,
      distinctInBatches: 500,
    });
    // The planner is held up in the middle of its slice, so that it can be killed however quick the machine is.
    const killing = bench.db.transaction(async (tx) => {
      await tx.execute(sql`lock table deliveries in share mode`);
      await until(async () => {
        await tx.execute(sql`select pg_stat_clear_snapshot()`);
        const { killed } = await tx.one<{ killed: number }>(sql`
          select count(pg_terminate_backend(pid)) as killed from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%with picked as%'`);
        return killed > 0;
      });
    });
    const planners = Array.from({ length: 3 }, async () => {
      while (await planSlice(bench, bench.accountId, id));
    });
    const ends = await Promise.allSettled(planners);
    await killing;
    assert.ok(
      ends.some(({ status }) => status === "rejected"),
      "a planner was killed",
    );
    while (await planSlice(bench, bench.accountId, id));
    assert.deepEqual(await batched(bench, id), {
      rows: 12_000,
      ready: 12_000,
      inBatches: 12_000,
      distinctInBatches: 12_000,
    });
    assert.equal((await bench.counts(id)).recipients, 12_000);
    assert.equal(await planSlice(bench, bench.accountId, id), false);
  });

  test("two who exchange their addresses in the middle of planning get one row each, and planning goes on", async () => {
    const { ids, audience } = await newAudience(bench, 1_000);
    const id = await bench.launch({ audience });
    await planSlice(bench, bench.accountId, id);
    const sorted = ids.toSorted();
    const [early, late] = [sorted[0] ?? "", sorted[999] ?? ""];
    const contacts = await bench.db.many<{ id: string; contact_id: string }>(
      sql`select id, contact_id from subscribers where id in (${early}, ${late}) order by id`,
    );
    const [first, last] = contacts;
    assert.ok(first && last);
    // The first subscriber gets another contact id before, because a contact is on a list only once.
    await bench.db.execute(sql`update subscribers set contact_id = ${bench.listId} where id = ${early}`);
    await bench.db.execute(sql`update subscribers set contact_id = ${first.contact_id} where id = ${late}`);
    while (await planSlice(bench, bench.accountId, id));
    const { rows, inBatches } = await batched(bench, id);
    assert.deepEqual({ rows, inBatches }, { rows: 999, inBatches: 999 });
  });

  test("a batch has its rows from all over the list", async () => {
    const { ids, audience } = await newAudience(bench, 12_000);
    const id = await bench.launch({ audience });
    while (await planSlice(bench, bench.accountId, id));
    const places = new Map(ids.toSorted().map((one, place) => [one, place]));
    const rows = await bench.db.many<{ ids: string[] }>(sql`
      select (select array_agg(subscriber_id) from deliveries d where d.source_id = ${id} and d.contact_id = any(b.contacts)) as ids
      from batches b where source_id = ${id} order by n offset 8 limit 8`);
    for (const { ids: own } of rows) {
      const thirds = new Set(own.map((one) => Math.floor((places.get(one) ?? 0) / 4_000)));
      assert.deepEqual([...thirds].sort(), [0, 1, 2], `of ${own.length} rows`);
    }
  });
});

describe("senders at fault", () => {
  let bench: Bench;
  const system = (ctx: Bench) => ({ db: ctx.db, clock: ctx.clock, log: ctx.log });
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
  });
  after(() => {
    for (const worker of workers) worker.silence();
    return bench.stop();
  });

  const isPlanned = (id: string, rows: number) =>
    until(async () => (await bench.counts(id)).recipients === rows);
  const workers: Worker[] = [];
  async function start(): Promise<Worker> {
    const onLost = () => undefined;
    const worker = await startWorker({ ...system(bench), kind: "sender", lockName: null, onLost });
    workers.push(worker);
    return worker;
  }

  /** 150 rows make two batches of at most 100, which get ten rows at a time: of fifteen tens, the first batch gets eight. */
  const FIRST_OF_150 = 80;

  /** Leases a batch and marks all of it, as a sender does right before it sends the bodies. */
  async function leaseAndMark(worker: Worker, id: string) {
    const lease = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), []);
    assert.ok(lease);
    const rows = await readRows(bench.db, lease, { needsTags: true, is_given: false });
    const entries = rows.map((row) => ({
      contactId: row.contact_id,
      subscriberId: row.subscriber_id,
      attempt: row.attempt + 1,
      date: bench.clock.now(),
    }));
    const mark = () => markInflight(bench.db, worker, bench.accountId, id, entries, bench.clock.now());
    return { lease, entries, mark, marked: await mark() };
  }

  async function takeOverNow(worker: Worker): Promise<void> {
    worker.silence();
    const { beat } = await bench.db.one<{ beat: number }>(
      sql`select beat from workers where id = ${worker.id}`,
    );
    const seen = { id: worker.id, kind: "sender", epoch: worker.epoch, beat, lock_name: null } as const;
    assert.ok(await takeOver(bench.db, seen, async () => undefined));
  }

  const accepted = settlementOf(
    { kind: "accepted", code: 250, text: "250 ok" },
    {
      number: 1,
      firstAt: new Date(),
      now: new Date(),
      onAmbiguous: "resend",
      firstRetryMs: 60_000,
      chance: 0,
    },
  );

  test("of many that lease at once, no two ever get the same batch", async () => {
    const id = newId(bench.clock);
    await bench.db.execute(sql`
      insert into batches (account_id, source_id, stream, transport_id, contacts)
      select ${bench.accountId}, ${id}, 'campaign', ${bench.accountId}, '{}' from generate_series(1, 300)`);
    const holders = await Promise.all(Array.from({ length: 9 }, start));
    const leased: number[] = [];
    const leaseAll = async (worker: Worker) => {
      const held: number[] = [];
      for (;;) {
        const lease = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), held);
        if (!lease) return;
        held.push(lease.n);
        leased.push(lease.n);
      }
    };
    await Promise.all(holders.map(leaseAll));
    assert.equal(new Set(leased).size, leased.length, "none twice");
    assert.equal(leased.length, 300);
  });

  test("a batch whose lease was never answered is leased again by the same sender", async () => {
    const { audience } = await newAudience(bench, 20);
    const id = await bench.launch({ audience });
    await isPlanned(id, 20);
    const worker = await start();
    const lease = (held: readonly number[]) =>
      leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), held);
    const unheard = await lease([]);
    assert.ok(unheard);
    assert.equal(await lease([unheard.n]), undefined, "one that it knows of it has already");
    assert.equal((await lease([]))?.n, unheard.n);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await worker.stop();
  });

  test("statements whose answers got lost may be run again, and count once", async () => {
    const { audience } = await newAudience(bench, 50);
    const id = await bench.launch({ audience });
    await isPlanned(id, 50);
    const worker = await start();
    const { entries, mark, marked } = await leaseAndMark(worker, id);
    assert.equal(marked.length, 50);
    assert.equal((await mark()).length, 50);
    const all = entries.map((entry) => ({ ...entry, ...accepted }));
    const outcomesOf = (settled: typeof all) => {
      return { accountId: bench.accountId, sourceId: id, settled, now: bench.clock.now() };
    };
    const [some, rest] = [all.slice(0, 30), all.slice(30)];
    const settle = () =>
      bench.db.transaction((tx) =>
        writeOutcomes(tx, worker, outcomesOf(some), eventsOf(bench.clock, idsOf(id), some)),
      );
    assert.equal((await settle()).length, 30);
    assert.equal((await settle()).length, 0);
    for (let time = 1; time <= 2; time++) {
      await writeAccepted(bench.db, worker, outcomesOf(rest), eventsOf(bench.clock, idsOf(id), rest));
    }
    assert.equal((await mark()).length, 0);
    assertAgree(await countTwice(bench, bench.accountId, id));
    assert.equal((await bench.counts(id)).sent, 50);
    const { told } = await bench.db.one<{ told: number }>(sql`
      select count(*) as told from events
      where account_id = ${bench.accountId} and type = 'email.sent' and data ->> 'campaign_id' = ${toPublicId("cmp", id)}`);
    assert.equal(told, 50);
    await worker.stop();
  });

  test("a batch that ends frees no retry that another batch has claimed since", async () => {
    const { audience } = await newAudience(bench, 10);
    const id = await bench.launch({ audience });
    await isPlanned(id, 10);
    const worker = await start();
    const first = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), []);
    assert.ok(first);
    const [contactId] = first.contacts;
    await bench.db.execute(sql`
      with deferred as (
        update deliveries set state = 'deferred', attempt = 1 where source_id = ${id} and contact_id = ${contactId ?? ""}
        returning account_id, source_id, contact_id)
      insert into retries (account_id, source_id, contact_id, due_at)
      select account_id, source_id, contact_id, now() - interval '1 second' from deferred`);
    const lease = () => leaseRetries(bench.db, worker, bench.accountId, id, bench.clock.now());
    assert.deepEqual((await lease())?.contacts, [contactId]);
    await giveBack(bench.db, worker, first);
    assert.equal(await lease(), undefined, "it is the other batch's still");
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await worker.stop();
  });

  test("a sender that was taken over marks nothing any more, and its batch goes to another", async () => {
    const { audience } = await newAudience(bench, 150);
    const id = await bench.launch({ audience });
    await isPlanned(id, 150);
    const worker = await start();
    const { mark, marked } = await leaseAndMark(worker, id);
    assert.equal(marked.length, FIRST_OF_150);
    await takeOverNow(worker);
    assert.equal((await mark()).length, 0);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    const { sent } = await bench.counts(id);
    assert.equal(sent, 150);
    const { twice } = await bench.db.one<{ twice: number }>(
      sql`select count(*) as twice from deliveries where source_id = ${id} and attempt = 2`,
    );
    assert.equal(twice, FIRST_OF_150, "what it had on the wire is sent again, and nothing else");
    await sender.stop();
  });

  test("who was told to wait waits as long after a take-over: deferred, lost after the dot, or of a slow domain", async () => {
    const { audience } = await newAudience(bench, 150);
    const id = await bench.launch({ audience });
    await isPlanned(id, 150);
    const worker = await start();
    const { lease, entries } = await leaseAndMark(worker, id);
    const other = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), [lease.n]);
    const dueAt = new Date(bench.clock.now().getTime() + 3_600_000);
    const attempt = {
      number: 1,
      firstAt: bench.clock.now(),
      now: bench.clock.now(),
      onAmbiguous: "resend",
      firstRetryMs: 3_600_000,
      chance: 0.5,
    } as const;
    const later = settlementOf(
      { kind: "deferred", phase: "rcpt", code: 451, enhanced: "4.7.1", text: "451 4.7.1 later" },
      attempt,
    );
    const lost = settlementOf({ kind: "ambiguous", text: "the connection was lost" }, attempt);
    const settled = entries
      .slice(0, 30)
      .map((entry, n) => ({ ...entry, ...(n < 20 ? later : lost), dueAt: new Date(dueAt) }));
    const outcomes = { accountId: bench.accountId, sourceId: id, settled, now: bench.clock.now() };
    await bench.db.transaction((tx) =>
      writeOutcomes(tx, worker, outcomes, eventsOf(bench.clock, idsOf(id), settled)),
    );
    const parked = (other?.contacts.slice(0, 10) ?? []).map((contactId) => ({ contactId, dueAt }));
    await parkRows(bench.db, worker, bench.accountId, id, parked, bench.clock.now());
    await takeOverNow(worker);
    const sender = await bench.startSender();
    await until(async () => (await bench.counts(id)).sent >= 110);
    const waiting = () =>
      bench.db.many(sql`
        select d.state, d.attempt, r.due_at, count(*) from deliveries d
        left join retries r using (account_id, source_id, contact_id)
        where d.source_id = ${id} and d.state <> 'sent' group by 1, 2, 3 order by 2`);
    assert.deepEqual(await waiting(), [
      { state: "deferred", attempt: 0, due_at: dueAt, count: 10 },
      { state: "deferred", attempt: 1, due_at: dueAt, count: 30 },
    ]);
    await until(async () => {
      const { left } = await bench.db.one<{ left: number }>(
        sql`select count(*) as left from batches where source_id = ${id}`,
      );
      return left === 0;
    });
    await bench.db.execute(sql`update retries set due_at = now() where source_id = ${id}`);
    await until(() => bench.ended.has(id));
    assert.equal((await bench.counts(id)).sent, 150);
    assertAgree(await countTwice(bench, bench.accountId, id));
    await sender.stop();
  });

  test("retries that a dead sender had taken up are due, and are tried by the next", async () => {
    const { audience } = await newAudience(bench, 10);
    const id = await bench.launch({ audience });
    await isPlanned(id, 10);
    const worker = await start();
    const first = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), []);
    assert.ok(first);
    const parked = first.contacts.map((contactId) => ({ contactId, dueAt: bench.clock.now() }));
    await parkRows(bench.db, worker, bench.accountId, id, parked, bench.clock.now());
    await giveBack(bench.db, worker, first);
    const again = await leaseRetries(bench.db, worker, bench.accountId, id, bench.clock.now());
    assert.equal(again?.contacts.length, 10);
    await takeOverNow(worker);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    assert.equal((await bench.counts(id)).sent, 10);
    await sender.stop();
  });

  test("held, what a dead sender had on the wire is unknown", async () => {
    const { audience } = await newAudience(bench, 150);
    const id = await bench.launch({ audience, onAmbiguous: "hold" });
    await isPlanned(id, 150);
    const worker = await start();
    const { marked } = await leaseAndMark(worker, id);
    assert.equal(marked.length, FIRST_OF_150);
    await takeOverNow(worker);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    const { sent, unknown } = await bench.counts(id);
    assert.deepEqual({ sent, unknown }, { sent: 150 - FIRST_OF_150, unknown: FIRST_OF_150 });
    assertAgree(await countTwice(bench, bench.accountId, id));
    await sender.stop();
  });

  test("an outcome that comes late counts, unless another has begun the row anew", async () => {
    const { audience } = await newAudience(bench, 20);
    const id = await bench.launch({ audience });
    await isPlanned(id, 20);
    const worker = await start();
    const { entries } = await leaseAndMark(worker, id);
    await takeOverNow(worker);
    const [first, ...rest] = entries;
    assert.ok(first);
    const settle = (some: typeof entries) => {
      const settled = some.map((entry) => ({ ...entry, ...accepted }));
      const outcomes = { accountId: bench.accountId, sourceId: id, settled, now: bench.clock.now() };
      const events = eventsOf(bench.clock, idsOf(id), settled);
      return bench.db.transaction((tx) => writeOutcomes(tx, worker, outcomes, events));
    };
    assert.equal((await settle([first])).length, 1);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    assert.equal((await settle(rest)).length, 0);
    assert.equal((await bench.counts(id)).sent, 20);
    assertAgree(await countTwice(bench, bench.accountId, id));
    await sender.stop();
  });

  test("who opts out, is suppressed or is deleted after planning gets nothing, and the ledger says why", async () => {
    const { ids, audience } = await newAudience(bench, 40);
    const id = await bench.launch({ audience });
    await isPlanned(id, 40);
    await bench.db.execute(sql`update subscribers set status = 'unsubscribed' where id = ${ids[0] ?? null}`);
    await bench.db.execute(sql`delete from subscribers where id = ${ids[1] ?? null}`);
    await bench.db.execute(sql`
      insert into suppressions (account_id, contact_id, id, reason, source, created_at, updated_at)
      select account_id, contact_id, id, 'manual', 'test', now(), now() from subscribers where id = ${ids[2] ?? null}`);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    const { sent, skipped } = await bench.counts(id);
    assert.equal(sent, 37);
    assert.deepEqual(skipped, {
      suppressed: 1,
      unsubscribed: 1,
      invalid: 0,
      canceled: 0,
      deleted: 1,
      total: 3,
    });
    assertAgree(await countTwice(bench, bench.accountId, id));
    await sender.stop();
  });

  test("paused before the first body, nothing leaves; canceled, every row says so", async () => {
    const { audience } = await newAudience(bench, 700);
    const id = await bench.launch({ audience });
    await bench.ctx((ctx) => pauseSource(ctx, id, "by hand"));
    const sender = await bench.startSender();
    await isPlanned(id, 700);
    await sleep(300);
    assert.equal((await bench.counts(id)).queued, 700);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await until(async () => (await bench.counts(id)).skipped.canceled === 700);
    assertAgree(await countTwice(bench, bench.accountId, id));
    await sender.stop();
  });

  test("paused, resumed and canceled at random, nobody is lost and nobody gets it twice", async () => {
    const slowly: Compose = async (source) => {
      const many = await composeSimply(source);
      return async (recipients) => {
        await sleep(15);
        return many(recipients);
      };
    };
    const senders = [await bench.startSender(slowly), await bench.startSender(slowly)];
    const step = fc.record({
      act: fc.constantFrom("pause", "resume", "pause", "resume", "pause", "resume", "cancel"),
      waitMs: fc.integer({ min: 0, max: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const { audience } = await newAudience(bench, 900);
        const id = await bench.launch({ audience });
        let isCanceled = false;
        const verbs = { pause: pauseSource, resume: resumeSource, cancel: cancelSource };
        const attempt = async (act: keyof typeof verbs): Promise<boolean> => {
          try {
            await bench.ctx((ctx) => verbs[act](ctx, id));
            return true;
          } catch (error) {
            // With a campaign, the compare-and-set on its own row would have failed in the same way.
            assert.match((error as Error).message, /is not (running|paused)/);
            return false;
          }
        };
        for (const { act, waitMs } of steps) {
          await sleep(waitMs);
          const done = await attempt(act);
          if (act === "cancel" && done) isCanceled = true;
          assertAgree(await countTwice(bench, bench.accountId, id));
        }
        if (!isCanceled) await attempt("resume");
        await until(async () => {
          const { recipients, queued } = await bench.counts(id);
          return isCanceled ? queued === 0 : bench.ended.has(id) && recipients === 900;
        });
        assertAgree(await countTwice(bench, bench.accountId, id));
        const wrong = await bench.db.many(sql`
          select d.contact_id, d.state, d.attempt, count(m.id) as messages from deliveries d
          left join sandbox_messages m on m.owner_id = d.source_id and m.contact_id = d.contact_id
          where d.source_id = ${id} group by d.contact_id, d.state, d.attempt
          having count(m.id) <> case d.state when 'sent' then 1 else 0 end`);
        assert.deepEqual(wrong, []);
      }),
      { numRuns: 16 },
    );
    await Promise.all(senders.map((sender) => sender.stop()));
  });
});
