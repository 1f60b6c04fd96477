import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createTestClock } from "../../../test/support/clock.ts";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { sql } from "../../platform/db/db.ts";
import { planSlice } from "../planning/plan.ts";
import { createErrorReader, groupKinds } from "./errors.ts";

let bench: Bench;
const clock = createTestClock(new Date());
before(async () => {
  bench = await createBench();
});
after(() => bench.stop());

const PEOPLE = 3_000;

it("counts replies that differ in addresses and numbers only as one, and rare ones by what they mean", async () => {
  const { db, accountId, log } = bench;
  const listId = await bench.addList();
  await bench.addSubscribers(
    Array.from({ length: PEOPLE }, (_, n) => `p${n}@d${n % 100}.example`),
    listId,
  );
  const sourceId = await bench.launch({ audience: { listId, segmentId: null } });
  while (await planSlice(bench, accountId, sourceId));
  // Every third mailbox is gone, with a queue id in the reply; every third is slow, in words of its own; and one got lost.
  await db.execute(sql`
    with numbered as (
      select contact_id, row_number() over (order by contact_id) as n from deliveries where source_id = ${sourceId})
    update deliveries d set
      attempt = 1, state = case n % 3 when 0 then 'failed' when 1 then 'deferred' else 'sent' end,
      why = case n % 3 when 0 then 'hard_bounce' end,
      code = case n % 3 when 0 then 550 when 1 then 451 end,
      reply = case n % 3 when 0 then '550 5.1.1 <p' || n || '@d.example>: user unknown, q' || n || 'x9'
                         when 1 then '451 4.7.1 greylisted ' || translate(n::text, '0123456789', 'abcdefghij') end
    from numbered where d.source_id = ${sourceId} and d.contact_id = numbered.contact_id`);
  await db.execute(sql`
    insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, code, reply, at)
    select account_id, source_id, state, contact_id, 1, why, code, reply, now() from deliveries
    where source_id = ${sourceId} and state in ('failed', 'deferred')`);
  await db.execute(sql`
    insert into retries (account_id, source_id, contact_id, due_at)
    select account_id, source_id, contact_id, now() + interval '5 minutes' from deliveries
    where source_id = ${sourceId} and state = 'deferred'`);
  const ctx = { sql: db, accountId, actor: { kind: "system", id: null } as const, clock, log };
  const { groups } = await createErrorReader()(ctx, sourceId);
  assert.deepEqual(groups.map(({ status, bounce, count }) => [status, bounce, count]).sort(), [
    ["deferred", null, PEOPLE / 3],
    ["failed", "hard", PEOPLE / 3],
  ]);
  const gone = groups.find(({ status }) => status === "failed");
  assert.deepEqual([gone?.reason, gone?.replies.length], ["user_unknown", 1]);
  assert.equal(gone?.domains.length, 10, "the domains with the most");
});

it("says of those who were put off before their first attempt that they wait, and not that a connection broke", async () => {
  const { db, accountId, log } = bench;
  const listId = await bench.addList();
  await bench.addSubscribers(["a@slow.example", "b@slow.example", "c@slow.example"], listId);
  const sourceId = await bench.launch({ audience: { listId, segmentId: null } });
  while (await planSlice(bench, accountId, sourceId));
  // The last one was tried, and lost its connection.
  await db.execute(sql`
    with numbered as (
      select contact_id, row_number() over (order by contact_id) as n from deliveries where source_id = ${sourceId})
    update deliveries d set state = 'deferred', attempt = case n when 3 then 1 else 0 end,
      reply = case n when 3 then 'connection reset' end
    from numbered where d.source_id = ${sourceId} and d.contact_id = numbered.contact_id`);
  await db.execute(sql`
    insert into retries (account_id, source_id, contact_id, due_at)
    select account_id, source_id, contact_id, now() + interval '5 minutes' from deliveries where source_id = ${sourceId}`);
  const ctx = { sql: db, accountId, actor: { kind: "system", id: null } as const, clock, log };
  const { groups } = await createErrorReader()(ctx, sourceId);
  assert.deepEqual(
    groups.map(({ status, reason, count }) => [status, reason, count]),
    [
      ["deferred", "waiting_turn", 2],
      ["deferred", "network_error", 1],
    ],
  );
});

it("names what no server said as the ledger does", () => {
  const kind = {
    status: "failed",
    code: null,
    domain: "a.example",
    count: 1,
    nextTryAt: null,
    sample: null,
  } as const;
  const reasons = (["expired", "unrenderable", null] as const).map(
    (why) => groupKinds([{ ...kind, why }])[0]?.reason,
  );
  assert.deepEqual(reasons, ["expired", "unrenderable", "network_error"]);
});
