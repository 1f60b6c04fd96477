/** A mail that a server may have taken isn't sent again once something shows that it arrived, whoever is at work on its row. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { cancelSource, deliveryJobs, settleByEvidence } from "../../src/delivery/delivery.ts";
import { markInflight, writeAccepted, writeOutcomes } from "../../src/delivery/ledger/journal-store.ts";
import { giveBack, leaseBatch, leaseRetries } from "../../src/delivery/ledger/lease-store.ts";
import type { Entry } from "../../src/delivery/ledger/ledger.ts";
import { eventsOf } from "../../src/delivery/ledger/mail-events.ts";
import { settlementOf } from "../../src/delivery/outcomes/outcome-rules.ts";
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
    if (outcome === TAKEN) return writeAccepted(bench.db, worker, outcomes, undefined);
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
    assert.equal(await stateOf(id, ofDead), "inflight - 1", "its sender may still learn what became of it");
    assertAgree(await countTwice(bench, bench.accountId, id));

    await write(worker, id, [late], LOST);
    await die(worker);
    const job = deliveryJobs({ owner: bench.owner, ...testSenderOptions }).find(
      ({ name }) => name === "settle_later",
    );
    const { payload } = await bench.db.one<{ payload: { evidence: unknown[] } }>(sql`
      select payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'settle_later'`);
    assert.equal(payload.evidence.length, 2);
    const { db, clock, log } = bench;
    await job?.run({ db, clock, log, signal: new AbortController().signal, attempt: 1 }, payload);
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
});
