import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { until } from "../../../test/support/until.ts";
import { holdAccount, releaseAccount } from "../../accounts/accounts.ts";
import { sql } from "../../platform/db/db.ts";
import { planSlice } from "./plan.ts";

let bench: Bench;
before(async () => {
  bench = await createBench();
});
after(() => bench.stop());

async function countRows(sourceId: string): Promise<number> {
  const { count } = await bench.db.one<{ count: number }>(
    sql`select count(*) as count from deliveries where account_id = ${bench.accountId} and source_id = ${sourceId}`,
  );
  return count;
}

it("a source of a held account isn't planned, and is once the account is released", async () => {
  await bench.addSubscribers(Array.from({ length: 700 }, (_, at) => `p${at}@example.com`));
  const { accountId, clock } = bench;
  await bench.db.transaction((tx) => holdAccount({ sql: tx, accountId, clock }, "standing", null));
  const sourceId = await bench.launch();
  assert.equal(await planSlice(bench, accountId, sourceId), false);
  assert.equal(await countRows(sourceId), 0);
  await bench.startJobs();
  await bench.db.transaction((tx) => releaseAccount({ sql: tx, accountId }, "standing"));
  await until(async () => (await countRows(sourceId)) === 700);
});
