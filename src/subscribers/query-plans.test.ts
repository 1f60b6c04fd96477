/** These tests show on generated data that what people wait for reads by an index, and no more than it shows. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type BigAccount,
  createBigAccount,
  explain,
  rowsOf,
  type Step,
} from "../../test/support/query-plans.ts";
import { systemClock } from "../platform/clock.ts";
import { type Db, type Queryable, type Sql, sql } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { findDated } from "./audience/audience.ts";
import { readTrackingConsents } from "./consent/consent.ts";
import { createHashAddress, findContact } from "./contact-store.ts";
import { findList } from "./lists/list-store.ts";
import {
  countByStatus,
  countSubscribers,
  countSubscribersOfContact,
  findSubscriber,
  listSubscribers,
  listSubscribersOfContact,
  type PageFilter,
  type Sort,
} from "./subscriber-store.ts";

const ROWS = 50_000;
const BIG = new Set(["subscribers", "subscriber_tags", "contacts", "consents"]);
const hash = createHashAddress(Buffer.alloc(32, 7));

let big: BigAccount;
let db: Db;
let accountId: string;
let [listId, commonTag, rareTag] = ["", "", ""];
before(async () => {
  big = await createBigAccount(4);
  ({ db, accountId } = big);
  [listId, commonTag, rareTag] = [newId(systemClock), newId(systemClock), newId(systemClock)];
  await generate();
});
after(() => big?.stop());

/** Makes a year of sign-ups on one list, every tenth also on another; a fifth has one tag, every thousandth another. */
async function generate(): Promise<void> {
  const other = newId(systemClock);
  await db.execute(sql`
    insert into lists (account_id, id, name, double_opt_in, created_at, updated_at)
    select ${accountId}, id, 'A list', false, now(), now() from unnest(${[listId, other]}::uuid[]) as id`);
  await db.execute(sql`
    insert into tags (account_id, id, name, name_key, created_at)
    values (${accountId}, ${commonTag}, 'common', 'common', now()), (${accountId}, ${rareTag}, 'rare', 'rare', now())`);
  await db.execute(sql`
    insert into contacts (account_id, id, address_hash, created_at)
    select ${accountId}, gen_random_uuid(), decode(md5(n::text), 'hex'), now() from generate_series(1, ${ROWS}::int) n`);
  await db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at,
                             updated_at)
    select ${accountId}, gen_random_uuid(), list.id, c.id, 'p' || c.n || '@example.com', 'p' || c.n || '@example.com', '{}',
           case when c.n % 10 = 0 then 'unsubscribed' else 'active' end, 'test', at, at + interval '1 day' * (c.n % 30)
    from (select *, row_number() over (order by id) as n from contacts) c
    cross join lateral (select now() - interval '10 minutes' * c.n as at) times
    join unnest(${[listId, other]}::uuid[], array[1, 10]) as list (id, every) on c.n % list.every = 0`);
  await db.execute(sql`
    insert into subscriber_tags (account_id, subscriber_id, tag_id, list_id, created_at)
    select s.account_id, s.id, tag.id, s.list_id, s.created_at from subscribers s
    join unnest(${[commonTag, rareTag]}::uuid[], array[5, 1000]) as tag (id, every)
      on substr(s.email, 2, strpos(s.email, '@') - 2)::int % tag.every = 0`);
  await db.execute(sql`
    insert into consents (account_id, subscriber_id, id, action, attested, actor_kind, created_at)
    select account_id, id, gen_random_uuid(), 'granted', false, 'system', created_at from subscribers`);
  await db.execute(sql`analyze`);
}

/** Returns the database, which also keeps the steps of every statement it is asked. */
function explaining(): { sql: Queryable; steps: Step[] } {
  const steps: Step[] = [];
  const note = async (statement: Sql) => void steps.push(...(await explain(db, statement)));
  const queryable: Queryable = {
    many: async (statement) => [await note(statement), await db.many(statement)][1] as never,
    one: async (statement) => [await note(statement), await db.one(statement)][1] as never,
    maybeOne: async (statement) => [await note(statement), await db.maybeOne(statement)][1] as never,
  };
  return { sql: queryable, steps };
}

/** There is no sequential scan of a big table, and no step goes through more than `most` rows. */
async function assertReads(work: (sql: Queryable) => Promise<unknown>, most: number): Promise<void> {
  const { sql: queryable, steps } = explaining();
  await work(queryable);
  assert.ok(steps.length > 0);
  for (const step of steps) {
    const what = `${step["Node Type"]} on ${step["Relation Name"]}`;
    assert.ok(!(step["Node Type"] === "Seq Scan" && BIG.has(step["Relation Name"] ?? "")), what);
    assert.ok(rowsOf(step) <= most, `${what} went through ${rowsOf(step)} rows`);
  }
}

const everything: PageFilter = {
  listId: undefined,
  status: undefined,
  tagIds: [],
  createdAfter: undefined,
  createdBefore: undefined,
  updatedAfter: undefined,
  updatedBefore: undefined,
  heldBack: undefined,
  segment: undefined,
};
const LIMIT = 51;

describe("a page of subscribers, the first and one far on", () => {
  const filters: [string, () => Partial<PageFilter>][] = [
    ["of a list", () => ({ listId })],
    ["of all lists", () => ({})],
    ["of a list by status", () => ({ listId, status: "unsubscribed" })],
    ["of all lists by status", () => ({ status: "unsubscribed" })],
    ["of a list by a tag", () => ({ listId, tagIds: [commonTag] })],
    ["of all lists by a tag", () => ({ tagIds: [commonTag] })],
  ];
  for (const [what, filterOf] of filters) {
    for (const sort of ["-created_at", "created_at"] satisfies Sort[]) {
      it(`${what} by ${sort} reads by an index what it shows`, async () => {
        const filter = { ...everything, ...filterOf() };
        await readsPages(filter, sort, 3 * LIMIT);
      });
    }
  }
  for (const sort of ["-updated_at", "updated_at", "email"] satisfies Sort[]) {
    for (const [what, filterOf] of filters.slice(0, 2)) {
      it(`${what} by ${sort} reads by an index what it shows`, async () => {
        await readsPages({ ...everything, ...filterOf() }, sort, 3 * LIMIT);
      });
    }
  }

  it("by updated_at with a cursor that says what was seen reads by the index too", async () => {
    const { since, place, id, seen } = await db.one<Record<string, string>>(sql`
      select to_char(updated_at - interval '30 minutes', 'YYYY-MM-DD"T"HH24:MI:SS.MSOF') as since, id,
        to_char(updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.MSOF') as place, pg_current_snapshot()::text as seen
      from subscribers order by updated_at offset 20000 limit 1`);
    const page = { sort: "updated_at" as const, limit: LIMIT, after: [place, id, seen, since].map(String) };
    for (const filter of [everything, { ...everything, listId }])
      await assertReads((queryable) => listSubscribers(queryable, accountId, filter, page), 5 * LIMIT);
  });

  it("by a rare tag reads those who have it, whatever the sort", async () => {
    for (const sort of ["-created_at", "updated_at", "email"] satisfies Sort[]) {
      const page = { sort, limit: LIMIT, after: undefined };
      const filter = { ...everything, listId, tagIds: [rareTag, commonTag] };
      await assertReads((queryable) => listSubscribers(queryable, accountId, filter, page), ROWS);
    }
  });

  async function readsPages(filter: PageFilter, sort: Sort, most: number): Promise<void> {
    const column = sort === "email" ? "email_key" : sort.replace("-", "");
    const place =
      sort === "email" ? sql`email_key` : sql([`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MSOF')`]);
    const far = await db.one<{ place: string; id: string }>(sql`
      select ${place} as place, id from subscribers order by ${sql([column])} offset 20000 limit 1`);
    for (const after of [undefined, [far.place, far.id]]) {
      const page = { sort, limit: LIMIT, after };
      const rows = await listSubscribers(db, accountId, filter, page);
      assert.equal(rows.length, LIMIT);
      await assertReads((queryable) => listSubscribers(queryable, accountId, filter, page), most);
    }
  }
});

