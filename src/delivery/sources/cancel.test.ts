import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { until } from "../../../test/support/until.ts";
import { createDb, type Db, sql } from "../../platform/db/db.ts";
import { cancelRows } from "./cancel.ts";
import { cancelSource } from "./source-life.ts";

/** Whoever reads the ledger by way of the view below waits while somebody has this lock. */
const GATE = 7;

describe("a row that a sender puts off while it is cancelled", () => {
  let bench: Bench;
  let gate: pg.Client;
  /** Its statements read the ledger by way of the view, after their snapshot was taken. */
  let slow: Db;
  before(async () => {
    bench = await createBench();
    await bench.db.execute(sql`create schema slow`);
    await bench.db.execute(sql`
      create function slow.pass_gate() returns boolean language plpgsql volatile as $$
        begin
          perform pg_advisory_xact_lock_shared(7);
          return true;
        end $$`);
    await bench.db.execute(sql`
      create view slow.deliveries as select * from public.deliveries where slow.pass_gate()`);
    const connection = new URL(bench.url);
    connection.searchParams.set("options", "-c search_path=slow,public");
    slow = createDb({
      connection: connection.href,
      poolSize: 2,
      applicationName: "slow",
      log: bench.log,
      statementTimeoutMs: 30_000,
    });
    gate = new pg.Client({ connectionString: bench.url });
    await gate.connect();
  });
  after(async () => {
    await gate?.end();
    await slow?.close();
    await bench?.stop();
  });

  it("is cancelled and loses its retry, so that it isn't counted twice", async () => {
    const { db, accountId, clock } = bench;
    const sourceId = await bench.launch();
    const contactId = "00000000-0000-7000-8000-000000000001";
    const row = sql`account_id = ${accountId} and source_id = ${sourceId}`;
    await db.execute(sql`
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
      values (${accountId}, ${sourceId}, ${contactId}, ${contactId}, 'campaign', ${sourceId}, 'ready', 0, now())`);
    await db.execute(sql`update plans set recipients = 1, eligible = 1, ended_at = now() where ${row}`);
    await bench.ctx((ctx) => cancelSource(ctx, sourceId));

    await gate.query("select pg_advisory_lock($1)", [GATE]);
    const canceled = cancelRows({ db: slow, clock }, accountId, sourceId);
    await until(async () => {
      const { rowCount } = await gate.query(`
        select from pg_stat_activity
        where application_name = 'slow' and wait_event = 'advisory' and query like '%passed as materialized%'`);
      return rowCount === 1;
    });
    // The statement has its snapshot, in which the row is ready and has no retry.
    await db.transaction(async (tx) => {
      await tx.execute(sql`update deliveries set state = 'deferred', attempt = 1 where ${row}`);
      await tx.execute(sql`
        insert into retries (account_id, source_id, contact_id, due_at)
        values (${accountId}, ${sourceId}, ${contactId}, now() + interval '1 hour')`);
    });
    await gate.query("select pg_advisory_unlock($1)", [GATE]);

    // It was tried meanwhile, so that only the next pass can know what became of it.
    assert.equal(await canceled, false);
    assert.equal(await cancelRows({ db, clock }, accountId, sourceId), true);
    assert.deepEqual(await db.many(sql`select state, why, attempt from deliveries where ${row}`), [
      { state: "skipped", why: "canceled", attempt: 1 },
    ]);
    assert.deepEqual(await db.many(sql`select contact_id from retries where ${row}`), []);
    const { recipients, queued, deferred, skipped } = await bench.counts(sourceId);
    assert.deepEqual([recipients, queued, deferred, skipped.canceled], [1, 0, 0, 1]);
  });
});
