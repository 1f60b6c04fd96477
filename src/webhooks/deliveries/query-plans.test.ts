/** These tests show on generated data that a page of deliveries reads by an index, and no more than it shows. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type BigAccount,
  createBigAccount,
  explainAll,
  rowsOf,
  type Step,
} from "../../../test/support/query-plans.ts";
import { systemClock } from "../../platform/clock.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { listDue } from "../delivering/delivery-store.ts";
import { type DeliveryFilter, listDeliveries } from "./delivery-log.ts";

const ROWS = 20_000;
const LIMIT = 51;

describe("a page of deliveries", () => {
  let big: BigAccount;
  const webhookId = newId(systemClock);
  before(async () => {
    big = await createBigAccount();
    // Of every thousand one has failed, and one is of a rare type; half of the rows are in a partition of their own.
    await big.db.execute(sql`
      create table webhook_deliveries_later partition of webhook_deliveries
      for values from ('01900000-0000-0000-0000-000000000000') to ('01f00000-0000-0000-0000-000000000000')`);
    await big.db.execute(sql`
      insert into webhook_deliveries (account_id, id, webhook_id, event_ids, message_id, type, origin, state, attempts)
      select ${big.accountId}, (case when n % 2 = 0 then '018f' else '0190' end || lpad(to_hex(n), 8, '0') || '70008000000000000000')::uuid,
             ${webhookId}, '{}', 'evt', case when n % 1000 = 1 then 'list.created' else 'email.sent' end, 'log',
             case when n % 1000 = 0 then 'failed' else 'delivered' end, '[]'
      from generate_series(1, ${ROWS}::int) n`);
  });
  after(() => big?.stop());

  const everything: DeliveryFilter = { webhookId, state: undefined, type: undefined };
  const filters: [string, Partial<DeliveryFilter>, number][] = [
    ["without a filter", {}, LIMIT],
    ["that failed", { state: "failed" }, 20],
    ["that wait", { state: "waiting" }, 0],
    ["that were delivered", { state: "delivered" }, LIMIT],
    ["of a rare type", { type: "list.created" }, 20],
    ["of a common type", { type: "email.sent" }, LIMIT],
    ["of a common type that failed", { type: "email.sent", state: "failed" }, 20],
    ["of a rare type that failed", { type: "list.created", state: "failed" }, 0],
  ];

  async function assertReads(filter: Partial<DeliveryFilter>, found: number): Promise<void> {
    for (const before_ of [undefined, "0190ffff-0000-7000-8000-000000000000"]) {
      const ask = (db: BigAccount["db"]) =>
        listDeliveries(db, big.accountId, { ...everything, ...filter }, { limit: LIMIT, before: before_ });
      assert.equal((await ask(big.db)).length, found);
      for (const step of await explainAll(big.db, ask as never)) assertCheap(step);
    }
  }

  /** Each of the three states may bring a page of each partition to be merged. */
  function assertCheap(step: Step): void {
    const what = `${step["Node Type"]} on ${step["Relation Name"]}`;
    assert.ok(step["Node Type"] !== "Seq Scan", what);
    assert.ok(rowsOf(step) <= 6 * LIMIT, `${what} went through ${rowsOf(step)} rows`);
  }

  for (const [what, filter, found] of filters) {
    it(`${what} reads by an index, on a table that was never analysed`, () => assertReads(filter, found));
  }

  it("reads by an index with every filter once the table is analysed", async () => {
    await big.db.execute(sql`analyze webhook_deliveries`);
    for (const [, filter, found] of filters) await assertReads(filter, found);
  });
});

describe("a queue of deliveries", () => {
  let big: BigAccount;
  const webhook = { account_id: "", id: newId(systemClock) };
  const urgent = "01900000-4e20-7000-8000-000000000000";
  before(async () => {
    big = await createBigAccount();
    webhook.account_id = big.accountId;
    await big.db.execute(sql`
      insert into webhook_deliveries
        (account_id, id, webhook_id, event_ids, message_id, type, origin, state, attempts, next_attempt_at)
      select ${big.accountId}, ('01900000' || lpad(to_hex(n), 4, '0') || '70008000000000000000')::uuid,
             ${webhook.id}, '{}', 'evt', 'list.created', 'log', 'waiting', '[]', now() - interval '1 day' + n * interval '1 second'
      from generate_series(1, ${ROWS}::int) n`);
    await big.db.execute(sql`analyze webhook_deliveries`);
  });
  after(() => big?.stop());

  it("isn't read through for the one that a person wants tried now", async () => {
    const ask = (db: BigAccount["db"]) =>
      listDue(db, webhook, systemClock.now(), { most: LIMIT, without: [], first: [urgent] });
    const found = await ask(big.db);
    assert.deepEqual([found.length, found[0]?.id], [LIMIT, urgent]);
    for (const step of await explainAll(big.db, ask as never)) {
      assert.ok(step["Node Type"] !== "Seq Scan", step["Node Type"]);
      assert.ok(rowsOf(step) <= 2 * LIMIT, `${step["Node Type"]} went through ${rowsOf(step)} rows`);
    }
  });
});
