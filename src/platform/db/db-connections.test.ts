import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { emptyDatabase } from "../../../test/support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../../../test/support/database-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { createLog } from "../log.ts";
import { createDb, type Db, prepared, type Queryable, type Sql, sql } from "./db.ts";
import { DbError } from "./errors.ts";

const log = createLog({ level: "silent", pretty: false });

function open(connection: string, poolSize = 6, statementTimeoutMs = 10_000): Db {
  return createDb({ connection, poolSize, applicationName: "db test", log, statementTimeoutMs });
}

const isKind = (kind: string) => (error: unknown) => error instanceof DbError && error.kind === kind;

describe("the database's connections", () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  let proxy: DatabaseProxy;
  before(async () => {
    database = await emptyDatabase();
    proxy = await createDatabaseProxy(database.url);
    db = open(database.url);
  });
  after(async () => {
    await db.close();
    await proxy.close();
    await database.drop();
  });

  it("that can't be had fail every question of a transaction, also one that is asked afterwards", async () => {
    const away = open("postgres://nobody@127.0.0.1:1/nothing");
    const asked = away.transaction(async (tx) => {
      await assert.rejects(tx.one(sql`select 1`), isKind("unavailable"));
      await assert.rejects(tx.one(sql`select 2`), isKind("unavailable"));
    });
    await assert.rejects(asked, isKind("unavailable"));
    await away.close();
  });

  it("are no more than was allowed", async () => {
    const small = createDb({
      connection: database.url,
      poolSize: 2,
      applicationName: "small",
      log,
      statementTimeoutMs: 10_000,
    });
    const asks = Array.from({ length: 8 }, () => [
      small.one(sql`select pg_sleep(0.05)`),
      small.hot.one(sql`select 1 as a`),
    ]);
    await Promise.all(asks.flat());
    const held = await db.many(sql`select pid from pg_stat_activity where application_name = 'small'`);
    assert.equal(held.length, 2);
    await small.close();
  });

  it("that are ended as they open fail what was asked on them, and nothing else", async () => {
    const name = "ended as it opens";
    const opening = createDb({
      connection: proxy.url,
      poolSize: 2,
      applicationName: name,
      log,
      statementTimeoutMs: 10_000,
    });
    const backends = () =>
      db.many<{ pid: number }>(sql`
      select pid from pg_stat_activity where application_name = ${name} and backend_type = 'client backend'`);
    for (const ask of [
      () => opening.one(sql`select 1 as one`),
      () => opening.transaction((tx) => tx.one(sql`select 1 as one`)),
      () => opening.reading.one(sql`select 1 as one`),
    ]) {
      // The server's greeting waits in the proxy, and what ends the connection comes right behind it.
      proxy.hold();
      const asked = ask().then(
        () => "answered",
        (error) => (error instanceof DbError ? error.kind : String(error)),
      );
      await until(async () => (await backends()).length > 0);
      await db.execute(sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`);
      await until(async () => (await backends()).length === 0);
      proxy.release();
      assert.equal(await asked, "unavailable");
      assert.deepEqual(await opening.one(sql`select 2 as two`), { two: 2 });
      await db.execute(sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${name}`);
      await until(() => opening.counts().total === 0);
    }
    await opening.close();
  });

  describe("a prepared statement", () => {
    const names = (tx: Queryable) =>
      tx.many<{ statement: string }>(
        sql`select statement from pg_prepared_statements where statement like '%marked%'`,
      );
    const marked = (value: number): Sql => prepared(sql`select ${value}::int as marked`);

    it("is parsed once a connection, whatever its values", async () => {
      await db.transaction(async (tx) => {
        assert.deepEqual(await tx.one(marked(1)), { marked: 1 });
        assert.deepEqual(await Promise.all([tx.one(marked(2)), tx.one(marked(3))]), [
          { marked: 2 },
          { marked: 3 },
        ]);
        assert.equal((await names(tx)).length, 1);
      });
    });

    it("is only what was marked as one", async () => {
      await db.transaction(async (tx) => {
        await tx.one(sql`select ${1}::int as marked_not`);
        assert.ok((await names(tx)).every(({ statement }) => !statement.includes("marked_not")));
      });
    });

    it("still works on a connection on which it failed", async () => {
      const one = open(database.url, 3);
      const late = () => prepared(sql`select count(*) as count from made_late`);
      await assert.rejects(
        one.transaction((tx) => Promise.all([tx.one(late()), tx.one(late())])),
        isKind("other"),
      );
      await one.execute(sql`create table made_late ()`);
      assert.deepEqual(await one.transaction((tx) => tx.one(late())), { count: 0 });
      await one.close();
    });
  });

  describe("the hot lanes", () => {
    it("carry many statements at once over two connections", async () => {
      const many = Array.from({ length: 200 }, (_, i) => i);
      const pid = (i: number) => sql`select ${i}::int as i, pg_backend_pid() as pid`;
      const rows = await Promise.all(many.map((i) => db.hot.one<{ i: number; pid: number }>(pid(i))));
      assert.deepEqual(
        rows.map((row) => row.i),
        many,
      );
      assert.equal(new Set(rows.map((row) => row.pid)).size, 2);
    });

    it("go on after a statement that fails", async () => {
      const results = await Promise.allSettled([
        db.hot.one(sql`select 1 as a`),
        db.hot.one(sql`select * from nowhere`),
        db.hot.one(sql`select 2 as a`),
        db.hot.one(sql`select 3 as a`),
      ]);
      assert.deepEqual(
        results.map((result) => result.status),
        ["fulfilled", "rejected", "fulfilled", "fulfilled"],
      );
    });

    it("come back by themselves after their connections were lost", async () => {
      const behind = open(proxy.url);
      const ask = () => behind.hot.one(sql`select 1 as a`);
      await Promise.all([ask(), ask()]);
      await proxy.cut();
      for (let i = 0; i < 4; i++) await assert.rejects(ask(), isKind("unavailable"));
      await proxy.restore();
      await Promise.all([ask(), ask()]);
      await behind.close();
    });
  });

  describe("a server that hangs", () => {
    it("is given up, and its connections replaced", { timeout: 20_000 }, async () => {
      const behind = open(proxy.url, 6, 100);
      const asks = [
        () => behind.hot.one(sql`select 1 as a`),
        () => behind.one(sql`select 1 as a`),
        () => behind.transaction((tx) => tx.one(sql`select 1 as a`)),
      ];
      await Promise.all(asks.map((ask) => ask()));
      proxy.hold();
      const fresh = open(proxy.url, 6, 100);
      const waiting = [...asks, () => fresh.hot.one(sql`select 1 as a`), () => fresh.one(sql`select 1 as a`)];
      await Promise.all(waiting.map((ask) => assert.rejects(ask(), isKind("unavailable"))));
      proxy.release();
      await Promise.all(waiting.map((ask) => ask()));
      await Promise.all([behind.close(), fresh.close()]);
    });
  });
});
