import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { insertSoftBounces, removeOldSoftBounces, upsertReached } from "./soft-bounce-store.ts";

describe("old soft bounces", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench.stop());

  const now = new Date(Date.UTC(2026, 0, 1));
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);

  it("are forgotten after eight half-lives of their account, and what reached an address once it has none", async () => {
    const [old, young] = [newId(bench.clock), newId(bench.clock)];
    const patient = await bench.addAccount();
    await bench.db.execute(
      sql`update accounts set bounces = '{"soft_half_life_days": 365}' where account_id = ${patient}`,
    );
    for (const accountId of [bench.accountId, patient])
      await bench.ctx(async ({ sql: tx }) => {
        const of = (contactId: string, days: number) => {
          const id = newId(bench.clock);
          return { contactId, sourceId: id, messageId: id, at: daysAgo(days) };
        };
        await insertSoftBounces(tx, accountId, [of(old, 961), of(young, 961), of(young, 950)]);
        const at = daysAgo(955);
        await upsertReached(tx, accountId, [
          { contactId: old, at },
          { contactId: young, at },
        ]);
      });
    await removeOldSoftBounces(bench.db, now);
    const left = async (accountId: string) =>
      bench.db.one<{ bounces: number; reached: string[] }>(sql`
        select (select count(*) from soft_bounces where account_id = ${accountId}) as bounces,
          array(select contact_id from reached_addresses where account_id = ${accountId} order by contact_id) as reached`);
    assert.deepEqual(await left(bench.accountId), { bounces: 1, reached: [young] });
    assert.deepEqual(await left(patient), { bounces: 3, reached: [old, young].sort() });
  });
});
