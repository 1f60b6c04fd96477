/** On many campaigns: what a comparison reads, it finds by an index; their counters may have no statistics. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type BigAccount, createBigAccount, explainAll, rowsOf } from "../../../test/support/query-plans.ts";
import { type Db, type Queryable, sql } from "../../platform/db/db.ts";
import { listEarlierOwners, readOutcomes } from "./earlier-owners.ts";

const CAMPAIGNS = 20_000;
const LISTS = 10;

describe("the campaigns before one, of many", () => {
  let big: BigAccount;
  let db: Db;
  let accountId: string;
  let listId: string;
  before(async () => {
    big = await createBigAccount();
    ({ db, accountId } = big);
    await db.execute(sql`
      with lists as materialized (select gen_random_uuid() as id, n from generate_series(0, ${LISTS - 1}::int) as n),
      made as materialized (select gen_random_uuid() as id, n from generate_series(1, ${CAMPAIGNS}::int) as n)
      insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, list_id, on_ambiguous, launched_at)
      select ${accountId}, made.id, made.id, 'campaign', made.id, 'finished', made.id, lists.id, 'resend',
             now() - interval '1 hour' * made.n
      from made join lists on lists.n = made.n % ${LISTS}::int`);
    await db.execute(sql`
      insert into counters (account_id, source_id, worker_id, what, count)
      select account_id, id, id, 'sent', 1000 from sources`);
    await db.execute(sql`analyze sources`);
    listId = (await db.one<{ id: string }>(sql`select list_id as id from sources limit 1`)).id;
  });
  after(() => big?.stop());

  /** The most rows that any step of the plan had in its hands. */
  async function mostRows(work: (db: Queryable) => Promise<unknown>): Promise<number> {
    const steps = await explainAll(db, work);
    assert.ok(steps.some((step) => /Index/.test(step["Node Type"])));
    return Math.max(...steps.map(rowsOf));
  }

  for (const basis of ["list", "account"] as const) {
    it(`are found by an index, those of the ${basis}`, async () => {
      const launch = { at: new Date(), listId, isSandbox: false };
      const read = (one: Queryable) => listEarlierOwners(one, accountId, launch, { of: basis, limit: 10 });
      const found = await read(db);
      assert.equal(found.length, 10);
      assert.ok(found.every((one, at) => at === 0 || one.launchedAt <= (found[at - 1]?.launchedAt ?? 0)));
      // One more is read to know that no other was launched at the same time.
      assert.ok((await mostRows(read)) <= 11);
    });
  }

  it("have their numbers by their own rows alone", async () => {
    const owners = await db.many<{ id: string }>(
      sql`select id from sources order by launched_at desc limit 11`,
    );
    const ids = owners.map(({ id }) => id);
    const outcomes = await readOutcomes(db, accountId, ids);
    assert.deepEqual([outcomes.length, new Set(outcomes.map(({ sent }) => sent))], [11, new Set([1_000])]);
    assert.ok((await mostRows((one) => readOutcomes(one, accountId, ids))) <= 11);
  });
});
