import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "../../test/support/database.ts";
import { systemClock } from "../platform/clock.ts";
import { createDb, type Db, sql } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { createLog } from "../platform/log.ts";
import { isKept, keepEvents, listKept, releaseEvents } from "./kept-events.ts";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let [accountId, other] = ["", ""];
before(async () => {
  database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  db = createDb({
    connection: database.url,
    poolSize: 2,
    applicationName: "test",
    log,
    statementTimeoutMs: 30_000,
  });
  [accountId, other] = [await addAccount(), await addAccount()];
});
after(async () => {
  await db.close();
  await database.drop();
});

async function addAccount(): Promise<string> {
  const id = newId(systemClock);
  await db.execute(sql`
    insert into accounts (account_id, name, time_zone, created_at, updated_at) values (${id}, 'One', 'UTC', now(), now())`);
  return id;
}

describe("events that are written only where somebody wants them", () => {
  it("are kept for as long as any owner wants them", async () => {
    assert.equal(await isKept(db, accountId, "email.opened"), false);
    await keepEvents(db, accountId, "one", ["email.opened", "email.clicked", "email.opened"]);
    await keepEvents(db, accountId, "two", ["email.opened"]);
    await releaseEvents(db, accountId, "one");
    assert.equal(await isKept(db, accountId, "email.opened"), true, "the other still wants it");
    assert.equal(await isKept(db, accountId, "email.clicked"), false);
    await releaseEvents(db, accountId, "two");
    assert.equal(await isKept(db, accountId, "email.opened"), false);
  });

  it("are exactly those that an owner last said", async () => {
    await keepEvents(db, accountId, "one", ["email.opened", "email.clicked"]);
    await keepEvents(db, accountId, "one", ["email.clicked", "email.sent"]);
    const kept = await Promise.all(
      (["email.opened", "email.clicked", "email.sent"] as const).map((type) => isKept(db, accountId, type)),
    );
    assert.deepEqual(kept, [false, true, true]);
    await releaseEvents(db, accountId, "one");
  });

  it("are of one account, and listed once however many want them", async () => {
    await keepEvents(db, accountId, "one", ["email.opened", "email.sent"]);
    await keepEvents(db, accountId, "two", ["email.opened"]);
    await keepEvents(db, other, "one", ["email.clicked"]);
    const types = ["email.opened", "email.clicked"] as const;
    const found = await listKept(db, [accountId, other], types);
    assert.deepEqual(
      found.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
      [
        { accountId: other, type: "email.clicked" },
        { accountId, type: "email.opened" },
      ],
    );
    assert.deepEqual(await listKept(db, [other], ["email.opened"]), []);
  });
});
