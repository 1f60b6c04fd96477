/**
 * When an owner is launched again with other content after mail has left, another source takes over exactly those recipients
 * who haven't got the mail.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  cancelSource,
  listRecipients,
  mailHasLeft,
  pauseSource,
  readProgress,
  resumeSource,
} from "../../src/delivery/delivery.ts";
import { markInflight, writeAccepted, writeOutcomes } from "../../src/delivery/ledger/journal-store.ts";
import { leaseBatch } from "../../src/delivery/ledger/lease-store.ts";
import { eventsOf } from "../../src/delivery/ledger/mail-events.ts";
import { settlementOf } from "../../src/delivery/outcomes/outcome-rules.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { endIfDone } from "../../src/delivery/sources/source-life.ts";
import { takeOverRows } from "../../src/delivery/sources/take-over.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import type { Worker } from "../../src/platform/workers/workers.ts";
import {
  assertAgree,
  type Bench,
  countTwice,
  createBench,
  idsOf,
  people,
  type TestLaunch,
} from "../support/delivery.ts";
import { until } from "../support/until.ts";

type OwnerRow = { source: string; email: string; state: string; attempt: number };

/** Returns every row of an owner's ledgers, and asserts that no contact has two. */
async function rowsOf({ db }: Bench, ownerId: string): Promise<OwnerRow[]> {
  const rows = await db.many<OwnerRow>(sql`
    select d.source_id as source, s.email, d.state, d.attempt from sources src
    join deliveries d on d.account_id = src.account_id and d.source_id = src.id
    join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
    where src.owner_id = ${ownerId} order by s.email`);
  assert.equal(new Set(rows.map(({ email }) => email)).size, rows.length, "a contact has one row");
  return rows;
}

/** Plans a campaign with `count` recipients, leases one batch of it to a worker and marks all its rows `inflight`. */
async function begun(bench: Bench, count: number, more: Partial<TestLaunch> = {}) {
  const listId = await bench.addList();
  const emails = people(count);
  await bench.addSubscribers(emails, listId);
  const launch = { audience: { listId, segmentId: null }, ...more };
  const id = await bench.launch({ ...launch, revision: { subject: "First" } });
  while (await planSlice(bench, bench.accountId, id));
  const worker = await bench.startWorker();
  const lease = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), []);
  assert.ok(lease);
  const entries = await bench.db.many<{ contactId: string; subscriberId: string }>(sql`
    select contact_id as "contactId", subscriber_id as "subscriberId" from deliveries
    where source_id = ${id} and contact_id = any(${[...lease.contacts]}::uuid[])`);
  const now = bench.clock.now();
  const marked = entries.map((one) => ({ ...one, attempt: 1, date: now }));
  await markInflight(bench.db, worker, bench.accountId, id, marked, now);
  const outcomes = (some: typeof marked, settlement: Parameters<typeof settlementOf>[0]) => {
    const attempt = {
      number: 1,
      firstAt: now,
      now,
      onAmbiguous: "resend",
      firstRetryMs: 1,
      chance: 0,
    } as const;
    const settled = some.map((one) => ({ ...one, ...settlementOf(settlement, attempt, true) }));
    return { accountId: bench.accountId, sourceId: id, settled, now };
  };
  const accept = async (some: typeof marked) => {
    const accepted = outcomes(some, { kind: "accepted", code: 250, text: "250 ok" });
    await writeAccepted(bench.db, worker, accepted, undefined);
  };
  const defer = async (some: typeof marked) => {
    const refusal = { phase: "rcpt", code: 451, enhanced: "4.7.1", text: "451 later" } as const;
    const deferred = outcomes(some, { kind: "deferred", ...refusal });
    await writeOutcomes(bench.db, worker, deferred, eventsOf(bench.clock, idsOf(id), deferred.settled));
  };
  const fail = () =>
    bench.db.transaction(async (tx) => {
      await tx.execute(sql`update sources set state = 'failed', reason = 'test' where id = ${id}`);
      await tx.execute(sql`delete from runnable where source_id = ${id}`);
    });
  const relaunch = async (revision: unknown = { subject: "Second" }): Promise<string> => {
    await bench.launch({ ...launch, id, revision });
    const { current } = await bench.db.one<{ current: string }>(
      sql`select id as current from sources where owner_id = ${id} and state = 'running'`,
    );
    return current;
  };
  return { id, emails, worker, marked, accept, defer, fail, relaunch };
}

