/**
 * When an owner is launched again with other content after mail has left, another source takes over exactly those recipients
 * who haven't got the mail.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  cancelSource,
  findLedgerMails,
  listRecipients,
  mailHasLeft,
  pauseSource,
  readProgress,
  resumeSource,
  settleByEvidence,
} from "../../src/delivery/delivery.ts";
import { insertFeedback } from "../../src/delivery/guardrails/guardrail-store.ts";
import { NO_WORKER } from "../../src/delivery/ids.ts";
import { markInflight, writeAccepted, writeOutcomes } from "../../src/delivery/ledger/journal-store.ts";
import { leaseBatch } from "../../src/delivery/ledger/lease-store.ts";
import { openJournal } from "../../src/delivery/ledger/ledger.ts";
import { eventsOf } from "../../src/delivery/ledger/mail-events.ts";
import { settlementOf } from "../../src/delivery/outcomes/outcome-rules.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { cancelRows } from "../../src/delivery/sources/cancel.ts";
import { endIfDone } from "../../src/delivery/sources/source-life.ts";
import { takeOverRows } from "../../src/delivery/sources/take-over.ts";
import type { OnAmbiguous } from "../../src/delivery/types.ts";
import { type Db, sql, type Tx } from "../../src/platform/db/db.ts";
import type { Worker } from "../../src/platform/workers/workers.ts";
import { LOCKED, untilBlocking } from "../support/blocked.ts";
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
  const outcomes = (
    some: typeof marked,
    settlement: Parameters<typeof settlementOf>[0],
    onAmbiguous: OnAmbiguous = "resend",
  ) => {
    const attempt = { number: 1, firstAt: now, now, onAmbiguous, firstRetryMs: 1, chance: 0 } as const;
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
  const lose = async (some: typeof marked, onAmbiguous?: OnAmbiguous) => {
    const lost = outcomes(some, { kind: "ambiguous", text: "the connection was lost" }, onAmbiguous);
    await writeOutcomes(bench.db, worker, lost, eventsOf(bench.clock, idsOf(id), lost.settled));
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
  return { id, emails, worker, marked, accept, defer, lose, fail, relaunch };
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
    const progress = (await readProgress(bench.db, bench.accountId, [id], bench.clock.now())).get(id);
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

  const showArrived = (sourceId: string, contactId: string) =>
    bench.ctx((ctx) =>
      settleByEvidence(ctx.sql, ctx.clock, [
        { accountId: bench.accountId, sourceId, contactId, by: "click" },
      ]),
    );
  const rowOf = (contactId: string) =>
    bench.db.one<{ source: string; state: string; why: string | null }>(
      sql`select source_id as source, state, why from deliveries where contact_id = ${contactId}`,
    );

  test("what is shown to have arrived before goes back to its own source, and isn't sent the new content", async () => {
    const { id, marked, accept, defer, lose, worker, fail, relaunch } = await begin(6);
    const [lost, onWire, putOff, canceled, taken, lived] = marked.map(({ contactId }) => contactId) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const pick = (...ids: string[]) => marked.filter(({ contactId }) => ids.includes(contactId));
    await lose(pick(lost, canceled));
    await defer(pick(putOff));
    await accept(pick(taken));
    assert.equal(await showArrived(id, lived), 0, "its sender lives");
    await fail();
    await worker.stop();
    const next = await relaunch();
    while (await planSlice(bench, bench.accountId, next));
    assert.equal(await takeOver(id), true);
    const arrived = { source: id, state: "sent", why: "settled_by_click" };
    assert.deepEqual(await rowOf(lived), arrived, "what was shown to have arrived is not handed over");
    for (const one of [lost, onWire, putOff, canceled]) assert.equal((await rowOf(one)).source, next);
    const found = await findLedgerMails(
      bench.db,
      bench.accountId,
      [lost, taken].map((contactId) => ({ sourceId: id, first: contactId, last: contactId })),
    );
    assert.deepEqual(
      found.map((one) => [one.sourceId, one.contactId, one.state]),
      [
        [id, lost, "deferred"],
        [id, taken, "sent"],
      ],
      "what comes back of the former mail is known as its own",
    );

    assert.equal(await showArrived(id, putOff), 0, "a server that put it off has read it, too");
    assert.equal(await showArrived(id, lost), 1);
    assert.equal(await showArrived(id, onWire), 1);
    assert.equal(await showArrived(id, lost), 0);
    for (const one of [lost, onWire]) assert.deepEqual(await rowOf(one), arrived);
    assertAgree(await countTwice(bench, bench.accountId, id));
    const { queued } = await bench.db.one<{ queued: string[] }>(
      sql`select array_agg(contact_id) as queued from retries where source_id = any(${[id, next]}::uuid[])`,
    );
    assert.deepEqual(new Set(queued), new Set([putOff, canceled]));

    await bench.ctx((ctx) => cancelSource(ctx, id));
    await cancelRows(bench, bench.accountId, next);
    assert.deepEqual(await rowOf(putOff), { source: next, state: "skipped", why: "canceled" });
    assert.deepEqual(await rowOf(canceled), { source: next, state: "unknown", why: "ambiguous" });
    assert.equal(await showArrived(id, canceled), 1);
    assert.deepEqual(await rowOf(canceled), arrived);
    const { sent, unknown, recipients } = await bench.counts(id);
    assert.deepEqual({ sent, unknown, recipients }, { sent: 5, unknown: 0, recipients: 6 });
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("what its given-up sender hears of later goes back too, and is sent once", async () => {
    const { id, marked, worker, fail, relaunch } = await begin(2);
    const [taken, other] = marked as [(typeof marked)[0], (typeof marked)[0]];
    await fail();
    worker.silence();
    await bench.db.execute(sql`delete from workers where id = ${worker.id}`);
    const next = await relaunch();
    while (await planSlice(bench, bench.accountId, next));
    assert.equal(await takeOver(id), true);
    for (const { contactId } of marked) assert.equal((await rowOf(contactId)).source, next);
    const journal = openJournal({ ...bench, onFaultPoint: () => undefined }, worker, {
      accountId: bench.accountId,
      sourceId: id,
      idsOf: idsOf(id),
      keepsSent: () => false,
      settleByEvidence,
      afterOutcomes: async () => undefined,
    });
    const reply = { code: 250, reply: "250 ok", why: null, bounce: null, dueAt: null } as const;
    await journal.settle({ ...taken, state: "sent", ...reply });
    assert.deepEqual(await rowOf(taken.contactId), {
      source: id,
      state: "sent",
      why: "settled_by_acceptance",
    });
    assert.deepEqual(await rowOf(other.contactId), { source: next, state: "ready", why: null });
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("brought back while both sources are settled elsewhere, neither has to begin anew", async () => {
    const { id, marked, lose, fail, relaunch } = await begin(3);
    const [back, ofFormer, ofNext] = marked as [(typeof marked)[0], (typeof marked)[0], (typeof marked)[0]];
    await lose([back, ofNext]);
    await lose([ofFormer], "hold");
    await fail();
    const next = await relaunch();
    while (await planSlice(bench, bench.accountId, next));
    assert.equal(await takeOver(id), true);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await cancelRows(bench, bench.accountId, next);
    let runs = 0;
    const settle = (...shown: [sourceId: string, contactId: string][]) => {
      const evidence = shown.map(([sourceId, contactId]) => ({ sourceId, contactId, by: "click" as const }));
      return bench.db.transaction((tx) => {
        runs++;
        return settleByEvidence(
          tx,
          bench.clock,
          evidence.map((one) => ({ accountId: bench.accountId, ...one })),
        );
      });
    };
    // Somebody holds one counter of the second source up. Who settles both sources has locked those of the first by then, and waits here.
    const [begun, end] = [Promise.withResolvers<Tx>(), Promise.withResolvers<void>()];
    const holding = bench.db.transaction(async (tx) => {
      await tx.execute(sql`
        insert into counters (account_id, source_id, worker_id, what, count)
        values (${bench.accountId}, ${next}, ${NO_WORKER}, 'sent', 0)`);
      begun.resolve(tx);
      await end.promise;
    });
    const tx = await begun.promise;
    const elsewhere = settle([id, ofFormer.contactId], [next, ofNext.contactId]);
    await untilBlocking(tx);
    const broughtBack = settle([id, back.contactId]);
    await until(async () => (await tx.many(LOCKED)).length > 1);
    end.resolve();
    await holding;
    assert.equal(await elsewhere, 2);
    assert.equal(await broughtBack, 1);
    assert.equal(runs, 2, "no transaction met a deadlock");
    const { sent, unknown } = await bench.counts(id);
    assert.deepEqual({ sent, unknown }, { sent: 3, unknown: 0 });
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("what was complained about counts for its own source, and not what a server only put off", async () => {
    const { id, marked, defer, lose, fail, relaunch } = await begin(2);
    const [lost, putOff] = marked as [(typeof marked)[0], (typeof marked)[0]];
    await lose([lost]);
    await defer([putOff]);
    await fail();
    const next = await relaunch();
    while (await planSlice(bench, bench.accountId, next));
    assert.equal(await takeOver(id), true);
    const complaint = { sourceId: id, kind: "complaint", at: bench.clock.now(), itemId: next } as const;
    const feedback = [lost, putOff].map(({ contactId }) => ({ ...complaint, contactId }));
    const note = () => bench.db.transaction((tx) => insertFeedback(tx, bench.accountId, feedback));
    assert.equal((await rowOf(lost.contactId)).source, next);
    assert.deepEqual(await note(), ["new", "never sent"]);
    assert.deepEqual(await note(), ["same item", "never sent"]);
    const kept = await bench.db.many(
      sql`select contact_id, kind from source_feedback where account_id = ${bench.accountId} and source_id = ${id}`,
    );
    assert.deepEqual(kept, [{ contact_id: lost.contactId, kind: "complaint" }]);
  });

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
