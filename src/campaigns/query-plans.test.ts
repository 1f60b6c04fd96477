/** On many campaigns: a page in each order reads by an index, and little more than it shows. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type BigAccount, createBigAccount, explainAll, rowsOf } from "../../test/support/query-plans.ts";
import { createAccount } from "../accounts/accounts.ts";
import { systemClock } from "../platform/clock.ts";
import { type Db, type Queryable, sql } from "../platform/db/db.ts";
import { archivedCampaigns } from "./archive.ts";
import { type CampaignFilter, listCampaigns, type Sort } from "./store.ts";

const ROWS = 20_000;
const LIMIT = 51;
const times = { created_at: undefined, updated_at: undefined, send_at: undefined };
const everything: CampaignFilter = {
  listId: undefined,
  statuses: undefined,
  words: undefined,
  isArchived: false,
  after: times,
  before: times,
};

let big: BigAccount;
let db: Db;
let accountId: string;
before(async () => {
  big = await createBigAccount();
  ({ db, accountId } = big);
  await db.execute(sql`
    insert into campaigns (account_id, id, name, list_id, subject, html, track_opens, track_clicks, on_ambiguous, checks,
                           version, status, has_sent, created_at, updated_at)
    select ${accountId}, gen_random_uuid(), md5(n::text), gen_random_uuid(), 'News', repeat('x', 200), false, false, 'resend',
           '[]', 1, 'draft', false, now() - interval '1 hour' * n, now() - interval '1 minute' * (n * 7919 % ${ROWS}::int)
    from generate_series(1, ${ROWS}::int) as n`);
  await db.execute(sql`analyze campaigns`);
});
after(() => big?.stop());

async function mostRows(work: (db: Queryable) => Promise<unknown>): Promise<number> {
  const steps = await explainAll(db, work);
  assert.ok(steps.some((step) => /^Index/.test(step["Node Type"])));
  return Math.max(...steps.map(rowsOf));
}

describe("a page of campaigns by", () => {
  const sorts: readonly Sort[] = ["-created_at", "created_at", "-updated_at", "updated_at", "name", "-name"];
  for (const sort of sorts) {
    it(`${sort} reads no more than it shows, in the middle too`, async () => {
      const [place] = await db.many<{ value: string; id: string }>(sql`
        select to_json(${sort.endsWith("name") ? sql`name` : sort.endsWith("created_at") ? sql`created_at` : sql`updated_at`})
                 #>> '{}' as value, id
        from campaigns order by id limit 1`);
      for (const cursor of [undefined, [String(place?.value), String(place?.id)]]) {
        const page = { sort, limit: LIMIT, after: cursor };
        assert.ok((await mostRows((one) => listCampaigns(one, accountId, everything, page))) <= LIMIT);
      }
    });
  }

  it("updated_at with a cursor that says what was seen reads what is younger, by the index", async () => {
    const { since, place, id, seen } = await db.one<Record<string, string>>(sql`
      select to_json(updated_at - interval '30 minutes') #>> '{}' as since, to_json(updated_at) #>> '{}' as place, id,
             pg_current_snapshot()::text as seen
      from campaigns where updated_at < now() - interval '100 minutes' order by updated_at desc limit 1`);
    const page = { sort: "updated_at" as const, limit: LIMIT, after: [place, id, seen, since].map(String) };
    assert.ok((await mostRows((one) => listCampaigns(one, accountId, everything, page))) <= LIMIT + 30);
  });
});

describe("the archive of a list with many campaigns", () => {
  const PUBLISHED = 500;
  let owner: string;
  let listId: string;
  before(async () => {
    owner = (await db.transaction((tx) => createAccount(tx, systemClock, { name: "Old" }))).account_id;
    listId = owner;
    await db.execute(sql`
      insert into campaigns (account_id, id, name, list_id, subject, html, track_opens, track_clicks, on_ambiguous, checks,
                             version, status, has_sent, archive, finished_at, created_at, updated_at)
      select ${owner}, gen_random_uuid(), 'n', ${listId}, 'News', 'x', false, false, 'resend', '[]', 1, 'sent', true,
             n % 10 = 0, now() - interval '1 hour' * n, now(), now()
      from generate_series(1, ${PUBLISHED * 10}::int) as n`);
    await db.execute(sql`analyze campaigns`);
  });

  it("reads no more than a page shows, at its start, in the middle, and back", async () => {
    const middle = await db.one<{ id: string }>(sql`
      select id from campaigns where account_id = ${owner} and archive order by finished_at offset 250 limit 1`);
    const places = [
      null,
      { direction: "older", than: middle.id },
      { direction: "newer", than: middle.id },
    ] as const;
    for (const place of places) {
      const page = { limit: 20, place };
      assert.ok((await mostRows((one) => archivedCampaigns.list(one, owner, listId, page))) <= 20);
      const mails = await archivedCampaigns.list(db, owner, listId, page);
      assert.equal(mails.length, 20);
      const [newest, oldest] = [mails[0], mails[19]];
      assert.ok(newest && oldest);
      const ends = { newest, oldest };
      assert.ok((await mostRows((one) => archivedCampaigns.neighbours(one, owner, listId, ends))) <= 1);
    }
  });
});
