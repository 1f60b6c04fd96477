/** A server that lets us in and says 421 to each mail, over real SMTP: it is left soon, or after a minute where it took mail before. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { useFailover } from "../support/failover.ts";
import { until } from "../support/until.ts";

/** Senders count minutes by the monotonic clock, which runs ahead here. */
const TIMES = 4;
const clock: Clock = { now: () => systemClock.now(), monotonicMs: () => systemClock.monotonicMs() * TIMES };

describe("failover, where a server puts each mail off", () => {
  const ground = useFailover({ clock });
  const { start, startScripted, send, order, addPeople, launch, isEnded, got, isOut, outOf, transportOf } =
    ground;

  test("everybody gets the mail by the next within 15 seconds, where the server took none", async () => {
    const busy = await startScripted({ MAIL: "421 4.3.2 Service not available" });
    const next = await start();
    const [first = "", second = ""] = await order([busy, next]);
    const people = await addPeople(40);
    const beganMs = performance.now();
    await send();
    const id = await launch();
    await until(() => isOut(first));
    const tookMs = (performance.now() - beganMs) * TIMES;
    assert.ok(tookMs >= 8_000, `it was left after ${tookMs} ms`);
    assert.equal((await outOf(first)).out_reason, "unreachable");
    await isEnded(id);
    assert.deepEqual([got(next), await transportOf(id)], [people.sort(), second]);
  });

  test("one that took mail and then puts all off has a minute", async () => {
    const busy = await startScripted({
      MAIL: ["250 ok", "250 ok", "250 ok", "421 4.7.0 too many messages"],
    });
    const next = await start();
    const [first = "", second = ""] = await order([busy, next]);
    const people = await addPeople(40);
    await send();
    const id = await launch();
    await until(() => busy.messages.length === 3);
    const beganMs = performance.now();
    await until(() => isOut(first), 60_000);
    const tookMs = (performance.now() - beganMs) * TIMES;
    assert.ok(tookMs >= 55_000, `it was left after ${tookMs} ms`);
    await isEnded(id);
    assert.equal(got(next).length, people.length - 3);
    assert.equal(await transportOf(id), second);
  });
});
