/** These tests run bulk changes without the queue, so that a run can be broken off wherever it hurts most. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { systemClock } from "../../platform/clock.ts";
import type { TxCtx } from "../../platform/context.ts";
import { createDb, type Db, sql, type Tx } from "../../platform/db/db.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import { createLog } from "../../platform/log.ts";
import { createHashAddress } from "../contact-store.ts";
import { nothingSent } from "../engagement/nothing-sent.fixture.ts";
import { createList } from "../lists/lists.ts";
import { cancelBulkChange, createBulkChange, forgetInBulkChanges, requestUndo } from "./bulk-life.ts";
import { findBulkChange } from "./bulk-store.ts";
import { removeRowsKind, undoBulkKind, undoUntil } from "./job-kinds.ts";
import { bulkChangeJobs } from "./jobs.ts";
import { runBulkChange, undoBulkChange } from "./run.ts";
import type { BulkChangeCreate } from "./schema.ts";

const PEOPLE = 3_500;
const SLICES = 4;
const log = createLog({ level: "silent", pretty: false });
const deps = { hashAddress: createHashAddress(Buffer.alloc(32, 7)), sentCampaigns: nothingSent };

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
before(async () => {
  database = await cloneDatabase();
  const options = { poolSize: 8, applicationName: "test", log, statementTimeoutMs: 60_000 };
  db = createDb({ connection: database.url, ...options });
  accountId = (await db.transaction((tx) => createAccount(tx, systemClock, { name: "Many" }))).account_id;
});
after(async () => {
  await db.close();
  await database.drop();
});

const ctxOf = (tx: Tx): TxCtx => {
  return { sql: tx, accountId, actor: { kind: "system", id: null }, clock: systemClock, log };
};

/** Makes a list with people on it. */
async function fill(count = PEOPLE): Promise<string> {
  const { id } = await db.transaction((tx) => createList(ctxOf(tx), { name: "Many" }));
  const ids = Array.from({ length: count }, () => newId(systemClock));
  await db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
    select ${accountId}, id, ${id}, id, id || '@example.com', id || '@example.com', '{}', 'active', 'test', now(), now()
    from unnest(${ids}::uuid[]) as id`);
  return toPublicId("lst", id);
}

async function make(listId: string, action: BulkChangeCreate["action"]): Promise<string> {
  const row = await db.transaction((tx) =>
    createBulkChange(ctxOf(tx), { filter: { list_id: listId }, action }),
  );
  return row.id;
}

const jobWith = (own: Db, signal = new AbortController().signal): JobCtx => {
  return { db: own, clock: systemClock, log, signal, attempt: 1 };
};
const run = (id: string, job = jobWith(db)) => runBulkChange(job, deps, payloadOf(id));
const read = async (id: string) => {
  const row = await findBulkChange(db, accountId, id);
  assert.ok(row);
  return row;
};
const payloadOf = (id: string) => ({ account_id: accountId, bulk_change_id: id });
const jobNamed = (name: string) => {
  const job = bulkChangeJobs(deps).find((one) => one.name === name);
  assert.ok(job);
  return job;
};
const undo = (id: string) => db.transaction((tx) => requestUndo(ctxOf(tx), id));
const rowsOf = async (id: string) => {
  const counted = sql`select count(*) as count from bulk_change_rows where bulk_change_id = ${id}`;
  return (await db.one<{ count: number }>(counted)).count;
};
async function makeField(slot: number, key: string): Promise<string> {
  const id = newId(systemClock);
  await db.execute(sql`
    insert into fields (account_id, id, slot, key, name, type, created_at, updated_at)
    values (${accountId}, ${id}, ${slot}, ${key}, ${key}, 'text', now(), now())`);
  return id;
}
const eventsOf = async (type: string) =>
  (await db.one<{ count: number }>(sql`select count(*) as count from events where type = ${type}`)).count;

/** Its transactions work, but the one of this number is lost before it is committed, as when the process is killed. */
function dyingIn(number: number): Db {
  let count = 0;
  return {
    ...db,
    transaction: (work) =>
      db.transaction(async (tx) => {
        const result = await work(tx);
        if (++count === number) throw new Error("killed");
        return result;
      }),
  };
}

describe("a bulk change that is broken off", () => {
  it("goes on where it was, whichever transaction was lost, and changes nobody twice", async () => {
    const listId = await fill();
    const id = await make(listId, { type: "add_tags", tags: ["killed"] });
    const before_ = await eventsOf("subscriber.tag_added");
    // The first transaction writes down whom it is for, the last one ends it.
    for (let lost = 1; lost <= 2; lost++) await assert.rejects(run(id, jobWith(dyingIn(lost))), /killed/);
    await assert.rejects(run(id, jobWith(dyingIn(SLICES + 2))), /killed/);
    assert.equal((await read(id)).status, "running");
    assert.equal(await run(id), "ended");
    const done = await read(id);
    assert.deepEqual([done.status, done.total, done.changed, done.skipped], ["completed", PEOPLE, PEOPLE, 0]);
    assert.equal((await eventsOf("subscriber.tag_added")) - before_, PEOPLE);
    assert.equal(await eventsOf("bulk_change.completed"), 1);
    assert.equal(await run(id), "ended");
    assert.equal(await eventsOf("bulk_change.completed"), 1);
  });

  it("stops between slices when the process does, and its undo too", async () => {
    const id = await make(await fill(), { type: "set_field", field: "first_name", value: "Ada" });
    const stopping = new AbortController();
    stopping.abort();
    assert.equal(await run(id, jobWith(db, stopping.signal)), "stopped");
    assert.deepEqual([(await read(id)).status, (await read(id)).changed], ["running", 0]);
    assert.equal(await run(id), "ended");
    await undo(id);
    const payload = payloadOf(id);
    assert.equal(await undoBulkChange(jobWith(db, stopping.signal), payload), "stopped");
    await assert.rejects(undoBulkChange(jobWith(dyingIn(2)), payload), /killed/);
    assert.equal(await undoBulkChange(jobWith(db), payload), "ended");
    assert.deepEqual([(await read(id)).status, (await read(id)).undone], ["undone", PEOPLE]);
    const named = await db.many(sql`select from subscribers where first_name is not null`);
    assert.equal(named.length, 0);
  });

  it("is done once by two runners at the same time", async () => {
    const id = await make(await fill(), { type: "delete" });
    await Promise.all([run(id), run(id)]);
    const done = await read(id);
    assert.deepEqual([done.status, done.changed], ["completed", PEOPLE]);
  });

  it("changes nobody more once it is canceled", async () => {
    const id = await make(await fill(1_500), { type: "unsubscribe" });
    const stopping = new AbortController();
    stopping.abort();
    await run(id, jobWith(db, stopping.signal));
    await db.transaction((tx) => cancelBulkChange(ctxOf(tx), id));
    assert.equal(await run(id), "ended");
    assert.deepEqual([(await read(id)).status, (await read(id)).changed], ["canceled", 0]);
  });

  it("fails when the field that it sets is deleted on the way, and keeps what it did", async () => {
    const field = await makeField(1, "going");
    const id = await make(await fill(1_500), { type: "set_field", field: "fields.going", value: "x" });
    await assert.rejects(run(id, jobWith(dyingIn(3))), /killed/);
    await db.execute(sql`update fields set deleted_at = now() where id = ${field}`);
    assert.equal(await run(id), "ended");
    const failed = await read(id);
    assert.deepEqual([failed.status, failed.error_code, failed.changed], ["failed", "field_deleted", 1_000]);
  });

  it("is canceled at once while those whom it is for are written down, and keeps none of them", async () => {
    const id = await make(await fill(10), { type: "add_tags", tags: ["late"] });
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = db.transaction(async (tx) => {
      await tx.execute(sql`lock table bulk_change_rows in exclusive mode`);
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const freezing = run(id);
    try {
      await until(async () => {
        const waiting = sql`select from pg_locks where relation = 'bulk_change_rows'::regclass and not granted`;
        return (await db.many(waiting)).length > 0;
      });
      await db.transaction(async (tx) => {
        await tx.execute(sql`set local lock_timeout = '3s'`);
        await cancelBulkChange(ctxOf(tx), id);
      });
    } finally {
      released.resolve();
      await holding;
    }
    assert.equal(await freezing, "ended");
    assert.deepEqual([(await read(id)).status, await rowsOf(id)], ["canceled", 0]);
  });

  it("gives nobody more a value that is erased on the way, and can't be undone by it", async () => {
    const listId = await fill();
    const id = await make(listId, { type: "set_field", field: "first_name", value: "Ask ada@example.com" });
    await assert.rejects(run(id, jobWith(dyingIn(3))), /killed/);
    await db.execute(sql`update subscribers set first_name = 'Bob' where first_name is null`);
    await db.transaction((tx) => forgetInBulkChanges(ctxOf(tx), "ada@example.com"));
    assert.equal(await run(id), "ended");
    const failed = await read(id);
    assert.deepEqual([failed.status, failed.error_code, failed.changed], ["failed", "value_erased", 1_000]);
    const emptied = await db.many(sql`select from subscribers where first_name is null`);
    assert.equal(emptied.length, 0);
    await assert.rejects(undo(id), /nothing of this change/);
  });

  it("leaves nothing of a deleted subscriber by which it could be undone", async () => {
    const listId = await fill(3);
    const id = await make(listId, { type: "set_field", field: "last_name", value: "New" });
    await run(id);
    await run(await make(listId, { type: "delete" }));
    const { count } = await db.one<{ count: number }>(
      sql`select count(*) as count from bulk_change_rows where bulk_change_id = ${id} and undo is not null`,
    );
    assert.equal(count, 0);
  });
});

describe("an undo that can't go on", () => {
  it("ends as failed when the field is gone", async () => {
    const field = await makeField(2, "leaving");
    const id = await make(await fill(5), { type: "set_field", field: "fields.leaving", value: "x" });
    await run(id);
    await undo(id);
    await db.execute(sql`update fields set deleted_at = now() where id = ${field}`);
    assert.equal(await undoBulkChange(jobWith(db), payloadOf(id)), "ended");
    assert.deepEqual([(await read(id)).status, (await read(id)).error_code], ["failed", "field_deleted"]);
  });

  it("ends as failed with its last attempt, and may be asked for again", async () => {
    const id = await make(await fill(5), { type: "add_tags", tags: ["stuck"] });
    await run(id);
    const before_ = await read(id);
    await undo(id);
    const last = { ...jobWith(dyingIn(1)), attempt: undoBulkKind.maxAttempts };
    await assert.rejects(jobNamed(undoBulkKind.name).run(last, payloadOf(id)), /killed/);
    const failed = await read(id);
    assert.deepEqual([failed.status, failed.error_code], ["failed", "internal_error"]);
    assert.deepEqual(undoUntil(failed), undoUntil(before_));
    await undo(id);
    await undoBulkChange(jobWith(db), payloadOf(id));
    const undone = await read(id);
    assert.deepEqual([undone.status, undone.undone, undone.error_code], ["undone", 5, null]);
  });
});

describe("the removal of what was written down", () => {
  const remove = (id: string, job = jobWith(db)) => jobNamed(removeRowsKind.name).run(job, payloadOf(id));

  it("leaves a change alone that is being undone", async () => {
    const id = await make(await fill(5), { type: "add_tags", tags: ["in time"] });
    await run(id);
    await undo(id);
    await remove(id);
    assert.equal(await rowsOf(id), 5);
    await undoBulkChange(jobWith(db), payloadOf(id));
    assert.equal((await read(id)).undone, 5);
    await remove(id);
    assert.equal(await rowsOf(id), 0);
  });

  it("is quick with a table of which the planner knows nothing, and goes on after a stop", async () => {
    const id = await make(await fill(1), { type: "add_tags", tags: ["large"] });
    await run(id);
    await db.execute(sql`
      insert into bulk_change_rows (account_id, bulk_change_id, subscriber_id)
      select ${accountId}, ${id}, gen_random_uuid() from generate_series(1, 24_000)`);
    const stopping = new AbortController();
    stopping.abort();
    const startedMs = systemClock.monotonicMs();
    await remove(id, jobWith(db, stopping.signal));
    assert.equal(await rowsOf(id), 14_001);
    const again = await db.one<{ attempts: number; due: boolean }>(sql`
      select attempts, run_at <= now() as due from graphile_worker.jobs
      where key = ${`${removeRowsKind.name} ${id}`}`);
    assert.deepEqual(again, { attempts: 0, due: true });
    await remove(id);
    assert.equal(await rowsOf(id), 0);
    const tookMs = systemClock.monotonicMs() - startedMs;
    assert.ok(tookMs < 20_000, `${tookMs} ms`);
  });
});
