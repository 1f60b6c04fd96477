import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type BigAccount, createBigAccount, explainAll, rowsOf } from "../../test/support/query-plans.ts";
import { systemClock } from "../platform/clock.ts";
import { systemCtx } from "../platform/context.ts";
import { type Queryable, sql, type Tx } from "../platform/db/db.ts";
import { createLog } from "../platform/log.ts";
import { createList } from "../subscribers/subscribers.ts";
import { lockRunsOf } from "./feed/feed-store.ts";
import { hasActiveRuns, listDrained } from "./publishing/ending-store.ts";
import { listAutomations } from "./store.ts";
import { listRunsOf } from "./watching/runs-store.ts";

const FULL = "00000000-0000-7000-8000-000000000001";
const EMPTY = "00000000-0000-7000-8000-000000000002";
const INSIDE = 20_000;

let big: BigAccount;
before(async () => {
  big = await createBigAccount();
  const { db, accountId } = big;
  const log = createLog({ level: "silent", pretty: false });
  const { id: listId } = await db.transaction((tx) =>
    createList(systemCtx({ clock: systemClock, log }, tx, accountId), { name: "Shop" }),
  );
  await db.execute(sql`
    insert into automations (account_id, id, name, list_id, draft, state, version, created_at, updated_at, state_changed_at)
    select ${accountId}, id, 'Big', ${listId}, '{}', 'draining', 1, now(), now(), now()
    from unnest(${[FULL, EMPTY]}::uuid[]) as one (id)`);
  await db.execute(sql`
    insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
    select ${accountId}, ${FULL}, uuidv7(), uuidv7(), 1, 'wait', now(), now(), now() + interval '1 day'
    from generate_series(1, ${INSIDE}::int)`);
  await db.execute(sql`vacuum (analyze) automation_runs`);
});
after(() => big.stop());

/** Where one automation holds all runs, a search for one of another by the odds reads them all, and finds none. */
describe("whether anybody is inside an automation", () => {
  const asked: Readonly<Record<string, (db: Queryable, accountId: string) => Promise<unknown>>> = {
    "with a page of automations": (db, accountId) =>
      listAutomations(db, accountId, { listId: undefined, words: undefined }, { after: undefined, limit: 9 }),
    "before one is archived": (db, accountId) => hasActiveRuns(db, accountId, EMPTY),
    "of all that are draining": (db) => listDrained(db),
  };
  for (const [when, ask] of Object.entries(asked))
    it(`is found by an index ${when}`, async () => {
      const steps = await explainAll(big.db, (db) => ask(db, big.accountId));
      const read = steps.filter((step) => step["Relation Name"] === "automation_runs");
      assert.ok(read.length > 0);
      for (const step of read) assert.ok(rowsOf(step) <= 2, `${step["Node Type"]} read ${rowsOf(step)}`);
    });
});

describe("the runs of a person in all automations", () => {
  const page = { limit: 11, after: undefined };
  it("are found by their own indexes, with and without a status", async () => {
    for (const status of [undefined, "active", "completed"] as const) {
      const steps = await explainAll(big.db, (db) => listRunsOf(db, big.accountId, FULL, status, page));
      const read = steps.filter((step) => step["Relation Name"] === "automation_runs");
      assert.ok(read.length > 0);
      for (const step of read) {
        assert.match(String(step["Index Name"]), /^automation_runs_(active|ended_of)$/, String(status));
        assert.ok(rowsOf(step) <= 2, `${step["Node Type"]} read ${rowsOf(step)}`);
      }
    }
  });
});

describe("in a table that was never analysed", () => {
  let fresh: BigAccount;
  before(async () => {
    fresh = await createBigAccount();
    await fresh.db.execute(sql`alter table automation_runs set (autovacuum_enabled = off)`);
  });
  after(() => fresh.stop());

  it("people's runs are found by their own index, whether it is small or large", async () => {
    const { db, accountId } = fresh;
    for (const [from, to] of [
      [1, 3_000],
      [3_001, 60_000],
    ]) {
      await db.execute(sql`
        insert into automation_runs (account_id, automation_id, id, subscriber_id, version, node, entered_at, arrived_at, due_at)
        select ${accountId}, ${FULL}, uuidv7(), md5(n::text)::uuid, 1, 'wait', now(), now(), now() + interval '1 day'
        from generate_series(${from}::int, ${to}::int) as n`);
      const { ids } = await db.one<{ ids: string[] }>(
        sql`select array_agg(md5(n::text)::uuid) as ids from generate_series(1, 500) as n`,
      );
      const steps = await explainAll(db, (tx) => lockRunsOf(tx as Tx, accountId, FULL, ids));
      const read = steps.filter((step) => step["Relation Name"] === "automation_runs");
      assert.deepEqual(
        read.map((step) => [step["Index Name"], rowsOf(step)]).sort(),
        [
          ["automation_runs_active", 500],
          ["automation_runs_pkey", 500],
        ],
        `of ${to}`,
      );
    }
  });
});
