import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { LEAST_ID, type Scan } from "../../events/events.ts";
import { systemClock } from "../../platform/clock.ts";
import { createDb, type Db, sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { sharePages } from "./shared-pages.ts";

const FIRST_XID = 5;

describe("a page of the log", () => {
  const accountId = newId(systemClock);
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let db: Db;
  let statements = 0;
  let counted: Db;
  before(async () => {
    database = await cloneDatabase();
    const log = createLog({ level: "silent", pretty: false });
    const connection = database.url;
    db = createDb({ connection, poolSize: 2, applicationName: "test", log, statementTimeoutMs: 30_000 });
    counted = {
      ...db,
      many(...of: Parameters<Db["many"]>) {
        statements++;
        return db.many(...of);
      },
    } as Db;
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const write = (count: number) =>
    db.execute(sql`
      insert into events (account_id, id, xid, type, created_at, actor_kind, data)
      select ${accountId}, gen_random_uuid(), ${FIRST_XID} + n, case when n % 2 = 0 then 'list.updated' else 'topic.updated' end,
        now(), 'system', '{}'
      from generate_series(1, ${count}::int) as n`);
  const scan = (more: Partial<Scan> = {}): Scan => ({
    accountId,
    types: ["list.updated"],
    since: new Date(0),
    after: { xid: String(FIRST_XID), id: LEAST_ID },
    begun: { xid: String(FIRST_XID), running: [] },
    upTo: undefined,
    limit: 10,
    ...more,
  });
  const statementsOf = async (work: () => Promise<unknown>) => {
    const before = statements;
    await work();
    return statements - before;
  };

  it("is read again while it isn't full, once for all who ask at the same time", async () => {
    const read = sharePages(counted);
    await write(6);
    assert.equal(await statementsOf(() => Promise.all([read(scan()), read(scan())])), 1);
    assert.equal((await read(scan())).events.length, 3);
    await write(6);
    assert.equal((await read(scan())).events.length, 4);
  });

  it("is read once for all who stand there when it is full, and apart for who wants other types or begins later", async () => {
    const read = sharePages(counted);
    assert.equal(await statementsOf(() => read(scan())), 1);
    assert.equal(await statementsOf(() => read(scan())), 0);
    const topics = await read(scan({ types: ["topic.updated"] }));
    assert.deepEqual([...new Set(topics.events.map(({ type }) => type))], ["topic.updated"]);
    const later = scan({ begun: { xid: String(FIRST_XID + 4), running: [] } });
    assert.equal(await statementsOf(() => Promise.all([read(later), read(later)])), 2);
    assert.ok((await read(later)).events.every(({ xid }) => Number(xid) >= FIRST_XID + 4));
  });

  it("is forgotten when others were read after it", async () => {
    const read = sharePages(counted);
    const at = (limit: number) => read(scan({ limit }));
    assert.equal(await statementsOf(() => Promise.all([1, 2, 3, 4, 5].map(at))), 5);
    assert.equal(await statementsOf(() => at(5)), 0);
    const topics = scan({ types: ["topic.updated"] });
    assert.equal(await statementsOf(() => read(topics)), 1);
    assert.equal(await statementsOf(() => read(topics)), 0);
  });

  it("serves who stands within it with the rest of it", async () => {
    const read = sharePages(counted);
    const whole = await read(scan());
    const [first, ...rest] = whole.events;
    assert.ok(first);
    const within = scan({ after: { xid: first.xid, id: first.id } });
    assert.equal(
      await statementsOf(async () => {
        assert.deepEqual(await read(within), { ...whole, events: rest });
      }),
      0,
    );
    assert.equal(await statementsOf(() => read(scan({ after: whole.to }))), 1);
  });

  it("that can't be read is an error for all who wait for it, and is tried again", async () => {
    let fails = 1;
    const broken = {
      ...counted,
      many: (...of: Parameters<Db["many"]>) =>
        fails-- > 0 ? Promise.reject(new Error("gone")) : counted.many(...of),
    };
    const read = sharePages(broken as Db);
    const both = await Promise.allSettled([read(scan()), read(scan())]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.equal((await read(scan())).events.length, 4);
  });
});
