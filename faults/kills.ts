/**
 * Kills senders with `kill -9` at random moments, and at each named point between a lease and the record of an
 * outcome.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import type { FaultPoint } from "../src/delivery/delivery.ts";
import { createRandom } from "../test/support/sink/sink.ts";
import { atMost, exactly, type Fault, type Setting } from "./fault.ts";
import { judge, takeOversMs } from "./judge.ts";
import {
  type Campaign,
  createTestbed,
  describeStalls,
  type Ended,
  onlyTo,
  type SenderProcess,
  type Testbed,
} from "./testbed.ts";

const POINTS: readonly FaultPoint[] = [
  "leased",
  "inflight",
  "before_dot",
  "after_dot",
  "reply",
  "before_outcome",
];

/** A sender dies by a signal of ours after a while, or by killing itself at a named point. */
export type Death =
  | { readonly kind: "random"; readonly afterMs: number }
  | { readonly kind: "point"; readonly point: FaultPoint; readonly nth: number };

export type KillSizes = {
  readonly name: string;
  readonly people: number;
  /** The number of senders that run at once. One that dies is replaced, as a process manager would do. */
  readonly senders: number;
  readonly deaths: readonly Death[];
};

export const killsFault: Fault = {
  name: "kills",
  summary: "kill -9 at random moments and at each named point, with 1 and 3 senders",
  async *run(setting) {
    const people = setting.full ? 100_000 : 20_000;
    const times = setting.full ? 5 : 1;
    for (const senders of [1, 3]) {
      const plural = senders > 1 ? "senders" : "sender";
      const random = drawRandomDeaths(setting.seed + senders, 22 * times);
      yield* killSenders(setting, { name: `${senders} ${plural}, random`, people, senders, deaths: random });
      const named = drawNamedDeaths(setting.seed + senders, 4 * times);
      yield* killSenders(setting, { name: `${senders} ${plural}, named`, people, senders, deaths: named });
    }
  },
};

export function drawRandomDeaths(seed: number, count: number): Death[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => ({ kind: "random", afterMs: random() * 800 }));
}

/**
 * Draws each point equally often. A lease covers hundreds of messages and a group of outcomes many, so those points
 * are reached less often.
 */
export function drawNamedDeaths(seed: number, each: number): Death[] {
  const random = createRandom(seed);
  const mostOf = (point: FaultPoint) => (point === "leased" ? 2 : point === "before_outcome" ? 15 : 250);
  return Array.from({ length: each }, () =>
    POINTS.map((point): Death => {
      return { kind: "point", point, nth: 1 + Math.floor(random() * mostOf(point)) };
    }),
  ).flat();
}

/** Sends two campaigns side by side: one that resends ambiguous messages, and one that holds them. */
export async function* killSenders(setting: Setting, sizes: KillSizes): AsyncIterable<Result> {
  const testbed = await createTestbed();
  try {
    // The delay makes sure that some message is under way at any moment.
    await testbed.sink.misbehave([{ at: "dot", delayMs: 2 }], setting.seed);
    const half = Math.ceil(sizes.people / 2);
    const resend = await testbed.launch(half, { onAmbiguous: "resend" });
    const hold = await testbed.launch(half, { onAmbiguous: "hold" });
    const { cuts, miscounted } = await killInTurn(testbed, setting, sizes);
    const lastMs = Math.max(...cuts.map(({ atMs }) => atMs));
    const hasEnded = [await testbed.ends(resend, 60_000), await testbed.ends(hold, 60_000)];
    setting.note(`${sizes.name}: ${cuts.length} killed, ended: ${hasEnded.join(", ")}`);
    yield* report(setting, testbed, sizes, cuts, lastMs, { resend, hold });
    miscounted.push(...(await testbed.miscounted()));
    const name = `${sizes.name}: counts by provider and of usage that differ, after each kill and at the end`;
    yield exactly(name, miscounted.length, 0, "counts", miscounted.slice(0, 5));
  } finally {
    await testbed.stop();
  }
}

type Killed = { readonly cuts: readonly Ended[]; readonly miscounted: string[] };