const subjects = async ({ db }: Bench, ownerId: string) => {
  const rows = await db.many<{ to: string; raw: Buffer }>(
    sql`select envelope_to as to, raw from sandbox_messages where owner_id = ${ownerId} order by envelope_to`,
  );
  return rows.map(({ to, raw }) => [to, /^Subject: (.*)\r$/m.exec(raw.toString())?.[1]] as const);
};

describe("taken over", () => {
  let bench: Bench;
  const workers: Worker[] = [];
  before(async () => {
    bench = await createBench();
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await bench.stop();
  });
  const begin = async (count: number, more?: Partial<TestLaunch>) => {
    const made = await begun(bench, count, more);
    workers.push(made.worker);
    return made;
  };
  const takeOver = (id: string, db: Db = bench.db, slice?: number) =>
    takeOverRows({ db, clock: bench.clock }, bench.accountId, id, slice);
  const stateOf = async (id: string) =>
    bench.db.one<{ state: string; revision_id: string; ended: boolean }>(
      sql`select state, revision_id, ended_at is not null as ended from sources where id = ${id}`,
    );

  test("killed between any two steps, every contact has one row and none is lost", async () => {
    const { id, emails, marked, accept, defer, fail, relaunch } = await begin(640);
    await accept(marked.slice(0, 30));
    await defer(marked.slice(30));
    await fail();
    const late = await stateOf(id);
    const next = await relaunch();
    assert.notEqual(next, id);
    assert.deepEqual((await stateOf(id)).revision_id, late.revision_id, "a source keeps its revision");
    /** Returns a database that throws at the nth transaction, as if the process had been killed before it. */
    const dyingAt = (nth: number): Db => {
      let begun = 0;
      return {
        ...bench.db,
        transaction: ((work: Parameters<Db["transaction"]>[0]) => {
          if (++begun >= nth) throw new Error("killed");
          return bench.db.transaction(work);
        }) as Db["transaction"],
      };
    };
    for (const nth of [1, 2, 3, 4, 3, 2]) {
      await assert.rejects(takeOver(id, dyingAt(nth), 50), /killed/);
      assert.equal((await rowsOf(bench, id)).length, emails.length);
      assertAgree(await countTwice(bench, bench.accountId, id));
      assert.equal(await endIfDone(bench, bench.accountId, next), false);
    }
    // The new source is planned in between, which must plan nobody a second time.
    while (await planSlice(bench, bench.accountId, next));
    assert.equal((await rowsOf(bench, id)).length, emails.length);
    // Of two jobs at once, one waits for the other.
    const both = await Promise.all([takeOver(id, bench.db, 70), takeOver(id, bench.db, 50)]);
    assert.deepEqual(both, [true, true]);
    const rows = await rowsOf(bench, id);
    assert.deepEqual(
      rows.map(({ email }) => email),
      emails.toSorted(),
    );
    assert.deepEqual(
      rows.filter(({ source }) => source === id).map(({ state }) => state),
      Array.from({ length: 30 }, () => "sent"),
    );
    assert.deepEqual(await stateOf(id).then(({ state, ended }) => [state, ended]), ["superseded", true]);
    assertAgree(await countTwice(bench, bench.accountId, id));
    const progress = (await readProgress(bench.db, bench.accountId, [id])).get(id);
    assert.deepEqual([progress?.total, progress?.done], [640, 30]);
  });

  test("what comes late from the former launch counts there, and the new one waits for it", async () => {
    const { id, marked, accept, defer, fail, relaunch } = await begin(40);
    await fail();
    assert.equal(await mailHasLeft(bench.db, bench.accountId, id), true);
    const next = await relaunch();
    while (await planSlice(bench, bench.accountId, next));
    assert.equal(await takeOver(id), false, "all of it is on the wire");
    assert.equal(await endIfDone(bench, bench.accountId, next), false);
    await accept(marked.slice(0, 30));
    assert.equal(await takeOver(id), false);
    await defer(marked.slice(30));
    assert.equal(await takeOver(id), true);
    const rows = await rowsOf(bench, id);
    assert.deepEqual(
      ["sent", "deferred"].map(
        (state) => new Set(rows.filter((row) => row.state === state).map((row) => row.source)),
      ),
      [new Set([id]), new Set([next])],
    );
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("accepted to the last, nobody is left for the new source, and it is done", async () => {
    const { id, marked, accept, fail, relaunch } = await begin(20);
    await fail();
    const next = await relaunch();
    while (await planSlice(bench, bench.accountId, next));
    await accept(marked);
    assert.equal(await takeOver(id), true);
    bench.ended.delete(id);
    assert.equal(await endIfDone(bench, bench.accountId, next), true);
    assert.deepEqual(bench.ended.get(id), { kind: "done" });
  });

  for (const [onAmbiguous, states] of [
    ["resend", { ready: 20 }],
    ["hold", { unknown: 20 }],
  ] as const) {
    test(`what was on the wire of a sender that died is ${onAmbiguous === "hold" ? "held" : "sent again"}`, async () => {
      const { id, worker, fail, relaunch } = await begin(20, { onAmbiguous });
      await fail();
      await worker.stop();
      const next = await relaunch();
      while (await planSlice(bench, bench.accountId, next));
      assert.equal(await takeOver(id), true);
      const rows = await rowsOf(bench, id);
      const counted = Object.fromEntries(
        [...Map.groupBy(rows, ({ state }) => state)].map(([state, own]) => [state, own.length]),
      );
      assert.deepEqual(counted, states);
      assert.deepEqual(
        new Set(rows.map(({ source }) => source)),
        new Set([onAmbiguous === "hold" ? id : next]),
      );
      assert.equal(await mailHasLeft(bench.db, bench.accountId, id), true, "it may have arrived");
      assertAgree(await countTwice(bench, bench.accountId, id));
    });
  }

  test("refused to the last after all, another audience replaces both, and nobody of the first is handed over", async () => {
    const { id, marked, defer, fail, relaunch } = await begin(30);
    await fail();
    const second = await relaunch();
    // Until now, the mail on the wire counted as mail that may have left; the refusals show that none has.
    await defer(marked);
    await bench.db.execute(sql`update sources set state = 'failed' where id = ${second}`);
    assert.equal(await mailHasLeft(bench.db, bench.accountId, id), false);
    const listId = await bench.addList();
    const others = people(3);
    await bench.addSubscribers(others, listId);
    await bench.launch({ id, audience: { listId, segmentId: null }, revision: { subject: "Third" } });
    const { third } = await bench.db.one<{ third: string }>(
      sql`select id as third from sources where owner_id = ${id} and state = 'running'`,
    );
    while (await planSlice(bench, bench.accountId, third));
    assert.equal(await takeOver(id), true);
    const { recipients, deferred } = await bench.counts(id);
    assert.deepEqual([recipients, deferred], [3, 0]);
    const page = await listRecipients(bench.db, bench.accountId, id, { limit: 100 });
    assert.deepEqual(page.map(({ email }) => email).toSorted(), others.toSorted());
  });

  test("canceled meanwhile, what isn't taken over yet is canceled where it is", async () => {
    const { id, emails, marked, accept, fail, relaunch } = await begin(300);
    await accept(marked);
    await fail();
    const next = await relaunch();
    await bench.ctx((ctx) => pauseSource(ctx, id, "test"));
    await bench.ctx((ctx) => resumeSource(ctx, id));
    await bench.ctx((ctx) => cancelSource(ctx, id));
    assert.equal(await takeOver(id), true, "nothing of it is taken over any more");
    assert.deepEqual(
      [await stateOf(id), await stateOf(next)].map(({ state }) => state),
      ["canceled", "canceled"],
    );
    await bench.startJobs();
    const left = emails.length - marked.length;
    await until(async () => (await bench.counts(id)).skipped.canceled === left);
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("three times, with senders and jobs at work: everybody gets one mail, with the content of its time", async () => {
    const { id, emails, marked, accept, fail, relaunch } = await begin(150);
    await accept(marked.slice(0, 10));
    await fail();
    const second = await relaunch();
    while (await planSlice(bench, bench.accountId, second));
    await bench.db.execute(sql`update sources set state = 'failed' where id = ${second}`);
    await relaunch({ subject: "Third" });
    await bench.startJobs();
    await bench.startSender();
    await accept(marked.slice(10, 20));
    await workers.at(-1)?.stop();
    await until(() => bench.ended.get(id)?.kind === "done");
    const mails = await subjects(bench, id);
    const already = new Set(
      (await rowsOf(bench, id)).filter(({ source }) => source === id).map(({ email }) => email),
    );
    assert.equal(already.size, 20);
    assert.deepEqual(
      mails,
      emails
        .filter((email) => !already.has(email))
        .toSorted()
        .map((email) => [email, "Third"]),
    );
    assert.equal((await bench.counts(id)).sent, 150);
    const page = await listRecipients(bench.db, bench.accountId, id, { limit: 1_000, status: "sent" });
    assert.deepEqual(page.map(({ email }) => email).toSorted(), emails.toSorted());
    assertAgree(await countTwice(bench, bench.accountId, id));
  });
});
