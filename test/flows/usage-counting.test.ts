/** Usage is counted while mail is sent, and equals a recount of the ledger at any instant. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTransport } from "../../src/delivery/transports/transports.ts";
import { rollUp } from "../../src/delivery/usage/roll-up.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Bench, composeSimply, createBench, people, testSenderOptions } from "../support/delivery.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";
import { assertUsageAgrees, usageOf } from "../support/usage.ts";

const HOUR_MS = 3_600_000;

/** Of a hundred people one doesn't exist, and ten are put off once; all others are accepted. */
function answerOf(to: string, putOff: Set<string>): string {
  const nth = Number(/^person(\d+)@/.exec(to)?.[1]);
  if (nth % 100 === 0) return "550 5.1.1 User unknown";
  if (nth % 10 !== 1 || putOff.has(to)) return "250 ok";
  putOff.add(to);
  return "451 4.7.1 Later";
}

describe("counting usage", () => {
  let bench: Bench;
  let server: ScriptedServer;
  before(async () => {
    bench = await createBench({ hasRelay: true });
    await bench.startJobs();
    const putOff = new Set<string>();
    server = await startScriptedServer({
      RCPT: (peer) =>
        peer.write(`${answerOf(/<(.*)>/.exec(server.lines.at(-1) ?? "")?.[1] ?? "", putOff)}\r\n`),
      DATA: (peer) => {
        peer.write("354 go on\r\n");
        return "body";
      },
    });
  });
  after(async () => {
    await bench.stop();
    await server.close();
  });

  const start = () =>
    bench.startSender(composeSimply, {
      relay: { host: "127.0.0.1", port: server.port, backOff: { firstMs: 10, maxMs: 50 } },
      firstRetryMs: 100,
      internalHosts: ["127.0.0.1"],
    });
  /** Compares usage and ledger again and again until the source has ended. */
  const agreesUntilEnd = (sourceId: string) =>
    until(async () => {
      await assertUsageAgrees(bench.db);
      return bench.ended.has(sourceId);
    });
  const launchTo = async (emails: readonly string[], accountId: string, more = {}) => {
    const listId = await bench.addList(accountId);
    await bench.addSubscribers(emails, listId, accountId);
    return bench.launch({ audience: { listId, segmentId: null }, ...more }, accountId);
  };

  test("equals the ledger while two senders work and one of them stops; what is refused is free", async () => {
    const accountId = await bench.addAccount();
    const [one, other] = await Promise.all([start(), start()]);
    const sourceId = await launchTo(people(600), accountId);
    await until(async () => (await bench.counts(sourceId, accountId)).sent > 50);
    await one.stop();
    await agreesUntilEnd(sourceId);
    await other.stop();
    const counts = await bench.counts(sourceId, accountId);
    assert.deepEqual([counts.sent, counts.failed], [594, 6]);
    assert.deepEqual(await usageOf(bench.db, accountId), { "campaign instance": 594 });
  });

  test("says by whose server mail left, and nothing of another account", async () => {
    const [own, caught] = [await bench.addAccount(), await bench.addAccount()];
    await bench.ctx(
      (ctx) =>
        createTransport(
          ctx,
          { ...testSenderOptions, internalHosts: ["127.0.0.1"] },
          {
            name: "Own",
            host: "127.0.0.1",
            port: server.port,
            tls: "opportunistic",
            verify_certificate: false,
            streams: ["campaign"],
          },
        ),
      own,
    );
    const sender = await start();
    const sources = [
      await launchTo(people(30), own, { ownHost: "127.0.0.1" }),
      await launchTo(people(20), caught, { isSandbox: true }),
    ];
    for (const id of sources) await agreesUntilEnd(id);
    await sender.stop();
    assert.deepEqual(await usageOf(bench.db, own), { "campaign own": 29 });
    assert.deepEqual(await usageOf(bench.db, caught), { "campaign sandbox": 20 });
  });

  test("is added up over workers after a week, a piece at a time, and goes after three years", async () => {
    const accountId = await bench.addAccount();
    const now = bench.clock.now();
    const ago = (hours: number) => new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - hours * HOUR_MS);
    const add = (hours: number, sent: number, workerId = newId(bench.clock)) =>
      bench.db.execute(sql`
        insert into usage_hours (account_id, hour, stream, via, worker_id, sent)
        values (${accountId}, ${ago(hours)}, 'campaign', 'instance', ${workerId}, ${sent})`);
    for (const sent of [1, 2, 3, 4, 5]) await add(9 * 24, sent);
    await add(9 * 24, 100, "00000000-0000-0000-0000-000000000000");
    await add(2, 7);
    await add(2, 8);
    await add(4 * 365 * 24, 1_000, "00000000-0000-0000-0000-000000000000");
    const rows = () =>
      bench.db.many<{ sent: number }>(sql`
        select sent::int as sent from usage_hours where account_id = ${accountId} order by hour, sent`);
    await rollUp(bench.db, now, { aborted: false }, 2);
    assert.deepEqual(await rows(), [{ sent: 115 }, { sent: 7 }, { sent: 8 }]);
    await rollUp(bench.db, now, { aborted: false }, 2);
    assert.deepEqual(await rows(), [{ sent: 115 }, { sent: 7 }, { sent: 8 }], "once more changes nothing");
    await bench.db.execute(sql`delete from usage_hours where account_id = ${accountId}`);
  });
});
