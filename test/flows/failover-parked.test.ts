/** Rows that were put off while a server failed: they go by the next at once, and the move doesn't wait for them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { leaveTransport } from "../../src/delivery/failover/failover.ts";
import { sql } from "../../src/platform/db/db.ts";
import { useFailover } from "../support/failover.ts";
import { until } from "../support/until.ts";

const PARKED = 11_000;

describe("failover, with many rows that were put off", () => {
  const ground = useFailover();
  const { start, order, addPeople, launch, transportOf, isOut } = ground;

  test("commits while a row is held by somebody else, and a job brings them forward in pieces", async () => {
    const [a, b] = [await start(), await start()];
    const [first = "", second = ""] = await order([a, b]);
    await addPeople(PARKED);
    const id = await launch();
    const { accountId, bench } = ground;
    const { db, clock, log } = bench;
    await until(async () => (await bench.counts(id, accountId)).recipients === PARKED);
    const later = new Date(clock.now().getTime() + 120_000);
    await db.execute(sql`update deliveries set state = 'deferred' where source_id = ${id}`);
    await db.execute(sql`delete from batches where source_id = ${id}`);
    await db.execute(sql`
      insert into retries (account_id, source_id, contact_id, due_at)
      select account_id, source_id, contact_id, ${later} from deliveries where source_id = ${id}`);
    const { contact_id: answered } = await db.one<{ contact_id: string }>(sql`
      update deliveries set code = 451 where source_id = ${id}
        and contact_id = (select min(contact_id::text)::uuid from deliveries where source_id = ${id}) returning contact_id`);
    const dueLater = () =>
      db.many<{ contact_id: string }>(
        sql`select contact_id from retries where source_id = ${id} and due_at = ${later}`,
      );

    const { version } = await db.one<{ version: number }>(
      sql`select version from transports where id = ${first}`,
    );
    const left = {
      accountId,
      transportId: first,
      version,
      source: { id, stream: "campaign" },
      reason: "unreachable",
      detail: "gone",
    } as const;
    const locked = Promise.withResolvers<string>();
    const over = Promise.withResolvers<void>();
    const holding = db.transaction(async (tx) => {
      const row = await tx.one<{ contact_id: string }>(sql`
        select contact_id from retries where source_id = ${id} and contact_id <> ${answered} order by contact_id desc limit 1 for update`);
      locked.resolve(row.contact_id);
      await over.promise;
    });
    try {
      const held = await locked.promise;
      const moved = leaveTransport({ db, clock, log, relay: undefined }, left);
      assert.equal(await Promise.race([moved, sleep(8_000, "waits", { ref: false })]), true);
      assert.deepEqual([await transportOf(id), await isOut(first)], [second, true]);
      // What somebody is about to send is left to them.
      await until(async () => (await dueLater()).length === 2);
      assert.deepEqual(new Set((await dueLater()).map((one) => one.contact_id)), new Set([held, answered]));
    } finally {
      over.resolve();
      await holding;
    }
  });
});
