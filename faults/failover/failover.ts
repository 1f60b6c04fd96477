/**
 * A relay dies in mid-campaign, and a sender dies by `kill -9` at the moment at which the mail moves to the next relay: by the logs of both
 * relays nobody is lost, nobody gets a mail twice but who was on the wire, and the next relay has mail within 15 s.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../../bench/harness/bench.ts";
import { setOrder } from "../../src/delivery/transports/orders.ts";
import { createTransport } from "../../src/delivery/transports/transports.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { testSenderOptions } from "../../test/support/delivery.ts";
import { nowMs } from "../../test/support/sink/log.ts";
import { type Sink, type SinkLog, startSink } from "../../test/support/sink/sink.ts";
import { until } from "../../test/support/until.ts";
import { atMost, exactly, type Fault, type Setting } from "../fault.ts";
import { type Cut, judge, ranMs } from "../judge.ts";
import { type Campaign, createTestbed, describeStalls, onlyTo, type Testbed } from "../testbed.ts";
import { startRelayProxy } from "./relay-proxy.ts";

type FailoverSizes = { readonly people: number; readonly senders: number };

/** A transport is lost to its senders within this time, however long that takes them. */
const FAILOVER_SECONDS = 15;

export const failoverFault: Fault = {
  name: "failover",
  summary: "a relay dies in mid-campaign, and a sender while the mail moves to the next relay",
  run: (setting) => loseRelay(setting, { people: setting.full ? 100_000 : 20_000, senders: 3 }),
};

export async function* loseRelay(setting: Setting, sizes: FailoverSizes): AsyncIterable<Result> {
  const testbed = await createTestbed();
  const first = await startSink();
  const proxy = await startRelayProxy(first.port);
  try {
    // The delay makes sure that some message is under way at any moment.
    for (const sink of [first, testbed.sink]) await sink.misbehave([{ at: "dot", delayMs: 5 }], setting.seed);
    const firstId = await putInOrder(testbed, proxy.port);
    const where = { hasInstanceServer: false, isSandbox: false, ownHost: "127.0.0.1" };
    const half = Math.ceil(sizes.people / 2);
    const resend = await testbed.launch(half, { ...where, onAmbiguous: "resend" });
    const hold = await testbed.launch(half, { ...where, onAmbiguous: "hold" });
    const senders = await Promise.all(
      Array.from({ length: sizes.senders }, () => testbed.startSender({ connections: 8 })),
    );
    await first.until("mail by the first relay", ({ taken }) => taken >= sizes.people / 5);
    proxy.kill();
    const lostMs = nowMs();
    setting.note("failover: the first relay is dead");
    await untilOut(testbed, firstId);
    senders[0]?.signal("SIGKILL");
    const killed = await senders[0]?.ended;
    setting.note("failover: a sender is dead");
    await testbed.startSender({ connections: 8 });
    const hasEnded = [await testbed.ends(resend, 60_000), await testbed.ends(hold, 60_000)];
    setting.note(`failover: ended: ${hasEnded.join(", ")}`);
    const cutsMs = [lostMs, killed?.atMs ?? lostMs];
    yield* report(setting, testbed, first, cutsMs, { resend, hold });
  } finally {
    proxy.kill();
    await first.stop();
    await testbed.stop();
  }
}

/** Makes two transports, the relay behind the proxy first, and returns the first. */
async function putInOrder({ bench, sink }: Testbed, port: number): Promise<string> {
  const tools = { ...testSenderOptions, internalHosts: ["127.0.0.1"] };
  const make = (name: string, at: number) =>
    bench.ctx((ctx) =>
      createTransport(ctx, tools, { name, host: "127.0.0.1", port: at, tls: "never", max_connections: 8 }),
    );
  const ids = [(await make("First", port)).id, (await make("Second", sink.port)).id];
  const names = ids.map((id) => toPublicId("trn", id));
  await bench.ctx((ctx) => setOrder(ctx, "campaign", names, false));
  return ids[0] ?? "";
}

/** Waits until the first sender has put the transport out, and moved its batches in the same transaction. */
async function untilOut({ bench }: Testbed, transportId: string): Promise<void> {
  const isOut = async () =>
    (await bench.db.many(sql`select from transports where id = ${transportId} and out_since is not null`))
      .length > 0;
  await until(isOut, 60_000);
  await sleep(20);
}

async function* report(
  setting: Setting,
  testbed: Testbed,
  first: Sink,
  [lostMs = 0, killedMs = 0]: readonly number[],
  { resend, hold }: { resend: Campaign; hold: Campaign },
): AsyncIterable<Result> {
  const [before, after] = [await first.log(), await testbed.sink.log()];
  const log = joinLogs(before, after);
  const clients = [...new Set(log.bodies.map(({ client }) => client))];
  // All senders give the same name, that of the transport. What the second relay got later than the first one's end is no part of it.
  const cuts: Cut[] = clients.flatMap((client) => [
    { client, atMs: lostMs, upToMs: lostMs },
    { client, atMs: killedMs, upToMs: killedMs },
  ]);
  const circumstances = { slack: setting.slack, stalls: testbed.stalls() };
  const resent = judge(onlyTo(log, resend), resend.people, cuts, circumstances);
  const held = judge(onlyTo(log, hold), hold.people, cuts, circumstances);
  const named = new Set(await testbed.whoIs(hold, "unknown"));
  const firstMs = Math.min(...after.bodies.map(({ begunMs }) => begunMs));
  const tookMs = ranMs(lostMs, firstMs, testbed.stalls());
  yield atMost("failover: the next relay has mail after", tookMs / 1_000, FAILOVER_SECONDS, "s", [
    describeStalls(testbed.stalls()),
    `${before.bodies.length} bodies began at the first relay, ${after.bodies.length} at the second`,
    `a sender was killed ${((killedMs - lostMs) / 1_000).toFixed(1)} s after the relay`,
  ]);
  yield exactly("failover: lost", resent.lost.length, 0, "recipients", resent.lost.slice(0, 5));
  yield atMost("failover: duplicates", resent.duplicates, resent.onWire, "messages");
  yield exactly(
    "failover: duplicates of what wasn't on the wire",
    resent.unexcused.length,
    0,
    "messages",
    resent.unexcused.slice(0, 5),
  );
  yield exactly("failover: held, duplicates", held.duplicates, 0, "messages", held.unexcused.slice(0, 5));
  const unnamed = held.lost.filter((to) => !named.has(to));
  yield exactly("failover: held, unresolved and not named", unnamed.length, 0, "recipients", [
    `${named.size} are named`,
    ...unnamed.slice(0, 5),
  ]);
  const miscounted = await testbed.miscounted();
  yield exactly("failover: counts that differ", miscounted.length, 0, "counts", miscounted.slice(0, 5));
}

function joinLogs(one: SinkLog, other: SinkLog): SinkLog {
  return {
    bodies: [...one.bodies, ...other.bodies].sort((a, b) => a.begunMs - b.begunMs),
    refusals: [...one.refusals, ...other.refusals],
    faults: [...one.faults, ...other.faults],
    connections: one.connections + other.connections,
  };
}
