import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { emptyDatabase } from "../../../test/support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../../../test/support/database-proxy.ts";
import { until } from "../../../test/support/until.ts";
import { createLog } from "../log.ts";
import { createDb, type Db, prepared, type Queryable, sql, type Tx } from "./db.ts";
import { DbError } from "./errors.ts";

const log = createLog({ level: "silent", pretty: false });

function open(connection: string, poolSize = 8, statementTimeoutMs = 10_000): Db {
  return createDb({ connection, poolSize, applicationName: "db test", log, statementTimeoutMs });
}

const isKind = (kind: string) => (error: unknown) => error instanceof DbError && error.kind === kind;
const insert = (n: number) => sql`insert into numbers (n) values (${n})`;
const count = async (db: Queryable, n: number) =>
  (await db.one<{ count: number }>(sql`select count(*) as count from numbers where n = ${n}`)).count;

describe("the database", () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  let proxy: DatabaseProxy;
  before(async () => {
    database = await emptyDatabase();
    proxy = await createDatabaseProxy(database.url);
    db = open(database.url);
    await db.execute(sql`create table numbers (n int primary key, note text not null default '')`);
  });
  after(async () => {
    await db.close();
    await proxy.close();
    await database.drop();
  });

  it("answers with the only row, and takes none or several for a bug", async () => {
    assert.deepEqual(await db.one(sql`select 1 as a`), { a: 1 });
    assert.equal(await db.maybeOne(sql`select 1 as a where false`), undefined);
    await assert.rejects(db.one(sql`select 1 as a where false`), /one row was expected, 0 came/);
    await assert.rejects(db.one(sql`select * from generate_series(1, 2)`), /2 came/);
    await assert.rejects(db.maybeOne(sql`select * from generate_series(1, 2)`), /2 came/);
  });

  it("reads a bigint as a number and says how many rows were touched", async () => {
    assert.deepEqual(await db.one(sql`select 9007199254740991::bigint as big`), {
      big: Number.MAX_SAFE_INTEGER,
    });
    assert.equal(await db.execute(sql`insert into numbers select generate_series(900, 904)`), 5);
  });

  it("throws a unique violation as one, with its constraint", async () => {
    await db.execute(insert(1));
    await assert.rejects(
      db.execute(insert(1)),
      (error) => isKind("unique")(error) && (error as DbError).constraint === "numbers_pkey",
    );
  });

  it("is busy when a statement takes too long", async () => {
    const impatient = open(database.url, 3, 50);
    await assert.rejects(impatient.one(sql`select pg_sleep(5)`), isKind("busy"));
    await impatient.close();
  });

  describe("a transaction", () => {
    it("commits what was done in it and returns the work's result", async () => {
      assert.equal(await db.transaction(async (tx) => tx.execute(insert(10))), 1);
      assert.equal(await count(db, 10), 1);
    });

    it("leaves nothing behind when the work throws, and passes the error on as it is", async () => {
      const errors = [
        new Error("connection ended: a remote server's words, not the database's"),
        Object.assign(new Error("no such file"), { code: "ENOENT" }),
        Object.assign(new Error("looks like a SQLSTATE"), { code: "40001" }),
      ];
      for (const error of errors) {
        const work = async (tx: Tx) => {
          await tx.execute(insert(11));
          throw error;
        };
        await assert.rejects(db.transaction(work), (thrown) => thrown === error);
      }
      assert.equal(await count(db, 11), 0);
    });

    it("isn't opened in vain: the work may throw before its first statement", async () => {
      const work = async () => {
        throw new Error("at once");
      };
      await assert.rejects(db.transaction(work), /at once/);
      assert.equal((await db.one<{ a: number }>(sql`select 1 as a`)).a, 1);
    });

    it("refuses a query that slips out of it", async () => {
      const slips: ((tx: Tx) => Promise<unknown>)[] = [
        () => db.one(sql`select 1 as a`),
        () => db.hot.one(sql`select 1 as a`),
        () => db.transaction((tx) => tx.execute(insert(12))),
        () => Promise.all([1].map(async () => db.execute(insert(12)))),
        async (tx) => {
          await tx.execute(insert(12));
          await new Promise((resolve) => setTimeout(resolve, 5));
          await db.execute(insert(12));
        },
      ];
      for (const slip of slips) await assert.rejects(db.transaction(slip), /slipped out of its transaction/);
      assert.equal(await count(db, 12), 0);
    });

    it("refuses a query of its own after its end", async () => {
      const leak = { tx: undefined as Tx | undefined };
      await db.transaction(async (tx) => {
        leak.tx = tx;
      });
      await assert.rejects(async () => leak.tx?.execute(insert(13)), /this transaction has ended/);
      assert.equal(await count(db, 13), 0);
    });

    it("lets the database be used again once it has ended", async () => {
      await db.transaction(async (tx) => tx.execute(insert(14)));
      assert.equal(await count(db, 14), 1);
    });

    it("isn't committed in silence when a failed statement was swallowed", async () => {
      const work = async (tx: Tx) => {
        await tx.execute(insert(15));
        await tx.execute(sql`select * from nowhere`).catch(() => undefined);
      };
      await assert.rejects(db.transaction(work), /failed statement was ignored/);
      assert.equal(await count(db, 15), 0);
    });

    it("isn't committed in silence when a statement that nobody awaited fails", async () => {
      const work = async (tx: Tx) => {
        await tx.execute(insert(16));
        tx.execute(sql`select * from nowhere`).catch(() => undefined);
      };
      await assert.rejects(db.transaction(work), /failed statement was ignored/);
      assert.equal(await count(db, 16), 0);
    });

    it("tells afterwards only what was committed, and only then", async () => {
      const told: string[] = [];
      await db.transaction(async (tx) => {
        tx.afterCommit(() => told.push(`committed`));
        await tx.execute(insert(17));
        assert.deepEqual(told, []);
      });
      assert.deepEqual(told, ["committed"]);
      const failing = async (tx: Tx) => {
        tx.afterCommit(() => told.push("never"));
        await tx.execute(insert(17));
      };
      await assert.rejects(db.transaction(failing), isKind("unique"));
      assert.deepEqual(told, ["committed"]);
    });

    it("commits also what was sent without waiting, or nothing at all", async () => {
      await db.transaction(async (tx) => {
        tx.send(insert(21));
        assert.equal(await count(tx, 21), 1);
        tx.send(insert(22));
      });
      assert.deepEqual([await count(db, 21), await count(db, 22)], [1, 1]);
      const told: string[] = [];
      const failing = async (tx: Tx) => {
        tx.afterCommit(() => told.push("never"));
        await tx.execute(insert(23));
        tx.send(insert(22));
        tx.send(insert(24));
      };
      await assert.rejects(db.transaction(failing), isKind("unique"));
      assert.deepEqual([await count(db, 23), await count(db, 24), told], [0, 0, []]);
    });

    it("says why what was sent has failed, also when a later statement fails of it", async () => {
      const failing = async (tx: Tx) => {
        tx.send(insert(21));
        await tx.execute(insert(25));
      };
      await assert.rejects(db.transaction(failing), isKind("unique"));
      assert.equal(await count(db, 25), 0);
    });

    it("is sent whole, in one go, when it never waits for an answer", async () => {
      const behind = open(proxy.url);
      await behind.transaction(async (tx) => tx.send(insert(30)));
      proxy.hold();
      const done = behind.transaction(async (tx) => {
        tx.send(insert(31));
        tx.send(sql`select 'last of it'`);
      });
      await until(() => proxy.received().includes("select 'last of it'"));
      proxy.release();
      await done;
      assert.equal(await count(db, 31), 1);
      await behind.close();
    });

    it("shares a connection with others when it is sent whole, and their failures are not its own", async () => {
      const told: number[] = [];
      const numbers = Array.from({ length: 60 }, (_, i) => 40 + i);
      const results = await Promise.allSettled(
        numbers.map((n) =>
          db.transaction(async (tx) => {
            tx.afterCommit(() => told.push(n));
            tx.send(insert(n));
            tx.send(n % 3 === 0 ? insert(n) : sql`select 1`);
          }),
        ),
      );
      const fulfilled = numbers.filter((_, i) => results[i]?.status === "fulfilled");
      assert.deepEqual(
        fulfilled,
        numbers.filter((n) => n % 3 !== 0),
      );
      assert.deepEqual(
        told.toSorted((a, b) => a - b),
        fulfilled,
      );
      const kept = await db.many<{ n: number }>(
        sql`select n from numbers where n between 40 and 99 order by n`,
      );
      assert.deepEqual(
        kept.map(({ n }) => n),
        fulfilled,
      );
    });

    it("leaves nothing behind when it fails that keeps another from being prepared", async () => {
      const answer = () => prepared(sql`select 42 as answer, 'after a whole that failed' as words`);
      const alone = open(database.url, 1);
      const failing = alone.transaction(async (tx) => {
        tx.send(answer());
        tx.send(sql`select 1 / 0`);
      });
      await assert.rejects(failing);
      const later = await alone.transaction((tx) => tx.one<{ answer: number }>(answer()));
      assert.equal(later.answer, 42);
      assert.equal((await alone.one<{ answer: number }>(answer())).answer, 42);
      await alone.close();
    });

    it("isn't committed without a statement that the driver refused to send", async () => {
      const circular: { self?: unknown } = {};
      circular.self = circular;
      for (const waits of [true, false]) {
        const work = async (tx: Tx) => {
          tx.send(insert(32));
          if (waits) await count(tx, 32);
          tx.send(sql`select ${circular as unknown as string}`);
        };
        await assert.rejects(db.transaction(work), /circular/i);
        assert.equal(await count(db, 32), 0);
      }
    });

    it("takes back what was sent when the work fails", async () => {
      const failing = async (tx: Tx) => {
        tx.send(insert(26));
        tx.send(insert(21));
        throw new Error("no");
      };
      await assert.rejects(db.transaction(failing), /^Error: no$/);
      assert.equal(await count(db, 26), 0);
    });

    it("runs again when it was the victim of a deadlock, and tells afterwards once", async () => {
      await db.execute(sql`insert into numbers (n) values (18), (19)`);
      let runs = 0;
      let told = 0;
      const both = Promise.withResolvers<void>();
      const change = (n: number) => sql`update numbers set note = note || 'x' where n = ${n}`;
      const crossing = (one: number, other: number) =>
        db.transaction(async (tx) => {
          tx.afterCommit(() => told++);
          await tx.execute(change(one));
          if (++runs === 2) both.resolve();
          await both.promise;
          await tx.execute(change(other));
        });
      await Promise.all([crossing(18, 19), crossing(19, 18)]);
      assert.ok(runs >= 3);
      assert.equal(told, 2);
      const notes = await db.many<{ note: string }>(sql`select note from numbers where n in (18, 19)`);
      assert.deepEqual(notes, [{ note: "xx" }, { note: "xx" }]);
    });

    it("gives up on conflicts after the third time", async () => {
      let runs = 0;
      const work = async (tx: Tx) => {
        runs++;
        await tx.execute(sql`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`);
      };
      await assert.rejects(db.transaction(work), isKind("conflict"));
      assert.equal(runs, 3);
    });

    it("gives its connection back, whatever happened", async () => {
      for (let i = 0; i < 20; i++) {
        await db.transaction(async () => Promise.reject(new Error("no"))).catch(() => undefined);
        await db.transaction((tx) => tx.execute(sql`select * from nowhere`)).catch(() => undefined);
      }
      const { total, idle, waiting } = db.counts();
      assert.deepEqual([total - idle, waiting], [0, 0]);
    });

    it("sends `begin` together with its first statement", async () => {
      const behind = open(proxy.url);
      await behind.transaction((tx) => tx.one(sql`select 'warm up' as a`));
      proxy.hold();
      const done = behind.transaction((tx) => tx.one(sql`select 'first' as a`));
      await until(() => proxy.received().includes("select 'first'"));
      const sent = proxy.received();
      assert.ok(
        sent.lastIndexOf("begin\0") > sent.lastIndexOf("select 'warm up'"),
        "begin came after its answer",
      );
      proxy.release();
      assert.deepEqual(await done, { a: "first" });
      await behind.close();
    });

    it("is in doubt, and its connection gone, when the answer to COMMIT is lost", async () => {
      const behind = open(proxy.url);
      const lost = proxy.loseCommitAnswer("insert");
      const told: string[] = [];
      const work = async (tx: Tx) => {
        tx.afterCommit(() => told.push("committed"));
        await tx.execute(insert(20));
      };
      await assert.rejects(behind.transaction(work), isKind("unavailable"));
      await lost;
      await until(async () => (await count(db, 20)) === 1);
      assert.deepEqual(told, []);
      assert.equal(await count(behind, 20), 1);
      await behind.close();
    });
  });
});
