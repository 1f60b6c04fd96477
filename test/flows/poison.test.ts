import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { cancelSource } from "../../src/delivery/delivery.ts";
import {
  beginComposing,
  endComposing,
  giveBack,
  type Lease,
  leaseBatch,
  leaseRetries,
} from "../../src/delivery/ledger/lease-store.ts";
import { planSlice } from "../../src/delivery/planning/plan.ts";
import { createComposeGate } from "../../src/delivery/sending/compose-gate.ts";
import { composeAlone, OPENING, POISON_REASON } from "../../src/delivery/sending/poison.ts";
import { sql } from "../../src/platform/db/db.ts";
import { takeOver, type Worker } from "../../src/platform/workers/workers.ts";
import {
  assertAgree,
  type Bench,
  type Compose,
  composeSimply,
  countTwice,
  createBench,
} from "../support/delivery.ts";
import { until } from "../support/until.ts";

describe("a batch whose senders die", () => {
  let bench: Bench;
  let round = 0;
  const workers: Worker[] = [];
  before(async () => {
    bench = await createBench();
  });
  after(() => {
    for (const worker of workers) worker.silence();
    return bench.stop();
  });

  async function newSource(people: number, more: Parameters<Bench["launch"]>[0] = {}) {
    const listId = await bench.addList();
    const emails = Array.from({ length: people }, (_, n) => `person${n}@d${round}.example`);
    round++;
    await bench.addSubscribers(emails, listId);
    const audience = { listId, segmentId: null };
    const id = await bench.launch({ audience, ...more });
    while (await planSlice(bench, bench.accountId, id));
    return { id, audience };
  }

  async function start(): Promise<Worker> {
    const worker = await bench.startWorker();
    workers.push(worker);
    return worker;
  }

  async function lease(worker: Worker, id: string): Promise<Lease> {
    const leased = await leaseBatch(bench.db, worker, bench.accountId, id, bench.clock.now(), []);
    assert.ok(leased);
    return leased;
  }

  async function die(worker: Worker): Promise<void> {
    worker.silence();
    const { beat } = await bench.db.one<{ beat: number }>(
      sql`select beat from workers where id = ${worker.id}`,
    );
    const seen = { id: worker.id, kind: "sender", epoch: worker.epoch, beat, lock_name: null } as const;
    assert.ok(await takeOver(bench.db, seen, async () => undefined));
  }

  const standing = ({ deaths, suspect, suspectDeaths }: Lease) => [deaths, suspect, suspectDeaths];

  test("counts those that were taken over, and none that stopped or gave it back", async () => {
    const { id } = await newSource(5);
    const [one, two, three, four] = [await start(), await start(), await start(), await start()];
    assert.deepEqual(standing(await lease(one, id)), [0, null, 0]);
    assert.deepEqual(standing(await lease(one, id)), [0, null, 0], "its own, whose answer got lost");
    await one.stop();
    assert.deepEqual(standing(await lease(two, id)), [0, null, 0], "the first stopped in order");
    await die(two);
    const third = await lease(three, id);
    assert.deepEqual(standing(third), [1, null, 0]);
    await giveBack(bench.db, three, third);
    await die(three);
    assert.deepEqual(standing(await lease(four, id)), [1, null, 0], "the third had given it back");
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await four.stop();
  });

  test("suspects what was being composed by itself, and clears what was composed well", async () => {
    const { id } = await newSource(5);
    const [one, two, three, four] = [await start(), await start(), await start(), await start()];
    const first = await lease(one, id);
    const [suspect = "", other = ""] = first.contacts;
    assert.ok(await beginComposing(bench.db, one, first, suspect));
    await die(one);
    assert.equal(await beginComposing(bench.db, one, first, other), false, "it isn't its any more");
    const second = await lease(two, id);
    assert.deepEqual(standing(second), [1, suspect, 1]);
    await beginComposing(bench.db, two, second, OPENING);
    await endComposing(bench.db, two, second, OPENING);
    await die(two);
    const third = await lease(three, id);
    assert.deepEqual(standing(third), [2, suspect, 1], "nothing was being composed at that death");
    await beginComposing(bench.db, three, third, suspect);
    await die(three);
    const fourth = await lease(four, id);
    assert.deepEqual(standing(fourth), [3, suspect, 2]);
    await endComposing(bench.db, four, fourth, suspect);
    await giveBack(bench.db, four, fourth);
    assert.deepEqual(standing(await lease(four, id)), [3, null, 0]);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await four.stop();
  });

  test("is looked for in what this thread composes: what is done elsewhere is not marked, and nobody waits for it", async () => {
    const { id } = await newSource(2);
    const worker = await start();
    const leased = await lease(worker, id);
    const composing = createComposeGate();
    const elsewhere = Promise.withResolvers<string>();
    const [contact = ""] = leased.contacts;
    const alone = composeAlone({ db: bench.db, worker, composing }, leased, contact, () => elsewhere.promise);
    assert.equal(await composing.together(async () => "others"), "others");
    const { marked } = await bench.db.one<{ marked: string | null }>(
      sql`select composing as marked from batches where source_id = ${id} and n = ${leased.n}`,
    );
    assert.equal(marked, null);
    elsewhere.resolve("made");
    assert.equal(await alone, "made");
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await worker.stop();
  });

  test("of retries is counted like any other", async () => {
    const { id } = await newSource(1);
    const [one, two] = [await start(), await start()];
    await bench.db.execute(sql`
      with deferred as (
        update deliveries set state = 'deferred', attempt = 1 where source_id = ${id} returning account_id, contact_id
      ), gone as (delete from batches where source_id = ${id})
      insert into retries (account_id, source_id, contact_id, due_at)
      select account_id, ${id}, contact_id, now() - interval '1 second' from deferred`);
    const retries = await leaseRetries(bench.db, one, bench.accountId, id, bench.clock.now());
    assert.ok(retries);
    assert.deepEqual(standing(retries), [0, null, 0]);
    await die(one);
    assert.deepEqual(standing(await lease(two, id)), [1, null, 0]);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await two.stop();
  });

  test("starts afresh when its source is launched again", async () => {
    const { id, audience } = await newSource(5);
    const [one, two] = [await start(), await start()];
    await lease(one, id);
    await die(one);
    await bench.db.execute(sql`update sources set state = 'failed' where id = ${id}`);
    await bench.launch({ id, audience });
    await bench.db.execute(sql`update batches set worker_id = null where source_id = ${id}`);
    assert.deepEqual(standing(await lease(two, id)), [0, null, 0]);
    await bench.ctx((ctx) => cancelSource(ctx, id));
    await two.stop();
  });

  /** Makes the batch look as if its senders had died before, and returns the suspect. */
  async function blame(id: string, suspectDeaths: number): Promise<string> {
    const { suspect } = await bench.db.one<{ suspect: string }>(sql`
      update batches set deaths = 3, suspect = contacts[3], suspect_deaths = ${suspectDeaths}
      where source_id = ${id} returning suspect`);
    return suspect;
  }

  /** Creates a composer that notes how many recipients are composed at a time, and who comes first. */
  function noting(): { compose: Compose; sizes: Map<string, number[]>; first: Map<string, string> } {
    const sizes = new Map<string, number[]>();
    const first = new Map<string, string>();
    const compose: Compose = async (source) => {
      const many = await composeSimply(source);
      return async (recipients, sourceId) => {
        sizes.set(sourceId, [...(sizes.get(sourceId) ?? []), recipients.length]);
        if (!first.has(sourceId)) first.set(sourceId, recipients[0]?.contactId ?? "");
        return many(recipients);
      };
    };
    return { compose, sizes, first };
  }

  test("twice is composed row by row, and a suspect that is composed well is sent like all others", async () => {
    const { id } = await newSource(8);
    const suspect = await blame(id, 1);
    const { compose, sizes, first } = noting();
    const sender = await bench.startSender(compose);
    await until(() => bench.ended.has(id));
    assert.deepEqual(sizes.get(id), [1, 1, 1, 1, 1, 1, 1, 1]);
    assert.equal(first.get(id), suspect);
    assert.equal((await bench.counts(id)).sent, 8);
    await sender.stop();
  });

  test("of one row alone fails that row, with its reason, and sends the others", async () => {
    const { id } = await newSource(8, { onAmbiguous: "hold" });
    const poison = await blame(id, 2);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    const failed = await bench.db.many(
      sql`select contact_id, why, reply from deliveries where source_id = ${id} and state <> 'sent'`,
    );
    assert.deepEqual(failed, [{ contact_id: poison, why: "unrenderable", reply: POISON_REASON }]);
    assertAgree(await countTwice(bench, bench.accountId, id));
    assert.deepEqual(bench.ended.get(id), { kind: "done" });
    await sender.stop();
  });

  test("of one row after the other fails the source, with the others still to be sent", async () => {
    const { id } = await newSource(8);
    const poison = await blame(id, 2);
    await bench.db.execute(sql`
      insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, reply, at)
      select account_id, source_id, 'failed', gen_random_uuid(), 1, 'unrenderable', ${POISON_REASON}, now()
      from batches, generate_series(1, 2) where source_id = ${id}`);
    const sender = await bench.startSender();
    await until(() => bench.ended.has(id));
    const ended = bench.ended.get(id);
    assert.match(ended?.kind === "failed" ? ended.reason : "", /ended its sender for several recipients/);
    const { sent, failed, queued } = await bench.counts(id);
    assert.deepEqual({ sent, failed, queued }, { sent: 0, failed: 1, queued: 7 });
    const row = await bench.db.one(
      sql`select state from deliveries where source_id = ${id} and contact_id = ${poison}`,
    );
    assert.deepEqual(row, { state: "failed" });
    await sender.stop();
  });
});
