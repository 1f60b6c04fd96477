/**
 * After a failure, an owner is launched again. With another audience it begins with an empty ledger; with the same one it
 * continues with those who haven't got the mail.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listRecipients, onProgress, readProgress } from "../../src/delivery/delivery.ts";
import { markInflight, parkRows, writeOutcomes } from "../../src/delivery/ledger/journal-store.ts";
import { giveBack } from "../../src/delivery/ledger/lease-store.ts";
import { eventsOf } from "../../src/delivery/ledger/mail-events.ts";
import { settlementOf } from "../../src/delivery/outcomes/outcome-rules.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { discardSource } from "../../src/delivery/sources/discard.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import type { Worker } from "../../src/platform/workers/workers.ts";
import { suppressContact } from "../../src/subscribers/subscribers.ts";
import {
  assertAgree,
  type Bench,
  type Compose,
  composeSimply,
  countTwice,
  createBench,
  idsOf,
  people,
} from "../support/delivery.ts";
import { until } from "../support/until.ts";

const ofList = (listId: string) => ({ audience: { listId, segmentId: null } });

describe("launched again", () => {
  let bench: Bench;
  /** Maps a subject to what the composer does to its source. */
  const faults = new Map<string, () => void>();
  const compose: Compose = async (source) => {
    const { subject } = source.revision as { subject: string };
    const many = await composeSimply(source);
    return (recipients) => {
      faults.get(subject)?.();
      return many(recipients);
    };
  };
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
    await bench.startSender(compose);
    faults.set("broken", () => {
      throw new Error("the revision is broken");
    });
  });
  after(() => bench.stop());

  const hasEnded = (id: string) => until(() => bench.ended.has(id));
  const listOf = async (emails: readonly string[]) => {
    const listId = await bench.addList();
    await bench.addSubscribers(emails, listId);
    return listId;
  };
  const launchAgain = async (id: string, more: Parameters<Bench["launch"]>[0]) => {
    bench.ended.delete(id);
    await bench.launch({ id, revision: { subject: "mended" }, ...more });
  };
  const failed = async (listId: string, more: Parameters<Bench["launch"]>[0] = {}) => {
    const id = await bench.launch({ ...ofList(listId), revision: { subject: "broken" }, ...more });
    await hasEnded(id);
    assert.equal(bench.ended.get(id)?.kind, "failed");
    return id;
  };
  const mailed = async (id: string) =>
    (
      await bench.db.many<{ to: string }>(
        sql`select envelope_to as to from sandbox_messages where owner_id = ${id} order by envelope_to`,
      )
    ).map(({ to }) => to);
  const onLedger = async (id: string) =>
    (await listRecipients(bench.db, bench.accountId, id, { limit: 1_000 })).map(({ email }) => email).sort();
  /** Counts the rows of an account's ledgers, whichever source they belong to. */
  const rowsOfAll = async (emails: readonly string[]) =>
    (
      await bench.db.one<{ count: number }>(sql`
        select count(*) as count from deliveries d join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
        where s.email = any(${[...emails]}::text[])`)
    ).count;

  test("with another list, nobody of the first gets it or is counted", async () => {
    const [first, second] = [people(700), people(30)];
    const id = await failed(await listOf(first));
    assert.equal((await bench.counts(id)).recipients, 700);
    await launchAgain(id, ofList(await listOf(second)));
    await hasEnded(id);
    assert.deepEqual(bench.ended.get(id), { kind: "done" });
    assert.deepEqual(await mailed(id), second.toSorted());
    assert.deepEqual(await onLedger(id), second.toSorted());
    const { recipients, sent, queued } = await bench.counts(id);
    assert.deepEqual({ recipients, sent, queued }, { recipients: 30, sent: 30, queued: 0 });
    const progress = (await readProgress(bench.db, bench.accountId, [id], bench.clock.now())).get(id);
    assert.deepEqual([progress?.total, progress?.done], [30, 30]);
    await until(async () => (await rowsOfAll(first)) === 0);
  });

  test("who is on both lists gets it once", async () => {
    const listA = await listOf(["both@once.example", "first@once.example"]);
    const listB = await bench.addList();
    await bench.db.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
      select account_id, ${newId(bench.clock)}, ${listB}, contact_id, email, email_key, fields, status, source, now(), now()
      from subscribers where account_id = ${bench.accountId} and list_id = ${listA} and email = 'both@once.example'`);
    const id = await failed(listA);
    await launchAgain(id, ofList(listB));
    await hasEnded(id);
    assert.deepEqual(await mailed(id), ["both@once.example"]);
  });

  test("a third audience begins anew too, and its progress is told under the same id", async () => {
    const id = await failed(await listOf(people(20)));
    await launchAgain(id, { ...ofList(await listOf(people(20))), revision: { subject: "broken" } });
    await hasEnded(id);
    let hints = 0;
    const stop = onProgress(bench.listener, id, () => hints++);
    const third = people(10);
    await launchAgain(id, ofList(await listOf(third)));
    await hasEnded(id);
    await until(() => hints > 0);
    stop();
    assert.deepEqual(await mailed(id), third.toSorted());
    assert.equal((await bench.counts(id)).recipients, 10);
  });

  test("a segment whose rules were edited is another audience", async () => {
    const listId = await listOf([...people(10, "in.example"), ...people(10, "out.example")]);
    const segmentId = newId(bench.clock);
    const rules = (value: string) => `{"all": [{"field": "email", "op": "ends_with", "value": "${value}"}]}`;
    await bench.db.execute(sql`
      insert into segments (account_id, id, name, list_id, rules, created_at, updated_at)
      values (${bench.accountId}, ${segmentId}, 'In', null, ${rules("@in.example")}::jsonb, now(), now())`);
    const audience = { listId, segmentId };
    const id = await failed(listId, { audience });
    await bench.db.execute(
      sql`update segments set rules = ${rules("@out.example")}::jsonb where id = ${segmentId}`,
    );
    await launchAgain(id, { audience });
    await hasEnded(id);
    assert.deepEqual(await mailed(id), people(10, "out.example").toSorted());
  });

  test("the same audience keeps its ledger, and goes on with those who have not got it", async () => {
    const everybody = people(300);
    const listId = await listOf(everybody);
    let chunks = 0;
    faults.set("breaks", () => {
      if (++chunks > 1) throw new Error("the revision is broken");
    });
    const id = await failed(listId, { revision: { subject: "breaks" } });
    const before = await bench.counts(id);
    assert.ok(before.sent > 0 && before.sent < 300, JSON.stringify(before));
    await launchAgain(id, ofList(listId));
    await hasEnded(id);
    assert.deepEqual(await mailed(id), everybody.toSorted(), "each of them once");
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("once mail has left, another audience is refused, and an edited segment stays as it was", async () => {
    const listId = await listOf([...people(150, "kept.example"), ...people(10, "new.example")]);
    const segmentId = newId(bench.clock);
    await bench.db.execute(sql`
      insert into segments (account_id, id, name, list_id, rules, created_at, updated_at)
      values (${bench.accountId}, ${segmentId}, 'Kept', null,
              '{"all": [{"field": "email", "op": "ends_with", "value": "@kept.example"}]}', now(), now())`);
    let chunks = 0;
    faults.set("breaks later", () => {
      if (++chunks > 1) throw new Error("the revision is broken");
    });
    const audience = { listId, segmentId };
    const id = await failed(listId, { audience, revision: { subject: "breaks later" } });
    assert.ok((await bench.counts(id)).sent > 0);
    const elsewhere = ofList(await listOf(people(5)));
    await assert.rejects(launchAgain(id, elsewhere), /audience_fixed/);
    await bench.db.execute(sql`update segments set rules = '{"all": []}' where id = ${segmentId}`);
    await launchAgain(id, { audience });
    await hasEnded(id);
    assert.deepEqual(await mailed(id), people(150, "kept.example").toSorted());
  });

  test("who was suppressed when nobody could be mailed is judged again", async () => {
    const listId = await listOf(["ada@lifted.example"]);
    const { contact_id: contactId } = await bench.db.one<{ contact_id: string }>(
      sql`select contact_id from subscribers where list_id = ${listId}`,
    );
    await bench.ctx((ctx) => suppressContact(ctx, contactId, "manual", "test"));
    await bench.db.execute(sql`update subscribers set status = 'active' where list_id = ${listId}`);
    const id = await bench.launch(ofList(listId));
    await hasEnded(id);
    assert.deepEqual(bench.ended.get(id), { kind: "no_recipients" });
    assert.equal((await bench.counts(id)).skipped.suppressed, 1);
    await bench.db.execute(sql`delete from suppressions where contact_id = ${contactId}`);
    await launchAgain(id, ofList(listId));
    await hasEnded(id);
    assert.deepEqual(await mailed(id), ["ada@lifted.example"]);
    assert.equal((await bench.counts(id)).recipients, 1);
  });
});

describe("launched again, while something of the first launch is still there", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  const workers: Worker[] = [];
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await bench.stop();
  });

  /** Plans a source, leases one batch to a worker that lives, and then lets the source fail. */
  async function leased() {
    const listId = await bench.addList();
    await bench.addSubscribers(people(5), listId);
    const id = await bench.launch(ofList(listId));
    await planSlice(bench, bench.accountId, id);
    const { db } = bench;
    const worker = await bench.startWorker();
    workers.push(worker);
    await db.execute(
      sql`update batches set worker_id = ${worker.id}, epoch = ${worker.epoch} where source_id = ${id}`,
    );
    return { id, worker };
  }
  const fail = (id: string) =>
    bench.db.execute(sql`update sources set state = 'failed', reason = 'test' where id = ${id}`);
  /** Counts what is left of a ledger in any table. */
  const rowsOf = async (id: string) => {
    const { count } = await bench.db.one<{ count: number }>(sql`
      select (select count(*) from sources where id = ${id}) + (select count(*) from plans where source_id = ${id})
        + (select count(*) from batches where source_id = ${id}) + (select count(*) from deliveries where source_id = ${id})
        + (select count(*) from delivery_errors where source_id = ${id}) + (select count(*) from retries where source_id = ${id})
        + (select count(*) from counters where source_id = ${id}) as count`);
    return count;
  };
  const another = async () => {
    const listId = await bench.addList();
    await bench.addSubscribers(people(2), listId);
    return ofList(listId);
  };

  test("what was lost after its dot may have arrived: then the audience is fixed, too", async () => {
    const { id, worker } = await leased();
    const { contactId, subscriberId } = await bench.db.one<{ contactId: string; subscriberId: string }>(sql`
      select contact_id as "contactId", subscriber_id as "subscriberId" from deliveries where source_id = ${id} limit 1`);
    const now = bench.clock.now();
    const [accountId, sourceId] = [bench.accountId, id];
    const entry = { contactId, subscriberId, attempt: 1, date: now };
    await markInflight(bench.db, worker, accountId, sourceId, [entry], now);
    const lost = { kind: "ambiguous", text: "the connection was lost" } as const;
    const attempt = {
      number: 1,
      firstAt: now,
      now,
      onAmbiguous: "resend",
      firstRetryMs: 1,
      chance: 0,
    } as const;
    const settled = [{ contactId, subscriberId, attempt: 1, ...settlementOf(lost, attempt, true) }];
    const outcomes = { accountId, sourceId, settled, now };
    await writeOutcomes(bench.db, worker, outcomes, eventsOf(bench.clock, idsOf(id), settled));
    await fail(id);
    await assert.rejects(bench.launch({ id, ...(await another()) }), /audience_fixed/);
  });

  test("what is on the wire may arrive: then the audience is fixed, also when its sender has died", async () => {
    const { id, worker } = await leased();
    await bench.db.execute(sql`
      update deliveries set state = 'inflight', attempt = 1, worker_id = ${worker.id}, epoch = ${worker.epoch}
      where source_id = ${id} and contact_id = (select contact_id from deliveries where source_id = ${id} limit 1)`);
    await fail(id);
    await assert.rejects(bench.launch({ id, ...(await another()) }), /audience_fixed/);
    await worker.stop();
    await assert.rejects(bench.launch({ id, ...(await another()) }), /audience_fixed/);
  });

  test("a lease, a planner and an outcome that come late change nothing of the new ledger", async () => {
    const { id, worker } = await leased();
    const first = await bench.db.one<{ n: number; contacts: string[] }>(
      sql`select n, contacts from batches where source_id = ${id}`,
    );
    await fail(id);
    await bench.launch({ id, ...(await another()) });
    const place = [bench.accountId, id] as const;
    assert.equal(await planSlice(bench, ...place), false, "the first plan goes no further");
    const now = bench.clock.now();
    const entries = first.contacts.map((contactId) => ({
      contactId,
      subscriberId: contactId,
      attempt: 1,
      date: now,
    }));
    assert.deepEqual(await markInflight(bench.db, worker, ...place, entries, now), [], "nobody is admitted");
    const parked = first.contacts.map((contactId) => ({ contactId, dueAt: now }));
    await parkRows(bench.db, worker, ...place, parked, now);
    const untroubled = { deaths: 0, suspect: null, suspectDeaths: 0, provider: null };
    await giveBack(bench.db, worker, { accountId: bench.accountId, sourceId: id, ...first, ...untroubled });
    assert.equal((await bench.counts(id)).recipients, 0);
    assert.equal((await bench.counts(id)).deferred, 0);
    const before = await rowsOf(id);
    const stopped = { db: bench.db, signal: AbortSignal.abort() };
    const { current } = await bench.db.one<{ current: string }>(
      sql`select id as current from sources where owner_id = ${id} and state = 'running'`,
    );
    assert.equal(await discardSource(stopped, bench.accountId, current), true, "one that runs is let alone");
    assert.ok((await rowsOf(current)) > 0 && before > 0);
    await bench.startJobs();
    await bench.startSender();
    await until(() => bench.ended.has(id));
    const { recipients, sent } = await bench.counts(id);
    assert.deepEqual({ recipients, sent }, { recipients: 2, sent: 2 });
    await until(async () => (await rowsOf(id)) === 0);
  });
});
