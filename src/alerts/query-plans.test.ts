/** On many alerts: whatever is asked for is read by an index, with and without statistics. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type BigAccount, createBigAccount, explainAll, rowsOf } from "../../test/support/query-plans.ts";
import { type Queryable, sql } from "../platform/db/db.ts";
import { listAccountsWith, listAlerts, listSubjects, wasOverSince } from "./store.ts";

const LIMIT = 51;
const ROWS = 40_000;
/** One in so many is open, and of the kind that is asked for. */
const RARE = 800;
const FEW = ROWS / RARE;
const page = { limit: LIMIT, after: undefined };
const OVER = { kind: "storm", subject: "subject 7", severity: "warning" } as const;

type Question = readonly [
  name: string,
  most: number,
  ask: (db: Queryable, accountId: string) => Promise<unknown>,
];
const QUESTIONS: readonly Question[] = [
  ["all", LIMIT, (on, account) => listAlerts(on, account, {}, page)],
  ["those of a status", LIMIT, (on, account) => listAlerts(on, account, { status: "open" }, page)],
  ["those of a kind", LIMIT, (on, account) => listAlerts(on, account, { kind: "storm" }, page)],
  [
    "those of a kind and a status",
    2 * FEW,
    (on, account) => listAlerts(on, account, { kind: "storm", status: "open" }, page),
  ],
  ["the subjects of a kind", FEW, (on, account) => listSubjects(on, account, "storm")],
  ["the accounts with a kind", FEW, (on) => listAccountsWith(on, ["storm", "dmarc_failing"])],
  ["whether one was over of late", FEW, (on, account) => wasOverSince(on, account, OVER, new Date(0))],
];

describe("a question about alerts", () => {
  let big: BigAccount;
  before(async () => {
    big = await createBigAccount();
    await big.db.execute(sql`alter table alerts set (autovacuum_enabled = off)`);
    await big.db.execute(sql`
      insert into alerts
      select ${big.accountId}, gen_random_uuid(), case when is_rare then 'storm' else 'blocklisted' end, 'subject ' || n,
        case when is_rare then 'open' else 'closed' end, 'warning', '', '', '', '', '{}', null,
        case when is_rare then null else now() end, now() - make_interval(mins => n), now()
      from generate_series(1, ${ROWS}::int) as n, lateral (select n % ${RARE}::int = 0 as is_rare) as r`);
  });
  after(() => big?.stop());

  for (const isAnalysed of [false, true])
    describe(`${isAnalysed ? "with" : "without"} statistics`, () => {
      before(async () => {
        if (isAnalysed) await big.db.execute(sql`analyze alerts`);
      });
      for (const [name, most, ask] of QUESTIONS)
        it(`reads ${most} rows at most for ${name}`, async () => {
          const steps = await explainAll(big.db, (on) => ask(on, big.accountId));
          const read = Math.max(...steps.map(rowsOf));
          assert.ok(read <= most, `${read} rows: ${JSON.stringify(steps.map((one) => one["Node Type"]))}`);
        });
    });
});
