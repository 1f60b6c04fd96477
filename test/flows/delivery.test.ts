import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../../src/platform/db/db.ts";
import { assertAgree, type Bench, countTwice, createBench } from "../support/delivery.ts";

const people = (count: number, domain = "example.com") =>
  Array.from({ length: count }, (_, n) => `person${n}@${domain}`);

describe("delivery", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
    await bench.startSender();
    await bench.startSender();
  });
  after(() => bench.stop());

  test("10,000 recipients get one message each, by two senders, and the counts agree all the while", async () => {
    const listId = await bench.addList();
    await bench.addSubscribers(people(10_000), listId);
    const id = await bench.launch({ audience: { listId, segmentId: null } });
    while (!bench.ended.has(id)) {
      assertAgree(await countTwice(bench, bench.accountId, id));
      await sleep(50);
    }
    assert.deepEqual(bench.ended.get(id), { kind: "done" });
    const { recipients, sent, queued } = await bench.counts(id);
    assert.deepEqual({ recipients, sent, queued }, { recipients: 10_000, sent: 10_000, queued: 0 });
    const { attempts, kept } = await bench.db.one<{ attempts: number; kept: number }>(sql`
      select sum(attempt) as attempts, (select count(*) from sandbox_messages where source_id = ${id}) as kept
      from deliveries where source_id = ${id}`);
    assert.equal(attempts, 10_000);
    assert.ok(kept >= 5_000 && kept <= 7_500, `${kept} messages are kept`);
  });
});
