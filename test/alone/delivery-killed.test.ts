import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { assertAgree, type Bench, countTwice, createBench } from "../support/delivery.ts";
import { until } from "../support/until.ts";

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
    const program = new URL("../support/sender-process.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, bench.url], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const lines = createInterface({ input: child.stdout });
      const id = await bench.launch();
      const stuck = new Promise<void>((resolve) => lines.on("line", (line) => line === "stuck" && resolve()));
      await stuck;
      child.kill("SIGKILL");
      await once(child, "exit");
      const killedMs = performance.now();
      const leases = () =>
        bench.db.one<{ held: number }>(sql`
          select count(*) as held from batches b join workers w on w.id = b.worker_id and w.epoch = b.epoch`);
      assert.ok((await leases()).held > 0, "it had batches");
      await bench.startSender();
      await until(() => bench.ended.has(id), 40_000);
      const seconds = (performance.now() - killedMs) / 1_000;
      assert.ok(seconds < 20, `it took ${seconds.toFixed(1)} s, of which 15 until the take-over`);
      assertAgree(await countTwice(bench, bench.accountId, id));
      assert.equal((await bench.counts(id)).sent, 900);
      const twice = await bench.db.many(sql`
        select contact_id from sandbox_messages m where owner_id = ${id} group by contact_id having count(*) > 1
        except select contact_id from deliveries where source_id = ${id} and attempt > 1`);
      assert.deepEqual(twice, []);
    } finally {
      child.kill("SIGKILL");
    }
  });
});
