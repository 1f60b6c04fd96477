import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTestClock } from "../../test/support/clock.ts";
import { cloneDatabase } from "../../test/support/database.ts";
import { explain, rowsOf } from "../../test/support/query-plans.ts";
import { createDb, type Db, type Sql, sql } from "../platform/db/db.ts";
import { maintainPartitions } from "../platform/db/partitions.ts";
import { newId } from "../platform/ids.ts";
import { createLog } from "../platform/log.ts";
import { eventPartitions } from "./partitions.ts";
import { type EventFilter, selectEvents, selectOneEvent } from "./store.ts";

const DAY_MS = 24 * 3_600_000;
const WEEKS = 5;
const log = createLog({ level: "silent", pretty: false });

/**
 * The noon of the last Sunday. What happened on the Sunday five weeks before then stands in a partition that has ended before
 * the time that events are kept for, whatever day it is today.
 */
function lastSunday(): number {
  const now = new Date();
  return (
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - now.getUTCDay(), 12) -
    (now.getUTCDay() === 0 ? 7 * DAY_MS : 0)
  );
}

describe("the statements of the event log", () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let db: Db;
  const clock = createTestClock(new Date(lastSunday() - WEEKS * 7 * DAY_MS));
  const [busy, quiet] = [newId(clock), newId(clock)];

  before(async () => {
    database = await cloneDatabase();
    db = createDb({
      connection: database.url,
      poolSize: 4,
      applicationName: "test",
      log,
      statementTimeoutMs: 30_000,
    });
    for (let week = 0; week < WEEKS; week++) {
      await maintainPartitions(db, clock, [eventPartitions], log);
      await db.execute(sql`
        insert into events (account_id, id, xid, type, created_at, actor_kind, data)
        select case when n % 100 = 0 then ${quiet}::uuid else ${busy}::uuid end, gen_random_uuid(),
               ${week * 1_000}::int + n / 10,
               case when n % 1000 = 0 then 'account.updated' else 'api_key.updated' end, ${clock.now()}, 'system', '{}'
        from generate_series(1, 8000) as n`);
      clock.advance(7 * DAY_MS);
    }
    await db.execute(sql`analyze events`);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  function filterOf(accountId: string, more: Partial<EventFilter> = {}): EventFilter {
    const since = new Date(clock.now().getTime() - eventPartitions.keepMs);
    const before = { xid: "1000000", id: newId(clock) };
    return { accountId, types: undefined, since, after: undefined, before, ...more };
  }

  const middle = { xid: "2400", id: "00000000-0000-0000-0000-000000000000" };
  const statements: Record<string, () => Sql> = {
    "newest first": () => selectEvents(filterOf(busy), "descending", 51),
    "newest first, a later page": () => selectEvents(filterOf(busy, { before: middle }), "descending", 51),
    "oldest first": () => selectEvents(filterOf(busy), "ascending", 51),
    "oldest first, a later page": () => selectEvents(filterOf(busy, { after: middle }), "ascending", 51),
    "of one type": () => selectEvents(filterOf(busy, { types: ["api_key.updated"] }), "descending", 51),
    "of an account with few": () => selectEvents(filterOf(quiet), "descending", 51),
    "one by its id": () => selectOneEvent(busy, newId(clock), filterOf(busy).since),
  };
  for (const [name, statement] of Object.entries(statements)) {
    test(`${name}: by an index, without reading a table through`, async () => {
      const nodes = await explain(db, statement());
      const kinds = nodes.map((node) => node["Node Type"]);
      assert.ok(kinds.some((kind) => /^Index/.test(kind)));
      // An empty partition may be read from end to end, because that costs nothing.
      const readThrough = nodes.filter((node) => node["Node Type"] === "Seq Scan" && rowsOf(node) > 0);
      assert.deepEqual(readThrough, []);
      const read = nodes.filter((node) => /Scan/.test(node["Node Type"])).map(rowsOf);
      assert.ok(read.reduce((sum, rows) => sum + rows, 0) < 600, `it read ${read.join(" + ")} rows`);
    });
  }
});
