/** These tests check keys against a real database and count the statements. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createDb, type Db } from "../../platform/db/db.ts";
import { createLog } from "../../platform/log.ts";
import { createAccount, createApiKey, createKeyCheck, type KeyCheck } from "../accounts.ts";
import { makeKey } from "../token-format.ts";

const HERE = "127.0.0.1";
const clock = createTestClock();
const log = createLog({ level: "silent", pretty: false });
let drop: () => Promise<void>;
let db: Db;
let statements = 0;
let accountId = "";
let keyCheck: KeyCheck;
before(async () => {
  const database = await cloneDatabase();
  drop = database.drop;
  const options = { poolSize: 6, applicationName: "test", log, statementTimeoutMs: 10_000 };
  db = createDb({ connection: database.url, ...options });
  accountId = (await db.transaction((tx) => createAccount(tx, clock, { name: "Acme" }))).account_id;
  const hot = {
    ...db.hot,
    maybeOne(...args: Parameters<Db["maybeOne"]>) {
      statements++;
      return db.hot.maybeOne(...args);
    },
  };
  keyCheck = createKeyCheck({ ...db, hot } as Db, clock, log);
});
after(async () => {
  await keyCheck.stop();
  await db.close();
  await drop();
});

async function newHeader(): Promise<string> {
  const actor = { kind: "system", id: null } as const;
  const input = { name: "test", scopes: ["full"], expiresAt: null, unlimited: false };
  const { key } = await db.transaction((tx) =>
    createApiKey({ sql: tx, accountId, actor, clock, log }, input),
  );
  return `Bearer ${key}`;
}

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before_ = statements;
  await work();
  return statements - before_;
}

describe("the key check", () => {
  it("remembers a good key, however many forged ones come", async () => {
    const header = await newHeader();
    assert.equal(await statementsOf(() => keyCheck.check(header, HERE)), 1);
    const forgeMany = async () => {
      for (let i = 0; i < 12; i++) {
        const forged = Array.from({ length: 1_000 }, () =>
          keyCheck.check(`Bearer ${makeKey(accountId)}`, HERE),
        );
        assert.deepEqual(new Set(await Promise.all(forged)), new Set([undefined]));
      }
    };
    assert.equal(await statementsOf(forgeMany), 12_000);
    assert.equal(await statementsOf(() => keyCheck.check(header, HERE)), 0);
    const found = await keyCheck.check(header, HERE);
    assert.ok(found && "accountId" in found);
    assert.equal(found.accountId, accountId);
  });

  it("asks once for many who come at once with one key, good or forged", async () => {
    for (const header of [await newHeader(), `Bearer ${makeKey(accountId)}`]) {
      const ask = () => Promise.all(Array.from({ length: 100 }, () => keyCheck.check(header, HERE)));
      assert.equal(await statementsOf(ask), 1);
    }
  });

  it("asks again, and not of one that waits, once keys have changed", async () => {
    const header = await newHeader();
    const early = keyCheck.check(header, HERE);
    keyCheck.forget();
    assert.equal(await statementsOf(() => Promise.all([early, keyCheck.check(header, HERE)])), 1);
    assert.equal(await statementsOf(() => keyCheck.check(header, HERE)), 0);
  });

  it("doesn't remember one key under many spellings", async () => {
    const key = (await newHeader()).replace("Bearer ", "");
    const spelt = `Bearer ${" ".repeat(100)}${key}`;
    for (const _ of [1, 2]) assert.equal(await statementsOf(() => keyCheck.check(spelt, HERE)), 1);
  });
});
