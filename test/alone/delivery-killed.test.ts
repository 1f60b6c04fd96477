import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { assertAgree, type Bench, countTwice, createBench } from "../support/delivery.ts";
import { addStrangers, openGiven } from "../support/given.ts";
import { until } from "../support/until.ts";
import { assertUsageAgrees } from "../support/usage.ts";

describe("a sender that is killed", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
  });
  after(() => bench.stop());

  test("is taken over within 15 s: nobody is lost, and nobody gets it twice that wasn't on the wire", async () => {
    const emails = Array.from({ length: 900 }, (_, n) => `person${n}@killed.example`);
    await bench.addSubscribers(emails);
    await killOne(async () => {
      const id = await bench.launch();
      return { id, ownerId: id };
    });
  });

  test("loses nobody of a source that is given its recipients, and that was closed meanwhile", async () => {
    const emails = Array.from({ length: 900 }, (_, n) => `stranger${n}@killed.example`);
    await killOne(async () => {
      const source = await openGiven(bench);
      await source.add(await addStrangers(bench, emails));
      await source.close();
      return source;
    });
  });

  /** What `launch` begins is sent to 900 people by a sender that is killed in the midst, and by another after it. */
  async function killOne(launch: () => Promise<{ id: string; ownerId: string }>): Promise<void> {
    const program = new URL("../support/sender-process.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, bench.url], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const lines = createInterface({ input: child.stdout });
      const { id, ownerId } = await launch();
      const stuck = new Promise<void>((resolve) => lines.on("line", (line) => line === "stuck" && resolve()));
      await stuck;
      await assertUsageAgrees(bench.db);
      child.kill("SIGKILL");
      await once(child, "exit");
      const killedMs = performance.now();
      const leases = () =>
        bench.db.one<{ held: number }>(sql`
          select count(*) as held from batches b join workers w on w.id = b.worker_id and w.epoch = b.epoch`);
      assert.ok((await leases()).held > 0, "it had batches");
      const sender = await bench.startSender();
      await until(async () => {
        await assertUsageAgrees(bench.db);
        return bench.ended.has(ownerId);
      });
      await sender.stop();
      const seconds = (performance.now() - killedMs) / 1_000;
      assert.ok(seconds < 20, `it took ${seconds.toFixed(1)} s, of which 15 until the take-over`);
      assertAgree(await countTwice(bench, bench.accountId, ownerId));
      assert.equal((await bench.counts(ownerId)).sent, 900);
      const twice = await bench.db.many(sql`
        select contact_id from sandbox_messages m where owner_id = ${ownerId} group by contact_id having count(*) > 1
        except select contact_id from deliveries where source_id = ${id} and attempt > 1`);
      assert.deepEqual(twice, []);
    } finally {
      child.kill("SIGKILL");
    }
  }
});
