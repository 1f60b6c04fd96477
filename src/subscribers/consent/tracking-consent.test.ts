import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { systemClock } from "../../platform/clock.ts";
import { createDb, type Db, sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { readTrackingConsents } from "./tracking-consent.ts";

const listId = newId(systemClock);
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
before(async () => {
  database = await cloneDatabase();
  db = createDb({
    connection: database.url,
    poolSize: 2,
    applicationName: "test",
    log: createLog({ level: "silent", pretty: false }),
    statementTimeoutMs: 10_000,
  });
  const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Mine" }));
  accountId = account.account_id;
});
after(async () => {
  await db.close();
  await database.drop();
});

type Answer = boolean | null;

async function addSubscriber(contactId: string, answer: Answer): Promise<string> {
  const id = newId(systemClock);
  const email = `${id}@example.com`;
  await db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, tracking_consent,
                             created_at, updated_at)
    values (${accountId}, ${id}, ${listId}, ${contactId}, ${email}, ${email}, '{}', 'active', 'test', ${answer}, now(), now())`);
  return id;
}

/** The mailed one has another address by now; whoever has the address is another one. */
async function askBoth(mailed: Answer | undefined, holder: Answer | undefined) {
  const contactId = newId(systemClock);
  const subscriberId = mailed === undefined ? null : await addSubscriber(newId(systemClock), mailed);
  if (holder !== undefined) await addSubscriber(contactId, holder);
  const [answer] = await readTrackingConsents(db, [{ accountId, subscriberId, contactId, listId }]);
  return answer;
}

describe("whoever was mailed and whoever has the address now", () => {
  const cases: [Answer | undefined, Answer | undefined, Answer | undefined][] = [
    [true, true, true],
    [true, null, null],
    [null, true, null],
    [null, null, null],
    [false, true, false],
    [true, false, false],
    [null, false, false],
    [false, null, false],
    [undefined, true, true],
    [true, undefined, true],
    [undefined, undefined, undefined],
  ];
  for (const [mailed, holder, both] of cases) {
    it(`who answered ${mailed} and ${holder} say ${both} together`, async () => {
      assert.equal(await askBoth(mailed, holder), both);
    });
  }
});
