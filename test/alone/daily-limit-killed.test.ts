/** A sender is killed with mails of a limited day drawn and not sent: they are lost for that day, and the limit isn't passed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { noteReviewed } from "../../src/accounts/accounts.ts";
import { sql } from "../../src/platform/db/db.ts";
import { assertAgree, composeSimply, countTwice, createBench, people } from "../support/delivery.ts";
import { startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

test("a killed sender loses what it drew, and the others never pass the limit of the day", async (t) => {
  const bench = await createBench({ hasRelay: true });
  t.after(() => bench.stop());
  await bench.startJobs();
  const server = await startScriptedServer();
  t.after(() => server.close());
  const accountId = await bench.addAccount({ isNew: true });
  await bench.ctx(({ sql: tx }) => noteReviewed(tx, accountId, bench.clock.now()));
  const listId = await bench.addList(accountId);
  await bench.addSubscribers(people(400), listId, accountId);
  const program = new URL("../support/sender-process.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [program, bench.url, String(server.port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout });
  const stuck = new Promise<void>((resolve) => lines.on("line", (line) => line === "stuck" && resolve()));
  const id = await bench.launch({ audience: { listId, segmentId: null } }, accountId);
  await stuck;
  await until(async () => (await bench.counts(id, accountId)).sent > 0);
  child.kill("SIGKILL");
  await once(child, "exit");

  const relay = { host: "127.0.0.1", port: server.port };
  await bench.startSender(composeSimply, { relay });
  const readDay = () =>
    bench.db.one<{ drawn: number }>(sql`select drawn from account_days where account_id = ${accountId}`);
  await until(async () => (await readDay()).drawn === 200);
  await sleep(15_000);
  assert.equal(
    (await readDay()).drawn,
    200,
    "the batches of the dead one were taken over, and drew nothing more",
  );
  const bodies = server.messages.filter((message) => message.length > 0).length;
  assert.ok(bodies < 200, `${bodies} left, and what was composed when it died is lost for the day`);
  const { sent, queued, recipients } = await bench.counts(id, accountId);
  assert.ok(sent <= bodies, "what was on the wire when it died may have left, and goes again another day");
  assert.equal(sent + queued, recipients, "nobody is lost");
  assertAgree(await countTwice(bench, accountId, id));
});
