/** Rules about mail must look each subscriber up by primary keys, whatever the server knows about the tables. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "../../test/support/database.ts";
import { createAccount } from "../accounts/accounts.ts";
import { ledgerPartitions } from "../delivery/delivery.ts";
import { systemClock } from "../platform/clock.ts";
import type { Ctx } from "../platform/context.ts";
import { createDb, type Db, sql } from "../platform/db/db.ts";
import { maintainPartitions } from "../platform/db/partitions.ts";
import { newId } from "../platform/ids.ts";
import { createLog } from "../platform/log.ts";
import {
  compileRules,
  engagementPartitions,
  findInStretches,
  linkKeyOf,
} from "../subscribers/subscribers.ts";
import { sentCampaigns } from "./sent-campaigns.ts";

const PEOPLE = 20_000;
const CAMPAIGNS = 8;
const SLICE = 500;
const DAY_MS = 24 * 3_600_000;
const log = createLog({ level: "silent", pretty: false });
const url = "https://example.com/one";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let accountId: string;
let ctx: Ctx;
const listId = newId(systemClock);
const campaigns = Array.from({ length: CAMPAIGNS }, (_, n) => ({
  id: idAt(systemClock.now().getTime() - n * 9 * DAY_MS),
  at: new Date(systemClock.now().getTime() - n * 9 * DAY_MS - 60_000),
}));
const [newest, second] = campaigns.map(({ id }) => id);

/** An id as it was made at that time: the tables are partitioned by it. */
function idAt(ms: number): string {
  return newId({ ...systemClock, now: () => new Date(ms) });
}

before(async () => {
  database = await cloneDatabase();
  const connection = database.url;
  db = createDb({ connection, poolSize: 4, applicationName: "test", log, statementTimeoutMs: 120_000 });
  const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Big" }));
  accountId = account.account_id;
  ctx = { sql: db, accountId, actor: { kind: "system", id: null }, clock: systemClock, log };
  // Nothing analyses the tables behind our back, which the first of the two rounds is about.
  await db.execute(sql`alter table contact_engagements set (autovacuum_enabled = off)`);
  await maintainPartitions(db, systemClock, [...ledgerPartitions, ...engagementPartitions], log);
  await generate();
});
after(async () => {
  await db.close();
  await database.drop();
});

