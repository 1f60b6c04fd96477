/** Somebody is added to a list while the same person is erased, leaves everything or is suppressed: whoever is second sees it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { parseAddress } from "../../mail/addresses.ts";
import { systemClock } from "../../platform/clock.ts";
import type { TxCtx } from "../../platform/context.ts";
import { createDb, type Db, sql, type Tx } from "../../platform/db/db.ts";
import { createLog } from "../../platform/log.ts";
import { unsubscribe } from "../consent/consent.ts";
import { createHashAddress } from "../contact-store.ts";
import { createList, createSubscriber, forget, suppressContact } from "../subscribers.ts";

const log = createLog({ level: "silent", pretty: false });
const hash = createHashAddress(Buffer.alloc(32, 7));
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
before(async () => {
  database = await cloneDatabase();
  const options = { poolSize: 10, applicationName: "test", log, statementTimeoutMs: 60_000 };
  db = createDb({ connection: database.url, ...options });
  accountId = (await db.transaction((tx) => createAccount(tx, systemClock, { name: "Races" }))).account_id;
});
after(async () => {
  await db.close();
  await database.drop();
});

const run = <T>(work: (ctx: TxCtx) => Promise<T>): Promise<T> =>
  db.transaction((tx: Tx) =>
    work({ sql: tx, accountId, actor: { kind: "system", id: null }, clock: systemClock, log }),
  );

async function add(ctx: TxCtx, email: string): Promise<string> {
  const address = parseAddress(email);
  assert.ok(address.ok);
  const { id: listId } = await createList(ctx, { name: "Race" });
  const known = { profile: {}, slots: {}, tags: [], consent: undefined, trackingEvidence: undefined };
  return (await createSubscriber(ctx, hash, { address, listId, source: "test", ...known }, "skip")).id;
}

/** The first transaction has done its work and stays open until the second one waits for it. */
async function oneAfterTheOther(
  first: (ctx: TxCtx) => Promise<unknown>,
  second: (ctx: TxCtx) => Promise<unknown>,
) {
  const done = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const leading = run(async (ctx) => {
    await first(ctx);
    done.resolve();
    await released.promise;
  });
  await Promise.race([done.promise, leading]);
  let hasEnded = false;
  const following = run(second).finally(() => {
    hasEnded = true;
  });
  await until(async () => {
    const { count } = await db.one<{ count: number }>(
      sql`select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return count > 0 || hasEnded;
  });
  released.resolve();
  await Promise.all([leading, following]);
}

const standing = (email: string) =>
  db.many<{ status: string; status_reason: string | null }>(
    sql`select status, status_reason from subscribers where email_key = ${email}`,
  );
const contactOf = async (id: string) =>
  (await db.one<{ contact_id: string }>(sql`select contact_id from subscribers where id = ${id}`)).contact_id;

describe("who is added while the same person", () => {
  const erase = (id: string) => (ctx: TxCtx) => forget(ctx, id, async () => undefined);
  const leave = (id: string) => (ctx: TxCtx) =>
    unsubscribe(ctx, id, { scope: "all", reason: null, source: "test" });

  it("is erased is erased too", async () => {
    const id = await run((ctx) => add(ctx, "first@example.com"));
    await oneAfterTheOther((ctx) => add(ctx, "first@example.com"), erase(id));
    assert.deepEqual(await standing("first@example.com"), []);
  });

  it("leaves everything has left, whoever was first", async () => {
    const early = await run((ctx) => add(ctx, "early@example.com"));
    await oneAfterTheOther((ctx) => add(ctx, "early@example.com"), leave(early));
    const late = await run((ctx) => add(ctx, "late@example.com"));
    await oneAfterTheOther(leave(late), (ctx) => add(ctx, "late@example.com"));
    for (const email of ["early@example.com", "late@example.com"])
      assert.deepEqual(
        (await standing(email)).map((row) => row.status),
        ["unsubscribed", "unsubscribed"],
      );
  });

  it("complains is shown as having complained", async () => {
    const contactId = await contactOf(await run((ctx) => add(ctx, "cross@example.com")));
    await oneAfterTheOther(
      (ctx) => suppressContact(ctx, contactId, "complaint", "test"),
      (ctx) => add(ctx, "cross@example.com"),
    );
    const statuses = new Set((await standing("cross@example.com")).map((row) => row.status));
    assert.deepEqual([...statuses], ["complained"]);
  });
});
