import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, type Compose, composeSimply, createBench } from "../support/delivery.ts";
import { until } from "../support/until.ts";

/** The composer waits this long as if another thread composed, so this thread is free meanwhile. */
const SLOW_MS = 100;

describe("content that takes long to compose", () => {
  let bench: Bench;
  /** The largest number of recipients composed at a time, of slow content that is known as such. */
  let most = 0;
  let atOnce = 0;
  const compose: Compose = async (source) => {
    const { subject } = source.revision as { subject: string };
    const many = await composeSimply(source);
    if (subject !== "Slow") return many;
    const known = new Set<string>();
    return async (recipients, sourceId) => {
      atOnce++;
      if (known.has(sourceId)) most = Math.max(most, recipients.length);
      await sleep(SLOW_MS * recipients.length);
      known.add(sourceId);
      atOnce--;
      return many(recipients);
    };
  };
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
    await bench.startSender(compose);
  });
  after(() => bench.stop());

  async function launch(subject: string, count: number, accountId = bench.accountId): Promise<string> {
    const listId = await bench.addList(accountId);
    const emails = Array.from({ length: count }, (_, n) => `p${n}@${listId}.example`);
    await bench.addSubscribers(emails, listId, accountId);
    return bench.launch({ audience: { listId, segmentId: null }, revision: { subject } }, accountId);
  }

  test("keeps nobody waiting who sends through the same transport, and gets on itself", async () => {
    const slowAccount = await bench.addAccount();
    const slow = await Promise.all([1, 2, 3].map(() => launch("Slow", 300, slowAccount)));
    await until(() => atOnce >= 2);
    const startedMs = performance.now();
    const plain = await launch("Plain", 2_000);
    await until(() => bench.ended.has(plain));
    const seconds = (performance.now() - startedMs) / 1_000;
    // It would take longer if the first fifty recipients of each slow campaign held it up.
    assert.ok(seconds < 5, `${seconds.toFixed(1)} s; it is about one`);
    assert.equal((await bench.counts(plain)).sent, 2_000);
    const sentOf = async (id: string) => (await bench.counts(id, slowAccount)).sent;
    await until(async () => (await Promise.all(slow.map(sentOf))).every((sent) => sent >= 55));
    assert.ok(most <= 5, `${most} were composed at a time`);
  });
});