/** Everybody was sent everything; a third opened each campaign, and a tenth clicked. */
async function generate(): Promise<void> {
  await db.execute(sql`
    insert into lists (account_id, id, name, double_opt_in, created_at, updated_at)
    values (${accountId}, ${listId}, 'A list', false, now(), now())`);
  await db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
    select ${accountId}, gen_random_uuid(), ${listId}, gen_random_uuid(), n || '@example.com', n || '@example.com', '{}', 'active',
           'test', now() - interval '1 year' - interval '1 minute' * n, now()
    from generate_series(1, ${PEOPLE}::int) n`);
  const links = [{ url: "https://example.com/", isDynamic: false }];
  const content = { tracking: { opens: true, clicks: true }, compiled: { links } };
  for (const { id, at } of campaigns) {
    await db.execute(sql`
      insert into revisions (account_id, id, digest, content, created_at)
      values (${accountId}, ${id}, ${Buffer.from(id)}, ${JSON.stringify(content)}::jsonb, now())`);
    await db.execute(sql`
      insert into sources (account_id, id, stream, state, list_id, on_ambiguous, launched_at, revision_id, owner_id)
      values (${accountId}, ${id}, 'campaign', 'finished', ${listId}, 'resend', ${at}, ${id}, ${id})`);
    await db.execute(sql`
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, changed_at)
      select account_id, ${id}, contact_id, id, 'campaign', gen_random_uuid(), 'sent', ${at} from subscribers`);
    await db.execute(sql`
      insert into campaign_engagements (account_id, contact_id, campaign_id, human_opened, prefetched, clicked, human_clicked,
                                        links, human_links)
      select account_id, contact_id, ${id}, n % 3 = 0, n % 3 = 1, n % 10 = 0, n % 10 = 0,
             case when n % 10 = 0 then array[${linkKeyOf(url)}::bigint] else '{}' end,
             case when n % 10 = 0 then array[${linkKeyOf(url)}::bigint] else '{}' end
      from (select *, split_part(email, '@', 1)::int + ${Number.parseInt(id.slice(0, 8), 16) % 7}::int as n from subscribers) s
      where n % 3 < 2`);
  }
  await db.execute(sql`
    insert into contact_engagements (account_id, contact_id, last_open_at, last_human_open_at)
    select account_id, contact_id, now(), now() - interval '1 day' * (split_part(email, '@', 1)::int % 200) from subscribers
    where split_part(email, '@', 1)::int % 3 < 2`);
}

type Plan = Json & { Plans?: Plan[] };
// biome-ignore lint/suspicious/noExplicitAny: PostgreSQL's own document
type Json = Record<string, any>;

function flatten(plan: Plan): Plan[] {
  return [plan, ...(plan["Plans"] ?? []).flatMap(flatten)];
}

/** Runs the part of planning that finds a slice's people, and returns the steps that the server took. */
async function planOfSlice(rule: unknown): Promise<Plan[]> {
  const at = systemClock.now();
  const condition = await compileRules(ctx, rule as never, { listId, at, sent: sentCampaigns });
  const [start] = await db.many<{ after: string; upto: string }>(sql`
    select min(created_at)::text as after, max(created_at)::text as upto from (
      select created_at from subscribers where account_id = ${accountId} and list_id = ${listId}
      order by created_at offset 5000 limit ${SLICE + 1}) as part`);
  const last = "ffffffff-ffff-ffff-ffff-ffffffffffff";
  const stretch = sql`(values (${start?.after}::timestamptz, ${last}::uuid, ${start?.upto}::timestamptz, ${last}::uuid))
    as w (after_time, after_id, upto_time, upto_id)`;
  const row = await db.one<{ "QUERY PLAN": [{ Plan: Plan }] }>(sql`
    explain (analyze, format json)
    with ${findInStretches(accountId, { listId, topicId: null }, stretch, condition)} select count(*) from found`);
  return flatten(row["QUERY PLAN"][0].Plan);
}

const BIG = /^(deliveries|campaign_engagements|contact_engagements|subscribers)/;
const rules: readonly [string, unknown][] = [
  ["opened a campaign", { field: "opened", op: "campaign", value: newest }],
  ["hasn't opened a campaign", { field: "opened", op: "not_campaign", value: second }],
  ["clicked a link", { field: "clicked", op: "link", value: { campaign_id: newest, url } }],
  ["opened any of the last 5", { field: "opened", op: "any_of_last", value: 5 }],
  ["clicked none of the last 50", { field: "clicked", op: "none_of_last", value: 50 }],
  ["no open in 90 days", { field: "opened", op: "not_in_last_days", value: 90 }],
  ["wasn't sent a campaign", { field: "sent", op: "not_campaign", value: newest }],
  [
    "a tree of them",
    {
      any: [
        { not: { field: "opened", op: "any_of_last", value: 5 } },
        { field: "clicked", op: "in_last_days", value: 30 },
      ],
    },
  ],
];

for (const known of ["never analysed", "analysed"] as const) {
  describe(`a slice of a launch, on tables that were ${known}, looks each of its people up by a key`, () => {
    before(async () => {
      if (known === "analysed") await db.execute(sql`analyze`);
    });
    for (const [name, rule] of rules) {
      it(name, async () => {
        const steps = await planOfSlice(rule);
        const scans = steps.filter((step) => BIG.test(step["Relation Name"] ?? ""));
        assert.ok(scans.some((step) => /^(deliveries|c\w+_engagements)/.test(step["Relation Name"])));
        for (const step of scans) {
          const what = `${step["Node Type"]} on ${step["Relation Name"]}`;
          assert.match(step["Node Type"], /^Index/, what);
          // Every look-up finds at most a row for each campaign.
          const rows = (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"];
          assert.ok(rows <= SLICE * CAMPAIGNS, `${what} went through ${rows} rows`);
        }
      });
    }
  });
}
