/** On many rows: whatever a page of deliverability asks for is read by an index, with and without statistics. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type BigAccount, createBigAccount, explainAll, rowsOf } from "../../test/support/query-plans.ts";
import { createAccount } from "../accounts/accounts.ts";
import { systemClock } from "../platform/clock.ts";
import { type Db, type Queryable, raw, sql } from "../platform/db/db.ts";
import { readResults } from "./blocklists/store.ts";
import { listRates } from "./checklist/rate-store.ts";
import { readAlignment, readDays, readGroups, readTotals } from "./dmarc/numbers-store.ts";
import { countLookedUp, listDueSources, listNewUnknown, listOwnMail } from "./dmarc/source-store.ts";
import { countMailed, listReports } from "./dmarc/store.ts";
import { findNewestReports, listTests } from "./mail-tests/store.ts";

const LIMIT = 51;
const ROWS = 20_000;
/** Of all rows, one in so many is of the kind that is asked for. */
const RARE = 400;
const FEW = ROWS / RARE;
const IDS = {
  one: "019a0000-0000-7000-8000-000000000001",
  other: "019a0000-0000-7000-8000-000000000002",
};
const TABLES = [
  "blocklist_results",
  "complaint_rates",
  "dmarc_daily",
  "dmarc_reports",
  "dmarc_source_counts",
  "dmarc_sources",
  "mail_tests",
];

let big: BigAccount;
let db: Db;
let accountId: string;
async function fill(account: string): Promise<void> {
  const all = sql`generate_series(1, ${ROWS}::int) as n`;
  const at = sql`now() - make_interval(mins => n)`;
  const isRare = sql`n % ${RARE}::int = 0`;
  for (const [name, id] of Object.entries(IDS))
    await db.execute(sql`
      insert into domains (account_id, id, name, status, return_path_ok, tracking_ok, tracking_cname_ok, ed25519, version,
        keys_version, records, looks, next_check_at, created_at, updated_at)
      values (${account}, ${id}, ${`${name}.example`}, 'verified', false, false, false, false, 1, 1, '[]', 0, 'infinity', now(), now())`);
  const domain = sql`(case when ${isRare} then ${IDS.one} else ${IDS.other} end)::uuid`;
  await db.execute(sql`
    insert into dmarc_reports
    select ${account}, gen_random_uuid(), ${domain}, 'acme.example', 'reporter', null, 'r' || n, now(), now(),
      current_date - n % 390, '{}', 'mail', null, 1, 1, 1, 0, ${at} from ${all}`);
  await db.execute(sql`
    insert into dmarc_daily
    select ${account}, ${IDS.one}, g, current_date - n, case g when 'day' then '' else 'k' || k end, 1, 1, 1, 1, 1, 0, 0
    from generate_series(0, 390) as n, unnest(array['day', 'reporter', 'selector']) as g, generate_series(1, 20) as k
    on conflict do nothing`);
  await db.execute(sql`
    insert into dmarc_source_counts
    select ${account}, ${IDS.one}, 'day', current_date - n, '10.0.0.0'::inet + k, current_date - n, 5, 1, 1, 0, 0, 0
    from generate_series(0, 390) as n, generate_series(1, 50) as k`);
  await db.execute(sql`
    insert into dmarc_sources
    select ${account}, '10.0.0.0'::inet + n, null, null, current_date, now(),
      now() - make_interval(days => case when ${isRare} then 0 else 2 end),
      now() + make_interval(days => case when ${isRare} then -1 else 1 end) from ${all}`);
  await db.execute(sql`
    insert into mail_tests
    select ${account}, gen_random_uuid(), 'done', ${domain}, '', '', '', null, '', '{}', '[]', null, null, null, null, null, false,
      '{"groups": []}', 1, ${at}, now(), now() from ${all}`);
  await db.execute(sql`
    insert into complaint_rates
    select ${account}, p, current_date - n, 0.1, now(), now() from unnest(array['gmail', 'yahoo', 'apple']) as p, generate_series(1, 60) as n`);
  await db.execute(sql`
    insert into blocklist_results
    select ${account}, 'subject ' || n, 'zone.example', 'clear', null, null, now() from generate_series(1, 100) as n`);
}

const page = { limit: LIMIT, after: undefined };
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const dayAgo = (days: number) => daysAgo(days).toISOString().slice(0, 10);
const range = { domainIds: [IDS.one, IDS.other], from: dayAgo(30), to: dayAgo(0), sourceIp: undefined };
const own = ["10.0.0.7"];

type Question = readonly [name: string, most: number, ask: (db: Queryable) => Promise<unknown>];
const QUESTIONS: readonly Question[] = [
  ["reports", LIMIT, (on) => listReports(on, accountId, { domainId: undefined }, page)],
  ["reports of a domain", LIMIT, (on) => listReports(on, accountId, { domainId: IDS.one }, page)],
  ["what came by mail within an hour", 70, (on) => countMailed(on, accountId, daysAgo(1 / 24))],
  ["days", 31 * 2, (on) => readDays(on, accountId, range, LIMIT)],
  ["reporters", 31 * 20, (on) => readGroups(on, accountId, { ...range, grouping: "reporter" }, LIMIT)],
  ["selectors", 31 * 20, (on) => readGroups(on, accountId, { ...range, grouping: "selector" }, LIMIT)],
  ["totals", 31 * 60, (on) => readTotals(on, accountId, range)],
  ["own mail", 31 * 50, (on) => readAlignment(on, accountId, { own, fromDay: dayAgo(30) })],
  ["own mail by domain", 8 * 50, (on) => listOwnMail(on, accountId, { own, fromDay: dayAgo(7) })],
  [
    "new unknown sources",
    15 * 50,
    (on) => listNewUnknown(on, accountId, { own, since: daysAgo(14), fromDay: dayAgo(14), atLeast: 50 }),
  ],
  ["sources to be looked up", FEW, (on) => listDueSources(on, accountId, { now: new Date(), most: 100 })],
  ["sources looked up within an hour", FEW, (on) => countLookedUp(on, accountId, daysAgo(1 / 24))],
  ["tests", LIMIT, (on) => listTests(on, accountId, undefined, page)],
  ["tests of a campaign", LIMIT, (on) => listTests(on, accountId, IDS.one, page)],
  ["newest tests", 70, (on) => findNewestReports(on, accountId, daysAgo(1 / 24))],
  ["complaint rates", 180, (on) => listRates(on, accountId, daysAgo(30))],
  ["blocklists", 100, (on) => readResults(on, accountId)],
];

describe("a question about deliverability", () => {
  before(async () => {
    big = await createBigAccount();
    ({ db, accountId } = big);
    for (const table of TABLES)
      await db.execute(sql`alter table ${raw(table)} set (autovacuum_enabled = off)`);
    const other = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Other" }));
    // Another account has as much, so that a statement that doesn't begin from its account reads twice as many rows.
    for (const account of [accountId, other.account_id]) await fill(account);
  });
  after(() => big?.stop());
  for (const isAnalysed of [false, true])
    describe(`${isAnalysed ? "with" : "without"} statistics`, () => {
      before(async () => {
        if (isAnalysed) await db.execute(sql`analyze ${raw(TABLES.join(", "))}`);
      });
      for (const [name, most, ask] of QUESTIONS)
        it(`reads ${most} rows at most for ${name}`, async () => {
          const steps = await explainAll(db, ask);
          assert.ok(steps.length > 0);
          const read = Math.max(...steps.map(rowsOf));
          assert.ok(read <= most, `${read} rows: ${JSON.stringify(steps.map((one) => one["Node Type"]))}`);
        });
    });
});
