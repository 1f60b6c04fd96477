/** Servers that let us in and then lose mail, and those that were alone in their order, over real SMTP. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setOrder } from "../../src/delivery/transports/orders.ts";
import { updateTransport } from "../../src/delivery/transports/transports.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { CONNECTIONS, FAILOVER_MS, failoverTools, useFailover } from "../support/failover.ts";
import { until } from "../support/until.ts";

describe("failover", () => {
  const ground = useFailover();
  const { start, startLiar, send, ctx, order, addPeople, launch, isEnded, got, outOf, isOut, transportOf } =
    ground;

  test("a server that takes recipients and then drops the connection at the dot is left, and nobody gets a mail twice", async () => {
    let dropped = 0;
    const [liar, b] = [await startLiar(() => dropped++), await start()];
    const [first = "", second = ""] = await order([liar, b]);
    const people = await addPeople(100);
    await send();
    const id = await launch({ onAmbiguous: "hold" });
    const launchedMs = performance.now();
    await until(() => b.received.length > 0);
    const tookMs = performance.now() - launchedMs;
    assert.ok(tookMs <= FAILOVER_MS, `${tookMs} ms`);
    await isEnded(id);
    const { sent, unknown, failed } = await ground.bench.counts(id, ground.accountId);
    assert.deepEqual([sent, unknown, failed], [people.length - dropped, dropped, 0]);
    assert.equal(got(b).length, new Set(got(b)).size);
    assert.ok(dropped <= 6 * CONNECTIONS, `${dropped} were dropped`);
    assert.deepEqual([(await outOf(first)).out_reason, await transportOf(id)], ["unreachable", second]);
  });

  test("mail that waits for a server that was alone leaves soon by one that is added to its order", async () => {
    const [a, b] = [await start(), await start()];
    const [first = ""] = await order([a]);
    a.kill();
    const people = await addPeople(40);
    await send(2);
    const id = await launch();
    // The pauses between attempts have grown by then, and most rows are parked.
    await sleep(20_000);
    const [second = ""] = await order([b]);
    const names = [first, second].map((one) => toPublicId("trn", one));
    await ctx((one) => setOrder(one, "campaign", names, false));
    const changedMs = performance.now();
    await until(() => b.received.length > 0);
    const tookMs = performance.now() - changedMs;
    assert.ok(tookMs <= FAILOVER_MS, `${tookMs} ms`);
    await isEnded(id);
    assert.deepEqual([got(b), await transportOf(id)], [people.sort(), second]);
  });

  test("an edit of anything but how a server is reached leaves it out", async () => {
    const [first = ""] = await order([await start(), await start()]);
    await ground.bench.db.execute(
      sql`update transports set out_since = now(), out_reason = 'unreachable' where id = ${first}`,
    );
    const edit = (patch: object) =>
      ctx((one) => updateTransport(one, failoverTools, first, patch, undefined));
    for (const patch of [
      { max_connections: 7 },
      { rate_per_second: 5 },
      { max_per_day: 50 },
      { name: "B" },
    ]) {
      await edit(patch);
      assert.equal(await isOut(first), true, Object.keys(patch).join());
    }
    await edit({ ehlo_name: "mail.example.com" });
    assert.equal(await isOut(first), false);
  });
});
