import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createTestClock } from "../../test/support/clock.ts";
import { type BigAccount, createBigAccount, explainAll, rowsOf } from "../../test/support/query-plans.ts";
import { raw, sql } from "../platform/db/db.ts";
import { DbError } from "../platform/db/errors.ts";
import { maintainPartitions } from "../platform/db/partitions.ts";
import { createLog } from "../platform/log.ts";
import { auditPartitions, createAuditRecorder } from "./audit.ts";
import { type AuditFilter, listAudit } from "./store.ts";

const DAY_MS = 24 * 3_600_000;
const log = createLog({ level: "silent", pretty: false });

describe("the audit log's table", () => {
  let big: BigAccount;
  before(async () => {
    big = await createBigAccount();
  });
  after(() => big.stop());

  const record = (at: Date) =>
    big.db.transaction(async (tx) =>
      createAuditRecorder(createTestClock(at))(tx, [
        {
          accountId: big.accountId,
          actor: { kind: "user", id: "usr_1" },
          action: "list.created",
          targetId: "lst_1",
          fields: ["name"],
          origin: null,
        },
      ]),
    );
  const count = async () =>
    (await big.db.one<{ count: number }>(sql`select count(*) as count from audit_log`)).count;
  const maintain = (now: Date) => maintainPartitions(big.db, createTestClock(now), [auditPartitions], log);

  it("refuses updates, deletions and truncation, in each of its partitions", async () => {
    const now = new Date();
    await maintain(now);
    await record(now);
    await record(new Date(now.getTime() - 60 * DAY_MS));
    const tables = await big.db.many<{ name: string }>(sql`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass`);
    assert.ok(tables.length >= 4, `${tables.length} partitions`);
    const refused = (work: Promise<unknown>) =>
      assert.rejects(work, (error) => error instanceof DbError && error.sqlState === "PR003");
    await refused(big.db.execute(sql`update audit_log set action = 'list.deleted'`));
    await refused(big.db.execute(sql`delete from audit_log`));
    await refused(big.db.execute(sql`truncate audit_log`));
    for (const { name } of tables) await refused(big.db.execute(raw(`truncate ${name}`)));
    assert.equal(await count(), 2);
  });

  it("keeps rows for 24 months and drops them then", async () => {
    const now = new Date();
    await record(new Date(now.getTime() - 729 * DAY_MS));
    await record(new Date(now.getTime() - 800 * DAY_MS));
    assert.equal(await count(), 4);
    await maintain(now);
    assert.equal(await count(), 3);
    const { left } = await big.db.one<{ left: number }>(sql`select count(*) as left from audit_log_default`);
    assert.equal(left, 0, "what is kept was moved to the partition of its month");
    await assert.rejects(
      big.db.execute(sql`delete from audit_log`),
      "the right to remove ends with its transaction",
    );
  });
});

const FILTERS: readonly AuditFilter[] = [
  {},
  { actor: "usr_7" },
  { actor: "operator" },
  { action: "list.updated" },
  { action: "domain.*" },
  { target: "lst_500" },
  { target: "lst_500", actor: "usr_7" },
  { createdAfter: "2026-01-01T00:00:00Z", createdBefore: "2026-02-01T00:00:00Z" },
];

describe("a page of the audit log", () => {
  let big: BigAccount;
  before(async () => {
    big = await createBigAccount();
    // Two years of some 80 rows a day, of which operators and domains are few.
    await maintainPartitions(big.db, createTestClock(new Date()), [auditPartitions], log);
    await big.db.execute(sql`
      insert into audit_log (account_id, id, created_at, actor_kind, actor_id, action, target_id, fields)
      select ${big.accountId}, gen_random_uuid(), now() - n * interval '17 minutes',
        case when n % 5000 = 0 then 'operator' else 'user' end, case when n % 5000 <> 0 then 'usr_' || n % 20 end,
        case when n % 3000 = 0 then 'domain.created' when n % 3 = 0 then 'list.created' else 'list.updated' end,
        'lst_' || n % 1000, '{name}'
      from generate_series(1, 60000) as n`);
    await maintainPartitions(big.db, createTestClock(new Date()), [auditPartitions], log);
  });
  after(() => big.stop());

  for (const analysed of [false, true]) {
    for (const filter of FILTERS) {
      const state = analysed ? "analysed" : "never analysed";
      it(`reads few rows where the table is ${state}: ${JSON.stringify(filter)}`, async () => {
        if (analysed) await big.db.execute(sql`analyze audit_log`);
        const steps = await explainAll(big.db, (db) =>
          listAudit(db, big.accountId, filter, { limit: 51, after: undefined }),
        );
        const scans = steps.filter((step) => step["Node Type"].includes("Scan"));
        assert.ok(
          scans.every((step) => step["Node Type"] !== "Seq Scan" || rowsOf(step) <= 1),
          JSON.stringify(scans),
        );
        // Each partition's scan may read a row ahead of the others.
        const read = scans.reduce((sum, step) => sum + rowsOf(step), 0);
        assert.ok(read <= 300, `${read} rows`);
      });
    }
  }
});
