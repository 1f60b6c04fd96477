import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createTestClock } from "../../../test/support/clock.ts";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { planSlice } from "../planning/plan.ts";
import { createDomainReader, MOST_DOMAINS } from "./by-domain.ts";

let bench: Bench;
const clock = createTestClock(new Date());
before(async () => {
  bench = await createBench();
});
after(() => bench.stop());

function ctx(): Ctx {
  const { db, accountId, log } = bench;
  return { sql: db, accountId, actor: { kind: "system", id: null }, clock, log };
}

async function planned(emails: readonly string[]): Promise<string> {
  const listId = await bench.addList();
  await bench.addSubscribers(emails, listId);
  const sourceId = await bench.launch({ audience: { listId, segmentId: null } });
  while (await planSlice(bench, bench.accountId, sourceId));
  return sourceId;
}

it("who asks at once or soon gets the same count, and a new one after a while", async () => {
  const sourceId = await planned(["ada@example.com"]);
  const read = createDomainReader();
  const [one, other] = await Promise.all([read(ctx(), sourceId), read(ctx(), sourceId)]);
  assert.equal(one, other);
  clock.advance(900);
  assert.equal(await read(ctx(), sourceId), one);
  clock.advance(200);
  assert.notEqual(await read(ctx(), sourceId), one);
});

it("only the largest domains are told apart", async () => {
  const emails = Array.from({ length: MOST_DOMAINS + 30 }, (_, at) => `p@d${at}.example`);
  const sourceId = await planned([...emails, "q@d229.example", "r@d229.example"]);
  const { domains } = await createDomainReader()(ctx(), sourceId);
  assert.equal(domains.length, MOST_DOMAINS + 1);
  const byName = new Map(domains.map((one) => [one.domain, one.recipients]));
  assert.deepEqual([byName.get("d229.example"), byName.get("d0.example"), byName.get("")], [3, 1, 30]);
});

it("of very many, for whom the whole list is read, the counts are the same", async () => {
  const emails = Array.from(
    { length: 20_100 },
    (_, at) => `p${at}@${at % 3 === 0 ? "third" : "most"}.example`,
  );
  const sourceId = await planned(emails);
  await bench.db.execute(sql`
    update deliveries set state = 'failed', why = 'soft_bounce' where source_id = ${sourceId} and subscriber_id in (
      select id from subscribers where email in ('p0@third.example', 'p1@most.example'))`);
  await bench.db.execute(sql`delete from subscribers where email in ('p3@third.example', 'p4@most.example')`);
  const { domains } = await createDomainReader()(ctx(), sourceId);
  const byName = new Map(domains.map((one) => [one.domain, [one.recipients, one.failed, one.soft]]));
  assert.deepEqual(byName.get("third.example"), [6_699, 1, 1]);
  assert.deepEqual(byName.get("most.example"), [13_399, 1, 1]);
  assert.deepEqual([byName.get(""), byName.size], [[2, 0, 0], 3]);
});