async function killInTurn(testbed: Testbed, setting: Setting, sizes: KillSizes): Promise<Killed> {
  const deaths = sizes.deaths.values();
  const cuts: Ended[] = [];
  const miscounted: string[] = [];
  const place = async () => {
    for (const death of deaths) {
      const cut = await killOne(testbed, death);
      miscounted.push(...(await testbed.miscounted()));
      setting.note(`${sizes.name}: ${cut.client} died ${death.kind === "random" ? "" : `at ${death.point}`}`);
      cuts.push(cut);
    }
    await testbed.startSender();
  };
  await Promise.all(Array.from({ length: sizes.senders }, place));
  return { cuts, miscounted };
}

/**
 * A named point may never be reached, where all that is left belongs to dead senders. The sender is then killed as
 * others are.
 */
const LONGEST_LIFE_MS = 20_000;

async function killOne(testbed: Testbed, death: Death): Promise<Ended> {
  const before = await testbed.sink.count();
  const dieAt = death.kind === "point" ? { point: death.point, nth: death.nth } : null;
  const sender = await testbed.startSender({ dieAt });
  if (death.kind === "random") {
    // A sender isn't killed while it looks for work, if there is any.
    await testbed.sink.until("a body", ({ begun }) => begun > before.begun, 16_000).catch(() => undefined);
    await sleep(death.afterMs);
    sender.signal("SIGKILL");
  }
  return endOf(sender);
}

async function endOf(sender: SenderProcess): Promise<Ended> {
  const late = setTimeout(() => sender.signal("SIGKILL"), LONGEST_LIFE_MS);
  const cut = await sender.ended;
  clearTimeout(late);
  return cut;
}

async function* report(
  setting: Setting,
  testbed: Testbed,
  { name, deaths }: KillSizes,
  cuts: readonly Ended[],
  lastMs: number,
  { resend, hold }: { resend: Campaign; hold: Campaign },
): AsyncIterable<Result> {
  const log = await testbed.sink.log();
  const circumstances = { slack: setting.slack, stalls: testbed.stalls() };
  const resent = judge(onlyTo(log, resend), resend.people, cuts, circumstances);
  const held = judge(onlyTo(log, hold), hold.people, cuts, circumstances);
  const named = new Set(await testbed.whoIs(hold, "unknown"));
  const takeOvers = takeOversMs(onlyTo(log, resend), cuts);
  const lastBodyMs = Math.max(...log.bodies.map(({ begunMs }) => begunMs));

  yield exactly(`${name}: killed`, cuts.length, deaths.length, "senders", [
    `${resent.onWire + held.onWire} bodies on the wire in all, over ${resent.connections} connections`,
    `${cuts.filter(({ point }) => point).length} died by their own hand, of ${deaths.filter(({ kind }) => kind === "point").length} that were to die at a named point`,
    `the last body began ${((lastBodyMs - lastMs) / 1_000).toFixed(1)} s after the last kill`,
  ]);
  yield exactly(`${name}: lost`, resent.lost.length, 0, "recipients", resent.lost.slice(0, 5));
  yield atMost(`${name}: duplicates`, resent.duplicates, resent.onWire, "messages", [
    `the oldest reply that didn't get recorded came ${Math.round(resent.oldestReplyMs)} ms before its kill`,
  ]);
  yield exactly(
    `${name}: duplicates of what wasn't on the wire`,
    resent.unexcused.length,
    0,
    "messages",
    resent.unexcused.slice(0, 5),
  );
  yield exactly(
    `${name}: duplicates that differ`,
    resent.altered.length,
    0,
    "messages",
    resent.altered.slice(0, 5),
  );
  yield exactly(`${name}: held, duplicates`, held.duplicates, 0, "messages", held.unexcused.slice(0, 5));
  const unnamed = held.lost.filter((to) => !named.has(to));
  yield exactly(`${name}: held, unresolved and not named`, unnamed.length, 0, "recipients", [
    `${named.size} are named, of whom ${named.size - held.lost.length + unnamed.length} got it`,
    ...unnamed.slice(0, 5),
  ]);
  const takenOver = await testbed.takenOverMs(cuts);
  yield atMost(`${name}: longest take-over`, Math.max(...takenOver) / 1_000, 15 * setting.slack, "s", [
    describeStalls(testbed.stalls()),
    `${takeOvers.length} of ${cuts.length} had something on the wire that was sent again, ` +
      `at the latest ${(Math.max(0, ...takeOvers) / 1_000).toFixed(1)} s after the kill`,
  ]);
  yield exactly(`${name}: breaches of SMTP`, resent.faults.length, 0, "commands", resent.faults.slice(0, 5));
}
