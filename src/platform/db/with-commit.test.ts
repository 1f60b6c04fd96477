import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { emptyDatabase } from "../../../test/support/database.ts";
import { createLog } from "../log.ts";
import { createDb, type Db, sql } from "./db.ts";
import { DbError } from "./errors.ts";

describe("a statement sent with the commit", () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  const count = () => db.one<{ count: number }>(sql`select count(*) from notes`).then((row) => row.count);
  before(async () => {
    database = await emptyDatabase();
    const log = createLog({ level: "silent", pretty: false });
    const connection = database.url;
    db = createDb({ connection, poolSize: 3, applicationName: "test", log, statementTimeoutMs: 10_000 });
    await db.execute(sql`create table notes (id int primary key)`);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it("takes effect with the rest, after it and in order", async () => {
    await db.transaction(async (tx) => {
      tx.withCommit(sql`insert into notes select max(id) + 1 from notes`);
      tx.withCommit(sql`insert into notes select max(id) + 1 from notes`);
      await tx.execute(sql`insert into notes values (1)`);
    });
    assert.deepEqual(await db.many(sql`select id from notes order by id`), [{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  it("takes everything back when it fails, and says why", async () => {
    const before = await count();
    let committed = false;
    const failing = db.transaction(async (tx) => {
      tx.afterCommit(() => {
        committed = true;
      });
      await tx.execute(sql`insert into notes values (10)`);
      tx.withCommit(sql`insert into notes values (1)`);
    });
    await assert.rejects(failing, (error) => error instanceof DbError && error.kind === "unique");
    assert.equal(await count(), before);
    assert.equal(committed, false);
    await db.transaction((tx) => tx.execute(sql`delete from notes where id = 1`));
  });

  it("is never sent when the work fails", async () => {
    const before = await count();
    const failing = db.transaction(async (tx) => {
      tx.withCommit(sql`insert into notes values (20)`);
      throw new Error("no");
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.equal(await count(), before);
  });
});
