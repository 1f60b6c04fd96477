import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { cloneDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { systemClock } from "../../platform/clock.ts";
import type { TxCtx } from "../../platform/context.ts";
import { createDb, type Db, sql, type Tx } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { stopTrackingEverywhere, takeWithdrawn } from "../consent/consent.ts";
import { forget } from "../subscribers.ts";
import { deleteSubscriberRows } from "../write-store.ts";
import { type EngagementHit, forgetEngagementIn, linkKeyOf, recordEngagement } from "./engagement.ts";

const log = createLog({ level: "silent", pretty: false });
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
const [ada, bob, stranger, news] = Array.from({ length: 4 }, () => newId(systemClock)) as [
  string,
  string,
  string,
  string,
];
const subscribers = [
  { id: newId(systemClock), contact: ada, list: newId(systemClock) },
  { id: newId(systemClock), contact: ada, list: newId(systemClock) },
  { id: newId(systemClock), contact: bob, list: newId(systemClock) },
];

before(async () => {
  database = await cloneDatabase();
  const connection = database.url;
  db = createDb({ connection, poolSize: 10, applicationName: "test", log, statementTimeoutMs: 20_000 });
  const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Mine" }));
  accountId = account.account_id;
  for (const { id, contact, list } of subscribers) {
    await db.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
      values (${accountId}, ${id}, ${list}, ${contact}, 'x@example.com', 'x@example.com', '{}', 'active', 'test', now(), now())`);
  }
});
after(async () => {
  await db.close();
  await database.drop();
});

const [one, two] = [linkKeyOf("https://example.com/one"), linkKeyOf("https://example.com/two")];
const hit = (more: Partial<EngagementHit>): EngagementHit => ({
  accountId,
  contactId: ada,
  campaignId: news,
  kind: "open",
  linkKey: null,
  at: new Date("2026-11-01T10:00:00Z"),
  by: "human",
  ...more,
});

const record = (hits: readonly EngagementHit[]) =>
  db.transaction((tx) => recordEngagement(tx, systemClock, hits));

async function read() {
  const contacts = await db.many<Record<string, unknown>>(
    sql`select * from contact_engagements where account_id = ${accountId} order by contact_id`,
  );
  const campaigns = await db.many<Record<string, unknown>>(sql`
    select account_id, contact_id, campaign_id, human_opened, prefetched, clicked, human_clicked,
      array(select unnest(links) order by 1)::text[] as links, array(select unnest(human_links) order by 1)::text[] as human_links
    from campaign_engagements where account_id = ${accountId} order by contact_id, campaign_id`);
  return { contacts, campaigns };
}

const clear = async () => {
  await db.execute(sql`delete from contact_engagements`);
  await db.execute(sql`delete from campaign_engagements`);
};

describe("facts", () => {
  it("of a prefetch, a machine and a person are kept apart, and a person's click is a person's open", async () => {
    await record([hit({ by: "prefetch" })]);
    await record([hit({ kind: "click", linkKey: one, by: "machine", at: new Date("2026-11-02T10:00:00Z") })]);
    const machines = await read();
    assert.deepEqual(
      machines.campaigns.map((row) => [
        row["human_opened"],
        row["prefetched"],
        row["clicked"],
        row["human_clicked"],
      ]),
      [[false, true, true, false]],
    );
    assert.equal(machines.contacts[0]?.["last_human_open_at"], null);
    await record([hit({ kind: "click", linkKey: two, at: new Date("2026-11-01T12:00:00Z") })]);
    const { contacts, campaigns } = await read();
    assert.deepEqual(campaigns[0]?.["human_opened"], true);
    assert.deepEqual(campaigns[0]?.["human_links"], [two]);
    assert.deepEqual(
      campaigns[0]?.["links"],
      [one, two].sort((a, b) => Number(BigInt(a) - BigInt(b))),
    );
    assert.deepEqual(contacts[0], {
      account_id: accountId,
      contact_id: ada,
      last_open_at: new Date("2026-11-02T10:00:00Z"),
      last_human_open_at: new Date("2026-11-01T12:00:00Z"),
      last_click_at: new Date("2026-11-02T10:00:00Z"),
      last_human_click_at: new Date("2026-11-01T12:00:00Z"),
      last_prefetch_at: new Date("2026-11-01T10:00:00Z"),
    });
  });

  it("don't depend on the order of hits, on how they are grouped, or on how often they are written", async () => {
    const hits = fc.array(
      fc.record({
        contactId: fc.constantFrom(ada, bob),
        campaignId: fc.constantFrom(news, null),
        kind: fc.constantFrom("open" as const, "click" as const),
        linkKey: fc.constantFrom(one, two, null),
        at: fc.integer({ min: 0, max: 9 }).map((hour) => new Date(Date.UTC(2026, 10, 1, hour))),
        by: fc.constantFrom("human" as const, "machine" as const, "prefetch" as const),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(hits, async (some) => {
        const all = some.map(hit);
        await clear();
        await record(all);
        const atOnce = await read();
        await clear();
        for (const single of all.toReversed()) await record([single]);
        await record(all);
        assert.deepEqual(await read(), atOnce);
      }),
      { numRuns: 25 },
    );
  });

  it("are not kept of who is no subscriber", async () => {
    await clear();
    await record([hit({ contactId: stranger })]);
    assert.deepEqual(await read(), { contacts: [], campaigns: [] });
  });

  it("are forgotten even if they are written while the person is being forgotten", async () => {
    await clear();
    const id = newId(systemClock);
    const contactId = newId(systemClock);
    await db.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
      values (${accountId}, ${id}, ${id}, ${contactId}, 'y@example.com', 'y@example.com', '{}', 'active', 'test', now(), now())`);
    const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = db.transaction(async (tx) => {
      await recordEngagement(tx, systemClock, [hit({ contactId })]);
      written.resolve();
      await released.promise;
    });
    await written.promise;
    const forgetting = db.transaction((tx) => deleteSubscriberRows(tx, accountId, [id]));
    await until(async () => {
      const { waiting } = await db.one<{ waiting: number }>(sql`
        select count(*)::int as waiting from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`);
      return waiting === 1;
    }).finally(released.resolve);
    await Promise.all([writing, forgetting]);
    assert.deepEqual(await read(), { contacts: [], campaigns: [] });
  });

  it("go with the last subscriber of an address, and not before", async () => {
    await clear();
    await record([hit({}), hit({ contactId: bob })]);
    const remove = (index: number) =>
      db.transaction((tx) => deleteSubscriberRows(tx, accountId, [subscribers[index]?.id ?? ""]));
    await remove(0);
    assert.equal((await read()).contacts.length, 2);
    await remove(1);
    const left = await read();
    assert.deepEqual(
      [...left.contacts, ...left.campaigns].map((row) => row["contact_id"]),
      [bob, bob],
    );
  });
});

