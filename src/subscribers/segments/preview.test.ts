import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createAccount } from "../../accounts/accounts.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import { createDb, type Db, type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { previewRule } from "./preview.ts";
import type { Rule } from "./rules.ts";

const ROWS = 3_000;
const log = createLog({ level: "silent", pretty: false });
const listId = newId(systemClock);
const of = { fields: [], sent: {} as SentCampaigns, listId };
const members: Rule[] = [
  { field: "status", op: "is", value: "active" },
  { field: "tag", op: "has", value: "vip" },
  { field: "email", op: "starts_with", value: "1" },
];

const groupOf = (word: "all" | "any", some: Rule[]): Rule => (word === "all" ? { all: some } : { any: some });

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
let ctx: Ctx;
const connect = (statementTimeoutMs: number) =>
  createDb({ connection: database.url, poolSize: 4, applicationName: "test", log, statementTimeoutMs });
before(async () => {
  database = await cloneDatabase();
  db = connect(60_000);
  const { account_id: accountId } = await db.transaction((tx) =>
    createAccount(tx, systemClock, { name: "Some" }),
  );
  ctx = { sql: db.reading, accountId, actor: { kind: "system", id: null }, clock: systemClock, log };
  const tagId = newId(systemClock);
  await db.execute(sql`
    insert into tags (account_id, id, name, name_key, created_at) values (${accountId}, ${tagId}, 'vip', 'vip', now())`);
  await db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
    select ${accountId}, gen_random_uuid(), ${listId}, gen_random_uuid(), n || '@example.com', n || '@example.com', '{}',
           case when n % 10 = 0 then 'unsubscribed' else 'active' end, 'test', now(), now()
    from generate_series(1, ${ROWS}::int) n`);
  await db.execute(sql`
    insert into subscriber_tags (account_id, subscriber_id, tag_id, list_id, created_at)
    select account_id, id, ${tagId}, list_id, now() from subscribers where split_part(email, '@', 1)::int % 3 = 0`);
  await db.execute(sql`analyze`);
});
after(async () => {
  await db.close();
  await database.drop();
});

for (const word of ["all", "any"] as const) {
  test(`the counts after each rule of ${word} are those of the rules so far`, async () => {
    const rule = groupOf(word, members);
    const { count, steps } = await previewRule(ctx, rule, of, true);
    const alone = async (some: Rule) => (await previewRule(ctx, some, of, false)).count;
    assert.equal(count, await alone(rule));
    assert.equal(steps?.from, ROWS);
    for (const [at, step] of (steps?.rules ?? []).entries()) {
      assert.equal(step.count, await alone(groupOf(word, members.slice(0, at + 1))));
      assert.equal(step.alone, word === "all" ? null : await alone(members[at] as Rule));
    }
    assert.equal(steps?.rules.length, members.length);
  });

  test(`the subscribers are read once for all rules of ${word}`, async () => {
    const scans: number[] = [];
    const explaining: Queryable = {
      ...db.reading,
      many: async (statement: Sql) => {
        const [row] = await db.many<{ "QUERY PLAN": [{ Plan: Plan }] }>(
          sql`explain (analyze, format json) ${statement}`,
        );
        scans.push(...scansOf(row?.["QUERY PLAN"][0].Plan));
        return db.many(statement) as never;
      },
    };
    await previewRule({ ...ctx, sql: explaining }, groupOf(word, members), of, true);
    // One pass for the counts, and one for the sample.
    assert.deepEqual(scans, [1, 1]);
  });
}

test("what takes longer than a statement may is not counted, and no error", async () => {
  const locked = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const holding = db.transaction(async (tx) => {
    await tx.execute(sql`lock table subscribers in access exclusive mode`);
    locked.resolve();
    await done.promise;
  });
  await locked.promise;
  const hasty = connect(300);
  const preview = await previewRule({ ...ctx, sql: waiting(hasty) }, { all: members }, of, true);
  await hasty.close();
  done.resolve();
  await holding;
  assert.deepEqual([preview.count, preview.sampleIds, preview.steps?.from], [null, null, null]);
  const places = preview.steps?.rules.map(({ pointer, count }) => [pointer, count]);
  assert.deepEqual(
    places,
    members.map((_, at) => [`/rules/all/${at}`, null]),
  );
});

/** Only what asks for subscribers is cut off early, however slow the machine is. */
function waiting(hasty: Db): Queryable {
  const { reading } = db;
  const isAbout = (statement: Sql) => statement.text.includes("from subscribers s");
  return {
    many: (statement) => (isAbout(statement) ? hasty.reading : reading).many(statement),
    one: (statement) => (isAbout(statement) ? hasty.reading : reading).one(statement),
    maybeOne: reading.maybeOne,
  };
}

// biome-ignore lint/suspicious/noExplicitAny: PostgreSQL's own document
type Plan = Record<string, any> & { Plans?: Plan[] };

/** How often each scan of the subscribers themselves runs. */
function scansOf(plan: Plan | undefined): number[] {
  if (!plan) return [];
  const own = plan["Relation Name"] === "subscribers" && plan["Alias"] === "s" ? [plan["Actual Loops"]] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)];
}
