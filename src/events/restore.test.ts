import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import { until } from "../../test/support/until.ts";
import { systemClock } from "../platform/clock.ts";
import { createDb, type Db, sql } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { createLog } from "../platform/log.ts";
import { adoptEventsAfterRestore, recordEvent } from "./events.ts";
import { type EventRow, type Position, readHorizon, selectEvents } from "./store.ts";

const FAR_AHEAD = 1_000_000_000_000;

describe("the event log after a restore", () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let db: Db;
  let warnings: string[];
  const accountId = newId(systemClock);
  const log = createLog({
    level: "warn",
    pretty: false,
    destination: { write: (line) => void warnings.push(line) },
  });
  const open = (url: string) =>
    createDb({ connection: url, poolSize: 6, applicationName: "test", log, statementTimeoutMs: 30_000 });

  beforeEach(async () => {
    warnings = [];
    database = await cloneDatabase();
    db = open(database.url);
    await db.execute(sql`insert into instance (secret_fingerprint) values ('test')`);
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const record = (n: number) =>
    db.transaction((tx) =>
      recordEvent(
        { sql: tx, accountId, actor: { kind: "system", id: null }, clock: systemClock },
        { type: "account.updated", data: { n } },
      ),
    );

  async function readFrom(after: Position | undefined): Promise<{ seen: unknown[]; place: Position }> {
    const horizon = await readHorizon(db);
    const filter = { accountId, types: undefined, since: new Date(0), after, before: horizon };
    const rows = await db.many<EventRow>(selectEvents(filter, "ascending", 1_000));
    return { seen: rows.map((row) => row.data["n"]), place: horizon };
  }

  async function expectFrom(after: Position | undefined, expected: readonly number[]): Promise<Position> {
    let read = await readFrom(after);
    // Transactions of other tests on the same server hold the newest events back for a moment.
    await until(async () => {
      read = await readFrom(after);
      return read.seen.length >= expected.length;
    }).catch(() => undefined);
    assert.deepEqual(read.seen, expected);
    return read.place;
  }

  /** Makes the database look like the dump of a busy server that was restored on a fresh one. */
  async function pretendRestored(): Promise<void> {
    await db.execute(sql`update events set xid = xid + ${FAR_AHEAD}::bigint`);
    await db.execute(sql`update instance set database_history = '7000000000000000000/00000001'`);
  }

  async function offset(): Promise<number> {
    return (await db.one<{ offset: number }>(sql`select event_offset as offset from instance`)).offset;
  }

  test("on the same database nothing changes", async () => {
    for (let n = 0; n < 3; n++) {
      await record(n);
      await adoptEventsAfterRestore(db, log);
    }
    assert.equal(await offset(), 0);
    await expectFrom(undefined, [0, 1, 2]);
    assert.deepEqual(warnings, []);
  });

  test("old events are readable again in their order, new ones follow, and an old cursor misses none", async () => {
    await adoptEventsAfterRestore(db, log);
    for (let n = 0; n < 5; n++) await record(n);
    const place = await expectFrom(undefined, [0, 1, 2, 3, 4]);
    const cursor = { ...place, xid: String(Number(place.xid) + FAR_AHEAD) };
    await pretendRestored();
    assert.deepEqual((await readFrom(undefined)).seen, [], "they seem to lie in the future");
    await adoptEventsAfterRestore(db, log);
    assert.match(warnings.join(), /restored or promoted/);
    await record(5);
    await record(6);
    await expectFrom(undefined, [0, 1, 2, 3, 4, 5, 6]);
    await expectFrom(cursor, [5, 6]);
  });

  test("several processes that start at once raise the offset once, a second restore once more", async () => {
    await adoptEventsAfterRestore(db, log);
    await record(0);
    for (const times of [1, 2]) {
      await pretendRestored();
      await Promise.all([1, 2, 3].map(() => adoptEventsAfterRestore(db, log)));
      assert.equal(await offset(), times * 2 ** 48);
      await record(times);
      assert.equal(warnings.length, times);
    }
    await expectFrom(undefined, [0, 1, 2]);
  });

  test("a writer that is not yet done is waited for, so that no reader passes it", async () => {
    await adoptEventsAfterRestore(db, log);
    await pretendRestored();
    const recorded = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const writing = db.transaction(async (tx) => {
      const ctx = { sql: tx, accountId, actor: { kind: "system", id: null }, clock: systemClock } as const;
      await recordEvent(ctx, { type: "account.updated", data: { n: 1 } });
      // A transaction keeps its statements back until it first waits for an answer, so it waits for one here.
      await tx.one(sql`select 1 as written`);
      recorded.resolve();
      await mayCommit.promise;
    });
    await recorded.promise;
    const adopting = (async () => {
      // It gives up after 2 s, and a busy machine may need longer for the check below. So it is tried again, as by the next start.
      while ((await offset()) === 0) await adoptEventsAfterRestore(db, log);
    })();
    try {
      await until(async () => {
        const { waiting } = await db.one<{ waiting: number }>(
          sql`select count(*) as waiting from pg_locks where relation = 'events'::regclass and not granted`,
        );
        return waiting > 0;
      });
      assert.equal(await offset(), 0);
    } finally {
      mayCommit.resolve();
    }
    await Promise.all([writing, adopting]);
    await record(2);
    await expectFrom(undefined, [1, 2]);
  });

  test("where the server doesn't tell its identity, events from the future tell it", async () => {
    const role = `test_${randomBytes(6).toString("hex")}`;
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const url = new URL(database.url);
    url.searchParams.set("options", `-c role=${role}`);
    const limited = open(url.href);
    try {
      await admin.query(`create role ${role}; grant all on all tables in schema public to ${role}`);
      await admin.query("revoke execute on function pg_control_system() from public");
      await record(0);
      await adoptEventsAfterRestore(limited, log);
      assert.equal(await offset(), 0);
      await db.execute(sql`update events set xid = xid + ${FAR_AHEAD}::bigint`);
      await adoptEventsAfterRestore(limited, log);
      await adoptEventsAfterRestore(limited, log);
      assert.equal(await offset(), 2 ** 48);
      await record(1);
      await expectFrom(undefined, [0, 1]);
    } finally {
      await limited.close();
      await admin.query(`drop owned by ${role}; drop role ${role}`);
      await admin.end();
    }
  });
});
