/** Servers that neither take mail nor refuse it: each is left for the next one in the order, over real SMTP. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { leaveTransport } from "../../src/delivery/failover/failover.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { FAILOVER_MS, useFailover } from "../support/failover.ts";
import { type Script, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

const hangUp = (reply: string) => (peer: Socket) => peer.end(`${reply}\r\n`);
/** Says a part of its greeting every second, and never its end. */
const drip = (text: string) => (peer: Socket) => {
  const timer = setInterval(() => (peer.writable ? peer.write(text) : clearInterval(timer)), 1_000);
  peer.once("close", () => clearInterval(timer));
};

const LIARS: Readonly<Record<string, Script>> = {
  "says 421 to each connection": { greeting: hangUp("421 too many connections") },
  "says 421 to EHLO": { EHLO: hangUp("421 going down") },
  "greets and is silent from then on": { EHLO: () => undefined },
  "greets with a megabyte": { greeting: `220-${"x".repeat(1_000_000)}\r\n220 test` },
  "never ends its greeting": { greeting: drip("220-test\r\n") },
};

describe("a server that", () => {
  const ground = useFailover();
  for (const [name, script] of Object.entries(LIARS))
    test(`${name} is left for the next within 15 s, and everybody gets one mail`, async () => {
      const liar = await startScriptedServer(script);
      try {
        const next = await ground.start();
        const [first = ""] = await ground.order([liar, next]);
        const people = await ground.addPeople(20);
        await ground.send();
        const id = await ground.launch();
        const launchedMs = performance.now();
        await until(() => next.received.length > 0);
        const tookMs = performance.now() - launchedMs;
        assert.ok(tookMs <= FAILOVER_MS, `${tookMs} ms`);
        await ground.isEnded(id);
        assert.deepEqual(ground.got(next), people.sort());
        assert.equal((await ground.outOf(first)).out_reason, "unreachable");
      } finally {
        await liar.close();
      }
    });

  test("puts one sender off while it takes another's mail isn't left", async () => {
    const [first = ""] = await ground.order([await ground.start(), await ground.start()]);
    await ground.addPeople(1);
    const id = await ground.launch();
    const { db } = ground.bench;
    const takenAt = (secondsAgo: number) =>
      db.execute(sql`
        insert into rates (account_id, source_id, worker_id, per_second, measured_at)
        values (${ground.accountId}, ${id}, ${newId(systemClock)}, 3, now() - make_interval(secs => ${secondsAgo}::int))`);
    const tools = {
      db,
      clock: systemClock,
      log: createLog({ level: "silent", pretty: false }),
      relay: undefined,
    };
    const { version } = await db.one<{ version: number }>(
      sql`select version from transports where id = ${first}`,
    );
    const leave = () =>
      leaveTransport(tools, {
        accountId: ground.accountId,
        transportId: first,
        version,
        source: { id, stream: "campaign" },
        reason: "put_off",
        detail: "too many connections",
      });
    await takenAt(-60);
    assert.deepEqual([await leave(), await ground.isOut(first)], [true, false]);
    await db.execute(sql`delete from rates`);
    await takenAt(60);
    assert.deepEqual([await leave(), await ground.isOut(first)], [true, true]);
  });
});
