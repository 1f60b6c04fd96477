/** What a person opened or clicked has arrived, so that a row of the ledger which is unknown is settled by it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertAgree, type Bench, countTwice, createBench, people } from "../../../test/support/delivery.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { insertHits } from "../hits/hit-store.ts";
import { askedOfOthers } from "./counter.fixture.ts";
import { countSlice } from "./counter.ts";

describe("opens and clicks of mail that is unknown to have left", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench.stop());

  test("settle it where a person did them", async () => {
    const { db, clock, accountId, listId } = bench;
    const sourceId = newId(clock);
    await bench.addSubscribers(people(4));
    await db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, state, revision_id, list_id, on_ambiguous, launched_at)
      values (${accountId}, ${sourceId}, ${sourceId}, 'campaign', 'finished', ${newId(clock)}, ${listId}, 'hold', ${clock.now()})`);
    await db.execute(sql`
      insert into plans (account_id, source_id, bound_at, estimate, recipients, eligible, ended_at)
      values (${accountId}, ${sourceId}, ${clock.now()}, 4, 4, 4, ${clock.now()})`);
    await db.execute(sql`
      insert into counters (account_id, source_id, worker_id, what, count)
      values (${accountId}, ${sourceId}, ${newId(clock)}, 'unknown', 4)`);
    const rows = await db.many<{ id: string }>(sql`
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
      select account_id, ${sourceId}, contact_id, id, 'campaign', ${newId(clock)}, 'unknown', 1, ${clock.now()}
      from subscribers where account_id = ${accountId} and list_id = ${listId} returning contact_id as id`);
    const [opened, clicked, fetched, untouched] = rows.map(({ id }) => id) as [
      string,
      string,
      string,
      string,
    ];
    const hit = (contactId: string, link: number | null, userAgent: string) => ({
      accountId,
      sourceId,
      contactId,
      link,
      at: clock.now(),
      times: 1,
      isHead: false,
      isPrefetch: false,
      hasFrom: false,
      userAgent,
      address: "192.0.2.1",
    });
    const hits = [
      hit(opened, null, "a person"),
      hit(clicked, 0, "a person"),
      hit(fetched, null, "a machine"),
    ];
    for (let n = 0; n < 2; n++) {
      await insertHits(db, { id: newId(clock), hits }, clock.now());
      await countSlice({ db, clock, log: bench.log, ...askedOfOthers }, 0);
    }
    const states = await db.many<{ id: string; state: string; why: string | null }>(sql`
      select contact_id as id, state, why from deliveries where account_id = ${accountId} and source_id = ${sourceId}`);
    const of = (id: string) => states.find((one) => one.id === id);
    assert.deepEqual(of(opened), { id: opened, state: "sent", why: "settled_by_open" });
    assert.deepEqual(of(clicked), { id: clicked, state: "sent", why: "settled_by_click" });
    for (const id of [fetched, untouched]) assert.equal(of(id)?.state, "unknown");
    assertAgree(await countTwice(bench, accountId, sourceId));
  });
});
