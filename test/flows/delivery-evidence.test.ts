/** A mail that a server may have taken isn't sent again once something shows that it arrived, whoever is at work on its row. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { cancelSource, deliveryJobs, settleByEvidence } from "../../src/delivery/delivery.ts";
import { markInflight, writeAccepted, writeOutcomes } from "../../src/delivery/ledger/journal-store.ts";
import { giveBack, leaseBatch, leaseRetries } from "../../src/delivery/ledger/lease-store.ts";
import { type Entry, openJournal, settleAbandoned } from "../../src/delivery/ledger/ledger.ts";
import { eventsOf } from "../../src/delivery/ledger/mail-events.ts";
import { awaitingMend, settlementOf } from "../../src/delivery/outcomes/outcome-rules.ts";
import { sql } from "../../src/platform/db/db.ts";
import { takeOver, type Worker } from "../../src/platform/workers/workers.ts";
import {
  assertAgree,
  type Bench,
  countTwice,
  createBench,
  idsOf,
  people,
  testSenderOptions,
} from "../support/delivery.ts";
import { until } from "../support/until.ts";

const LOST = { kind: "ambiguous", text: "the connection was lost" } as const;
const PUT_OFF = {
  kind: "deferred",
  phase: "data",
  code: 451,
  enhanced: "4.7.1",
  text: "451 4.7.1 later",
} as const;
const TAKEN = { kind: "accepted", code: 250, text: "250 ok" } as const;

describe("evidence of mail that waits to be sent again", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
  });
  after(() => bench.stop());

  /** A campaign of which a sender has all rows on the wire. */
  async function onTheWire(count: number) {
    const listId = await bench.addList();
    await bench.addSubscribers(people(count), listId);
    const id = await bench.launch({ audience: { listId, segmentId: null } });
    await until(async () => {
      const found = await bench.db.maybeOne(
        sql`select from plans where source_id = ${id} and ended_at is not null`,
      );
      return found !== undefined;
    });
    const worker = await bench.startWorker();
    const lease = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), []);
    assert.ok(lease);
    const rows = await bench.db.many<{ contactId: string; subscriberId: string }>(sql`
      select contact_id as "contactId", subscriber_id as "subscriberId" from deliveries
      where source_id = ${id} order by contact_id`);
    const entries = rows.map((row) => ({ ...row, attempt: 1, date: bench.clock.now() }));
    const mark = (some: readonly Entry[]) =>
      markInflight(bench.db, worker, bench.accountId, id, some, bench.clock.now());
    await mark(entries);
    return { id, worker, lease, entries, mark };
  }

  async function write(
    worker: Worker,
    id: string,
    entries: readonly Entry[],
    outcome: Parameters<typeof settlementOf>[0],
  ) {
    const now = bench.clock.now();
    const settled = entries.map((entry) => {
      const attempt = { number: entry.attempt, firstAt: now, now, firstRetryMs: 3_600_000, chance: 0.5 };
      return { ...entry, ...settlementOf(outcome, { ...attempt, onAmbiguous: "resend" }) };
    });
    const outcomes = { accountId: bench.accountId, sourceId: id, settled, now };
    if (outcome === TAKEN) await writeAccepted(bench.db, worker, outcomes, undefined);
    else
      await bench.db.transaction((tx) =>
        writeOutcomes(tx, worker, outcomes, eventsOf(bench.clock, idsOf(id), settled)),
      );
  }

  const again = (entries: readonly Entry[]) => entries.map((entry) => ({ ...entry, attempt: 2 }));
  const showArrived = (sourceId: string, entries: readonly Entry[], by: "dsn" | "click" = "click") =>
    bench.ctx((ctx) =>
      settleByEvidence(
        ctx.sql,
        ctx.clock,
        entries.map(({ contactId }) => ({ accountId: bench.accountId, sourceId, contactId, by })),
      ),
    );
  const stateOf = async (id: string, { contactId }: Entry) => {
    const row = await bench.db.one<{ state: string; why: string | null; attempt: number }>(sql`
      select state, why, attempt from deliveries where source_id = ${id} and contact_id = ${contactId}`);
    return `${row.state} ${row.why ?? "-"} ${row.attempt}`;
  };
  const die = async (worker: Worker) => {
    worker.silence();
    const { beat } = await bench.db.one<{ beat: number }>(
      sql`select beat from workers where id = ${worker.id}`,
    );
    const seen = { id: worker.id, kind: "sender", epoch: worker.epoch, beat, lock_name: null } as const;
    assert.ok(await takeOver(bench.db, seen, async () => undefined));
  };

  /** Runs the job that looks again at so many rows, without waiting for its time. */
  async function lookAgain(rows: number): Promise<void> {
    const { db, clock, log, owner } = bench;
    const job = deliveryJobs({ owner, ...testSenderOptions }).find(({ name }) => name === "settle_later");
    const find = () =>
      db.maybeOne<{ payload: { evidence: unknown[] } }>(sql`
        select payload from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'settle_later' and jsonb_array_length(payload::jsonb -> 'evidence') = ${rows}`);
    await until(async () => (await find()) !== undefined);
    const payload = (await find())?.payload as object;
    await job?.run({ db, clock, log, signal: new AbortController().signal, attempt: 1 }, payload);
  }

  /** The journal of a sender that has the source's rows on the wire. */
  const journalOf = (worker: Worker, id: string) =>
    openJournal({ ...bench, onFaultPoint: () => undefined }, worker, {
      accountId: bench.accountId,
      sourceId: id,
      idsOf: idsOf(id),
      keepsSent: () => false,
      settleByEvidence,
      afterOutcomes: async () => undefined,
    });
  const attempted = { firstRetryMs: 3_600_000, chance: 0.5, onAmbiguous: "resend" } as const;
  const notesOf = (id: string) =>
    bench.db.many<{ contactId: string; attempt: number }>(sql`
      select contact_id as "contactId", attempt from delivery_errors
      where source_id = ${id} and state = 'deferred' and why = 'ambiguous' order by contact_id`);

  test("settles what may have arrived, and nothing that a server only put off", async () => {
    const { id, worker, lease, entries, mark } = await onTheWire(7);
    const [lost, putOff, lostThenPutOff, silent, ofDead, late, ready] = entries as [
      Entry,
      Entry,
      Entry,
      Entry,
      Entry,
      Entry,
      Entry,
    ];
    await write(worker, id, [lost, lostThenPutOff, silent, ready], LOST);
    await write(worker, id, [putOff], PUT_OFF);
    await mark(again([lostThenPutOff, ready]));
    await write(worker, id, again([lostThenPutOff]), PUT_OFF);
    await write(worker, id, again([ready]), { kind: "withheld" });
    assert.equal(await showArrived(id, [lost, putOff, lostThenPutOff, ofDead, late, ready]), 3);
    assert.deepEqual(await Promise.all([lost, lostThenPutOff, ready].map((one) => stateOf(id, one))), [
      "sent settled_by_click 1",
      "sent settled_by_click 2",
      "sent settled_by_click 1",
    ]);
    assert.equal(await stateOf(id, putOff), "deferred - 1");
    assert.equal(
      await stateOf(id, ofDead),
      "inflight settled_by_click 1",
      "its sender may still learn what became of it",
    );
    assertAgree(await countTwice(bench, bench.accountId, id));

    await write(worker, id, [late], LOST);
    await die(worker);
    const { db } = bench;
    await lookAgain(2);
    assert.equal(await stateOf(id, late), "sent settled_by_click 1");
    assert.equal(await stateOf(id, ofDead), "sent settled_by_click 1", "nobody will learn more of it");
    assertAgree(await countTwice(bench, bench.accountId, id));

    await giveBack(db, worker, lease);
    await db.execute(sql`update retries set due_at = now() where source_id = ${id}`);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    await sender.stop();
    const copies = await db.one<{ count: number }>(sql`select count(*) as count from sandbox_messages`);
    assert.equal(copies.count, 2, "only what was put off, and what nobody showed to have arrived");
    assert.equal((await bench.counts(id)).sent, 7);
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("and a sender that begins at the same moment have each row once", async () => {
    const { id, worker, entries, mark } = await onTheWire(60);
    await write(worker, id, entries, LOST);
    await bench.db.execute(sql`update retries set due_at = now() where source_id = ${id}`);
    const lease = await leaseRetries(bench.db, worker, bench.accountId, id, bench.clock.now());
    assert.equal(lease?.contacts.length, 60);
    const slices = Array.from({ length: 6 }, (_, n) => again(entries.slice(n * 10, n * 10 + 10)));
    const [held, settled] = await Promise.all([
      Promise.all(slices.map(mark)),
      Promise.all([showArrived(id, entries.toReversed()), showArrived(id, entries, "dsn")]),
    ]);
    const begun = new Set(held.flat());
    const settledRows = settled.reduce((sum, count) => sum + count, 0);
    assert.equal(begun.size + settledRows, 60);
    await write(worker, id, again(entries.filter(({ contactId }) => begun.has(contactId))), TAKEN);
    const { sent, queued, deferred } = await bench.counts(id);
    assert.deepEqual({ sent, queued, deferred }, { sent: 60, queued: 0, deferred: 0 });
    assertAgree(await countTwice(bench, bench.accountId, id));
    await worker.stop();
  });

  test("also settles what was canceled while it waited, which is unknown and not skipped", async () => {
    const { id, worker, lease, entries } = await onTheWire(3);
    const [lost, putOff, clicked] = entries as [Entry, Entry, Entry];
    await write(worker, id, [lost, clicked], LOST);
    await write(worker, id, [putOff], PUT_OFF);
    await giveBack(bench.db, worker, lease);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await until(async () => (await bench.counts(id)).queued === 0);
    assert.equal(await stateOf(id, lost), "unknown ambiguous 1");
    assert.equal(await stateOf(id, putOff), "skipped canceled 1");
    assert.equal(await showArrived(id, [clicked, putOff]), 1);
    const { sent, unknown, skipped } = await bench.counts(id);
    assert.deepEqual({ sent, unknown, canceled: skipped.canceled }, { sent: 1, unknown: 1, canceled: 1 });
    assertAgree(await countTwice(bench, bench.accountId, id));
    await worker.stop();
  });

  test("is seen by whoever takes over from a dead sender, also where it came while that one lived", async () => {
    const { id, worker, entries } = await onTheWire(4);
    const [clicked, ...others] = entries as [Entry, ...Entry[]];
    assert.equal(await showArrived(id, [clicked]), 0, "its sender may still learn what became of it");
    await die(worker);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    await sender.stop();
    assert.equal(await stateOf(id, clicked), "sent settled_by_click 1");
    for (const one of others) assert.equal(await stateOf(id, one), "sent - 2");
    const { copies } = await bench.db.one<{ copies: number }>(
      sql`select count(*) as copies from sandbox_messages where owner_id = ${id}`,
    );
    assert.equal(copies, 3, "who is known to have the mail gets no second copy");
    assert.deepEqual(
      await notesOf(id),
      others.map(({ contactId }) => ({ contactId, attempt: 1 })),
      "of the others, the ledger says that the first attempt may have arrived",
    );
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("and a cancel know of what a dead sender may have sent, once another has gone on with it", async () => {
    const { id, worker, lease, entries } = await onTheWire(3);
    const [shown, putOff, waiting] = entries as [Entry, Entry, Entry];
    await die(worker);
    const other = await bench.startWorker();
    const contacts = entries.map(({ contactId }) => contactId);
    const abandoned = { accountId: bench.accountId, sourceId: id, contacts, onAmbiguous: "resend" } as const;
    for (let times = 0; times < 2; times++) await settleAbandoned(bench, other, abandoned);
    for (const one of entries) assert.equal(await stateOf(id, one), "ready - 1");
    const now = bench.clock.now();
    await markInflight(bench.db, other, bench.accountId, id, again([shown, putOff]), now);
    await write(other, id, again([shown, putOff]), PUT_OFF);
    assert.equal(await showArrived(id, [shown]), 1);
    assert.equal(await stateOf(id, shown), "sent settled_by_click 2");
    await giveBack(bench.db, other, lease);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await until(async () => (await bench.counts(id)).queued === 0);
    assert.equal(await stateOf(id, putOff), "unknown ambiguous 2");
    assert.equal(await stateOf(id, waiting), "unknown ambiguous 1");
    assertAgree(await countTwice(bench, bench.accountId, id));
    await other.stop();
  });

  test("settles at once what its sender loses sight of after it came", async () => {
    const { id, worker, entries } = await onTheWire(3);
    const [lost, putOff, accepted] = entries as [Entry, Entry, Entry];
    assert.equal(await showArrived(id, entries), 0);
    const journal = journalOf(worker, id);
    const now = bench.clock.now();
    const settle = (entry: Entry, outcome: Parameters<typeof settlementOf>[0]) =>
      journal.settle({ ...entry, ...settlementOf(outcome, { number: 1, firstAt: now, now, ...attempted }) });
    await Promise.all([settle(lost, LOST), settle(putOff, PUT_OFF), settle(accepted, TAKEN)]);
    assert.equal(await stateOf(id, lost), "sent settled_by_click 1");
    assert.equal(
      await stateOf(id, putOff),
      "deferred - 1",
      "that server has read it, and refused it for now",
    );
    assert.equal(await stateOf(id, accepted), "sent - 1");
    const queued = await bench.db.many(sql`select contact_id from retries where source_id = ${id}`);
    assert.deepEqual(queued, [{ contact_id: putOff.contactId }]);
    assertAgree(await countTwice(bench, bench.accountId, id));
    await worker.stop();
  });

  test("that comes while the next attempt waits for its turn keeps that attempt's body back", async () => {
    const { id, worker, entries } = await onTheWire(2);
    const [shown, other] = entries as [Entry, Entry];
    await write(worker, id, entries, LOST);
    const journal = journalOf(worker, id);
    const kinds = async () => {
      const answers = await Promise.all(again([shown, other]).map((entry) => journal.admit(entry)));
      return answers.map(({ kind }) => kind);
    };
    assert.deepEqual(await kinds(), ["held", "held"]);
    assert.equal(await showArrived(id, [shown]), 0, "its sender lives, and may learn more");
    assert.deepEqual(await kinds(), ["refused", "held"], "the leave is asked for again before the body");
    assert.equal(await stateOf(id, shown), "inflight settled_by_click 2", "the evidence is kept");
    const now = bench.clock.now();
    const withheld = settlementOf({ kind: "withheld" }, { number: 2, firstAt: now, now, ...attempted });
    await Promise.all(again(entries).map((entry) => journal.settle({ ...entry, ...withheld })));
    assert.equal(await stateOf(id, shown), "sent settled_by_click 1");
    assert.equal(await stateOf(id, other), "ready - 1");
    assertAgree(await countTwice(bench, bench.accountId, id));
    await worker.stop();
  });

  test("settles what ran out of time, which is unknown and not failed if an attempt had no reply", async () => {
    const { id, worker, entries, mark } = await onTheWire(4);
    const [lost, lostLast, putOff, unsigned] = entries as [Entry, Entry, Entry, Entry];
    await write(worker, id, [lost, unsigned], LOST);
    await write(worker, id, [lostLast, putOff], PUT_OFF);
    await mark(again(entries));
    const journal = journalOf(worker, id);
    const now = bench.clock.now();
    const firstAt = new Date(now.getTime() - 30 * 24 * 3_600_000);
    const expire = (entry: Entry, outcome: Parameters<typeof settlementOf>[0]) =>
      journal.settle({
        ...entry,
        attempt: 2,
        ...settlementOf(outcome, { number: 2, firstAt, now, ...attempted }),
      });
    const notSigned = awaitingMend("signing_key_unreadable", "no key", firstAt, now);
    await Promise.all([
      expire(lost, PUT_OFF),
      expire(putOff, PUT_OFF),
      expire(lostLast, LOST),
      journal.settle({ ...unsigned, attempt: 2, ...notSigned }),
    ]);
    assert.equal(await stateOf(id, lost), "unknown ambiguous 2");
    assert.equal(await stateOf(id, lostLast), "unknown ambiguous 2");
    assert.equal(await stateOf(id, unsigned), "unknown ambiguous 2");
    assert.equal(await stateOf(id, putOff), "failed expired 2");
    assert.equal((await bench.counts(id)).bounces.soft, 1);
    assert.equal(await showArrived(id, entries), 3);
    assert.equal(await stateOf(id, putOff), "failed expired 2");
    assertAgree(await countTwice(bench, bench.accountId, id));
    await worker.stop();
  });

  test("also comes late from a sender that was given up: what a server said to it counts until another begins", async () => {
    const { id, worker, entries } = await onTheWire(5);
    const [taken, putOff, lost, withheld, begun] = entries as [Entry, Entry, Entry, Entry, Entry];
    await die(worker);
    const other = await bench.startWorker();
    const contacts = entries.map(({ contactId }) => contactId);
    await settleAbandoned(bench, other, {
      accountId: bench.accountId,
      sourceId: id,
      contacts,
      onAmbiguous: "resend",
    });
    const mark = (some: readonly Entry[]) =>
      markInflight(bench.db, other, bench.accountId, id, again(some), bench.clock.now());
    assert.deepEqual(await mark([begun]), [begun.contactId]);
    for (let times = 0; times < 2; times++) {
      await write(worker, id, [taken, begun], TAKEN);
      await write(worker, id, [putOff], PUT_OFF);
      await write(worker, id, [lost], LOST);
      await write(worker, id, [withheld], { kind: "withheld" });
    }
    const states = ["sent - 1", "deferred - 1", "deferred ambiguous 1", "ready - 0", "inflight - 2"];
    assert.deepEqual(await Promise.all(entries.map((one) => stateOf(id, one))), states);
    assert.deepEqual(await mark([taken]), [], "nobody who has it gets another");
    const noted = (await notesOf(id)).map(({ contactId }) => contactId);
    assert.ok(noted.includes(lost.contactId) && !noted.includes(putOff.contactId));
    assertAgree(await countTwice(bench, bench.accountId, id));
    await other.stop();
  });

  test("is also the 250 that a given-up sender hears once others went on with the row", async () => {
    const { id, worker, entries } = await onTheWire(3);
    const [parked, begun, held] = entries as [Entry, Entry, Entry];
    await die(worker);
    const other = await bench.startWorker();
    const setAside = (some: readonly Entry[], onAmbiguous: "resend" | "hold") => {
      const contacts = some.map(({ contactId }) => contactId);
      return settleAbandoned(bench, other, {
        accountId: bench.accountId,
        sourceId: id,
        contacts,
        onAmbiguous,
      });
    };
    await setAside([held], "hold");
    await setAside([parked, begun], "resend");
    const next = journalOf(other, id);
    const later = new Date(bench.clock.now().getTime() + 3_600_000);
    await next.park({ contactId: parked.contactId, dueAt: later });
    const [again2] = again([begun]) as [Entry];
    assert.equal((await next.admit(again2)).kind, "held");

    const late = journalOf(worker, id);
    const now = bench.clock.now();
    const taken = settlementOf(TAKEN, { number: 1, firstAt: now, now, ...attempted });
    for (let times = 0; times < 2; times++)
      await Promise.all(entries.map((entry) => late.settle({ ...entry, ...taken })));
    assert.deepEqual(await Promise.all(entries.map((one) => stateOf(id, one))), [
      "sent settled_by_acceptance 1",
      "inflight settled_by_acceptance 2",
      "sent settled_by_acceptance 1",
    ]);
    assert.equal((await next.admit(again2)).kind, "refused", "the second body is held back");
    const withheld = settlementOf({ kind: "withheld" }, { number: 2, firstAt: now, now, ...attempted });
    await next.settle({ ...again2, ...withheld });
    assert.equal(await stateOf(id, begun), "sent settled_by_acceptance 1");
    const { sent, queued, unknown } = await bench.counts(id);
    assert.deepEqual({ sent, queued, unknown }, { sent: 3, queued: 0, unknown: 0 });
    assertAgree(await countTwice(bench, bench.accountId, id));
    await other.stop();
  });
});
