import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { keepEvents } from "../../events/events.ts";
import { sql } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { planSlice } from "../planning/plan.ts";
import { failSource } from "../sources/source-life.ts";

let bench: Bench;
before(async () => {
  bench = await createBench();
  await keepEvents(bench.db, bench.accountId, "a test", ["email.queued"]);
});
after(() => bench.stop());

async function planAll(sourceId: string): Promise<void> {
  while (await planSlice(bench, bench.accountId, sourceId));
}

async function toldOf(sourceId: string): Promise<string[]> {
  const rows = await bench.db.many<{ subscriberId: string }>(sql`
    select data ->> 'subscriber_id' as "subscriberId" from events
    where account_id = ${bench.accountId} and type = 'email.queued'
      and data ->> 'campaign_id' = ${toPublicId("cmp", sourceId)}`);
  return rows.map(({ subscriberId }) => subscriberId).toSorted();
}

const publicIds = (ids: readonly string[]) => ids.map((id) => toPublicId("sub", id)).toSorted();

it("queued is told once of each, over many slices and also by a second launch", async () => {
  const first = await bench.addSubscribers(Array.from({ length: 1_700 }, (_, at) => `p${at}@example.com`));
  const sourceId = await bench.launch();
  await planAll(sourceId);
  assert.deepEqual(await toldOf(sourceId), publicIds(first));

  await failSource(bench, bench.accountId, sourceId, { launch: 1, reason: "test" });
  const second = await bench.addSubscribers(["late@example.com"]);
  await bench.launch({ id: sourceId });
  await planAll(sourceId);
  assert.deepEqual(await toldOf(sourceId), publicIds([...first, ...second]));
});