/** Adds somebody who is on one list and opened the news. */
async function addPerson() {
  const [id, contactId, listId] = Array.from({ length: 3 }, () => newId(systemClock)) as [
    string,
    string,
    string,
  ];
  await db.execute(sql`
    insert into contacts (account_id, id, address_hash, created_at) values (${accountId}, ${contactId}, ${Buffer.from(id)}, now())`);
  await db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
    values (${accountId}, ${id}, ${listId}, ${contactId}, 'z@example.com', 'z@example.com', '{}', 'active', 'test', now(), now())`);
  await record([hit({ contactId })]);
  return { id, contactId, withdrawal: { accountId, contactId, campaignIds: [news] } };
}

const waits = (wanted: number) =>
  until(async () => {
    const { waiting } = await db.one<{ waiting: number }>(sql`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return waiting === wanted;
  });

describe("a withdrawal that is carried out", () => {
  // A transaction that was the victim of a deadlock runs again, so the runs are counted.
  let runs: string[] = [];
  const run = (name: string, work: (tx: Tx) => Promise<unknown>) =>
    db.transaction(async (tx) => {
      runs.push(name);
      await work(tx);
    });

  it("doesn't deadlock with the erasure of the same person", async () => {
    await clear();
    runs = [];
    const { id, contactId, withdrawal } = await addPerson();
    const ctxOf = (tx: Tx): TxCtx => ({
      sql: tx,
      accountId,
      actor: { kind: "system", id: null },
      clock: systemClock,
      log,
    });
    await db.transaction((tx) => stopTrackingEverywhere(ctxOf(tx), contactId));
    const [taken, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const withdrawing = run("withdraw", async (tx) => {
      await takeWithdrawn(tx, 1);
      taken.resolve();
      await released.promise;
      await forgetEngagementIn(tx, [withdrawal]);
    });
    await taken.promise;
    const erasing = run("erase", (tx) => forget(ctxOf(tx), id, async () => undefined));
    await waits(1).finally(released.resolve);
    await Promise.all([withdrawing, erasing]);
    assert.deepEqual(runs, ["withdraw", "erase"]);
    assert.deepEqual(await read(), { contacts: [], campaigns: [] });
  });

  it("doesn't deadlock with the deletion of the same subscriber", async () => {
    await clear();
    runs = [];
    const { id, contactId, withdrawal } = await addPerson();
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = db.transaction(async (tx) => {
      await tx.execute(sql`
        select from campaign_engagements where account_id = ${accountId} and contact_id = ${contactId} for update`);
      held.resolve();
      await released.promise;
    });
    await held.promise;
    const withdrawing = run("withdraw", (tx) => forgetEngagementIn(tx, [withdrawal]));
    await waits(1);
    const deleting = run("delete", (tx) => deleteSubscriberRows(tx, accountId, [id]));
    await waits(2).finally(released.resolve);
    await Promise.all([holding, withdrawing, deleting]);
    assert.deepEqual(runs, ["withdraw", "delete"]);
    assert.deepEqual(await read(), { contacts: [], campaigns: [] });
  });
});

describe("counting that wakes somebody", () => {
  it("doesn't deadlock with the deletion of the same subscriber", async () => {
    await clear();
    const [one, other] = [await addPerson(), await addPerson()];
    await db.execute(sql`
      insert into sunset_policies (account_id, list_id, days, mails, grace_days, created_at, updated_at)
      select account_id, list_id, 90, 3, 0, now(), now() from subscribers where account_id = ${accountId} and id = ${one.id}`);
    await db.execute(sql`
      insert into dormancies (account_id, subscriber_id, list_id, state, marked_at, changed_at)
      select account_id, id, list_id, 'dormant', now(), now() from subscribers where account_id = ${accountId} and id = ${one.id}`);
    const runs: string[] = [];
    const [counted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const counting = db.transaction(async (tx) => {
      runs.push("count");
      await recordEngagement(tx, systemClock, [hit({ contactId: other.contactId })]);
      counted.resolve();
      await released.promise;
      await recordEngagement(tx, systemClock, [hit({ contactId: one.contactId, kind: "click" })]);
    });
    await counted.promise;
    const deleting = db.transaction((tx) => {
      runs.push("delete");
      return deleteSubscriberRows(tx, accountId, [one.id]);
    });
    await waits(1).finally(released.resolve);
    await Promise.all([counting, deleting]);
    assert.deepEqual(runs, ["count", "delete"]);
    const left = await db.many(sql`select from dormancies where account_id = ${accountId}`);
    assert.equal(left.length, 0);
  });
});
