import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { type KeptThread, keepThread } from "../../src/platform/workers/threads.ts";
import { assertAgree, type Bench, countTwice, createBench } from "../support/delivery.ts";
import { until } from "../support/until.ts";

describe("a message whose composing stands still", () => {
  let bench: Bench;
  let thread: KeptThread;
  let hostile: string;
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
    hostile = await bench.addAccount();
    const url = new URL("../support/poison-thread.ts", import.meta.url);
    const workerData = { connection: bench.url };
    thread = keepThread({ url, workerData, log: bench.log, name: "a sender", stillMs: 2_000 });
  });
  after(async () => {
    await thread.stop("stop", 5_000);
    await bench.stop();
  });

  async function audienceOf(accountId: string, emails: readonly string[]) {
    const listId = await bench.addList(accountId);
    await bench.addSubscribers(emails, listId, accountId);
    return { listId, segmentId: null };
  }
  const people = (count: number, domain: string) =>
    Array.from({ length: count }, (_, n) => `person${n}@${domain}`);
  const stateOf = async (id: string) =>
    await bench.db.one<{ state: string; reason: string | null }>(
      sql`select state, reason from sources where id = ${id}`,
    );

  test("fails by itself: the rest of its batch is sent once, and so is another account's mail", async () => {
    const bad = await audienceOf(hostile, ["boom@hostile.example", ...people(59, "hostile.example")]);
    const good = await audienceOf(bench.accountId, people(300, "innocent.example"));
    const badId = await bench.launch({ audience: bad }, hostile);
    const goodId = await bench.launch({ audience: good });
    await until(async () => (await stateOf(badId)).state === "finished");
    await until(async () => (await stateOf(goodId)).state === "finished");
    const counts = await bench.counts(badId, hostile);
    assert.deepEqual([counts.sent, counts.failed], [59, 1]);
    assert.equal((await bench.counts(goodId)).sent, 300);
    assertAgree(await countTwice(bench, hostile, badId));
    assertAgree(await countTwice(bench, bench.accountId, goodId));
    const failed = await bench.db.many(sql`
      select s.email, d.why, d.reply from deliveries d join subscribers s on s.id = d.subscriber_id
      where d.source_id in (${badId}, ${goodId}) and d.state = 'failed'`);
    const reply = "sender_ended: composing this message ended its sender twice";
    assert.deepEqual(failed, [{ email: "boom@hostile.example", why: "unrenderable", reply }]);
    const twice = await bench.db.many(sql`
      select contact_id from sandbox_messages where owner_id in (${badId}, ${goodId})
      group by contact_id having count(*) > 1
      except select contact_id from deliveries where source_id in (${badId}, ${goodId}) and attempt > 1`);
    assert.deepEqual(twice, []);
  });

  test("when its content is only prepared fails its source, and another account's mail is sent", async () => {
    const bad = await audienceOf(hostile, people(20, "still.example"));
    const good = await audienceOf(bench.accountId, people(50, "quick.example"));
    const revision = { subject: "stands still when prepared" };
    const badId = await bench.launch({ audience: bad, revision }, hostile);
    const goodId = await bench.launch({ audience: good });
    await until(async () => (await stateOf(badId)).state === "failed");
    assert.match((await stateOf(badId)).reason ?? "", /preparing its content ended its sender twice/);
    await until(async () => (await stateOf(goodId)).state === "finished");
    assert.equal((await bench.counts(goodId)).sent, 50);
    assert.equal((await bench.counts(badId, hostile)).queued, 20, "nobody of it is lost");
  });
});