describe("looking up", () => {
  it("an address goes by its hash, then by its contact", async () => {
    const hashed = hash("p1@example.com");
    await assertReads((queryable) => findContact(queryable, accountId, hashed), 2);
    const { contact_id } = await db.one<{ contact_id: string }>(
      sql`select contact_id from subscribers where email_key = 'p40000@example.com' limit 1`,
    );
    await assertReads(async (queryable) => {
      const page = { limit: LIMIT, after: undefined };
      const rows = await listSubscribersOfContact(queryable, accountId, contact_id, undefined, page);
      assert.equal(rows.length, 2);
      assert.equal(await countSubscribersOfContact(queryable, accountId, contact_id, undefined), 2);
    }, 10);
  });

  it("one subscriber goes by its key", async () => {
    const { id } = await db.one<{ id: string }>(sql`select id from subscribers limit 1`);
    await assertReads((queryable) => findSubscriber(queryable, accountId, id), 10);
  });
});

describe("counts", () => {
  it("of a list and of all are sums of a few counters", async () => {
    await assertReads(async (queryable) => {
      const list = await findList(queryable, accountId, listId);
      assert.deepEqual(list?.counts, { active: ROWS - ROWS / 10, unsubscribed: ROWS / 10 });
      const all = await countSubscribers(queryable, accountId, everything);
      assert.equal(all, ROWS + ROWS / 10);
      const some = { ...everything, listId, status: "unsubscribed" };
      assert.equal(await countSubscribers(queryable, accountId, some), ROWS / 10);
      const counts = await countByStatus(queryable, accountId, { ...everything, listId });
      assert.deepEqual(counts, { active: ROWS - ROWS / 10, unsubscribed: ROWS / 10 });
    }, 50);
  });

  it("by a tag read those who have it", async () => {
    const filter = { ...everything, listId, tagIds: [rareTag] };
    await assertReads(async (queryable) => {
      assert.equal(await countSubscribers(queryable, accountId, filter), ROWS / 1_000);
      const counts = await countByStatus(queryable, accountId, filter);
      assert.equal((counts.active ?? 0) + (counts.unsubscribed ?? 0), ROWS / 1_000);
    }, 1_000);
  });
});

it("reads what people answered about tracking by their ids and contacts, and nobody else", async () => {
  const people = await db.many<{ subscriberId: string; contactId: string }>(sql`
    select id as "subscriberId", contact_id as "contactId" from subscribers
    where account_id = ${accountId} and list_id = ${listId} order by contact_id limit 500`);
  const asked = people.map((one) => ({ accountId, listId, ...one }));
  await assertReads((queryable) => readTrackingConsents(queryable, asked), 2_000);
});

it("looks for dates through the active people of a list by an index, one page at a time", async () => {
  const { id: fieldId } = await db.one<{ id: string }>(sql`
    insert into fields (account_id, id, slot, key, name, type, created_at, updated_at)
    values (${accountId}, ${newId(systemClock)}, 1, 'birthday', 'Birthday', 'date', now(), now()) returning id`);
  const wanted = [{ field: `field:${fieldId}`, isYearly: true, days: ["03-14", "03-15"] }];
  await assertReads(async (queryable) => {
    const first = await findDated(queryable, accountId, listId, wanted, { after: undefined, limit: 500 });
    assert.ok(first.last);
    await findDated(queryable, accountId, listId, wanted, { after: first.last, limit: 500 });
  }, 500);
});
