/** `kill -9`: at random moments, and at each named point between a lease and the record of an outcome. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Result } from "../bench/harness/bench.ts";
import type { FaultPoint } from "../src/delivery/delivery.ts";
import { createRandom } from "../test/support/sink/sink.ts";
import { atMost, exactly, type Fault, type Setting } from "./fault.ts";
import { judge, takeOversMs } from "./judge.ts";
import {
  type Campaign,
  describeStalls,
  type Ended,
  onlyTo,
  type SenderProcess,
  type Stage,
  setStage,
} from "./stage.ts";

const MOMENTS: readonly FaultPoint[] = [
  "leased",
  "inflight",
  "before_dot",
  "after_dot",
  "reply",
  "before_outcome",
];

/** How a sender dies: by our hand after a while, or by its own at that point. */
export type Death =
  | { readonly kind: "random"; readonly afterMs: number }
  | { readonly kind: "moment"; readonly moment: FaultPoint; readonly nth: number };

export type KillSizes = {
  readonly name: string;
  readonly people: number;
  /** At once. Whoever dies is replaced, as a process manager would. */
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

/** Each point as often. A lease has hundreds of messages, and a group of outcomes has many, so they come by less often. */
export function drawNamedDeaths(seed: number, each: number): Death[] {
  const random = createRandom(seed);
  const mostOf = (moment: FaultPoint) => (moment === "leased" ? 2 : moment === "before_outcome" ? 15 : 250);
  return Array.from({ length: each }, () =>
    MOMENTS.map((moment): Death => {
      return { kind: "moment", moment, nth: 1 + Math.floor(random() * mostOf(moment)) };
    }),
  ).flat();
}

/** One campaign that sends again what is ambiguous and one that holds it, side by side. */
export async function* killSenders(setting: Setting, sizes: KillSizes): AsyncIterable<Result> {
  const stage = await setStage();
  try {
    // So that there is something on the wire at any moment.
    await stage.sink.misbehave([{ at: "dot", delayMs: 2 }], setting.seed);
    const half = Math.ceil(sizes.people / 2);
    const resend = await stage.launch(half, { onAmbiguous: "resend" });
    const hold = await stage.launch(half, { onAmbiguous: "hold" });
    const cuts = await killInTurn(stage, setting, sizes);
    const lastMs = Math.max(...cuts.map(({ atMs }) => atMs));
    const hasEnded = [await stage.ends(resend, 60_000), await stage.ends(hold, 60_000)];
    setting.note(`${sizes.name}: ${cuts.length} killed, ended: ${hasEnded.join(", ")}`);
    yield* report(setting, stage, sizes, cuts, lastMs, { resend, hold });
  } finally {
    await stage.stop();
  }
}

async function killInTurn(stage: Stage, setting: Setting, sizes: KillSizes): Promise<Ended[]> {
  const deaths = sizes.deaths.values();
  const cuts: Ended[] = [];
  const place = async () => {
    for (const death of deaths) {
      const cut = await killOne(stage, death);
      setting.note(
        `${sizes.name}: ${cut.client} died ${death.kind === "random" ? "" : `at ${death.moment}`}`,
      );
      cuts.push(cut);
    }
    await stage.startSender();
  };
  await Promise.all(Array.from({ length: sizes.senders }, place));
  return cuts;
}

/** A named point may never come by, where all that is left belongs to the dead: then it dies as others do. */
const LONGEST_LIFE_MS = 20_000;

async function killOne(stage: Stage, death: Death): Promise<Ended> {
  const before = await stage.sink.count();
  const dieAt = death.kind === "moment" ? { moment: death.moment, nth: death.nth } : null;
  const sender = await stage.startSender({ dieAt });
  if (death.kind === "random") {
    // Not while it looks for something to do, if there is anything.
    await stage.sink.until("a body", ({ begun }) => begun > before.begun, 16_000).catch(() => undefined);
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
  stage: Stage,
  { name, deaths }: KillSizes,
  cuts: readonly Ended[],
  lastMs: number,
  { resend, hold }: { resend: Campaign; hold: Campaign },
): AsyncIterable<Result> {
  const log = await stage.sink.log();
  const circumstances = { slack: setting.slack, stalls: stage.stalls() };
  const resent = judge(onlyTo(log, resend), resend.people, cuts, circumstances);
  const held = judge(onlyTo(log, hold), hold.people, cuts, circumstances);
  const named = new Set(await stage.whoIs(hold, "unknown"));
  const takeOvers = takeOversMs(onlyTo(log, resend), cuts);
  const lastBodyMs = Math.max(...log.bodies.map(({ begunMs }) => begunMs));

  yield exactly(`${name}: killed`, cuts.length, deaths.length, "senders", [
    `${resent.onWire + held.onWire} bodies on the wire in all, over ${resent.connections} connections`,
    `${cuts.filter(({ moment }) => moment).length} died by their own hand, of ${deaths.filter(({ kind }) => kind === "moment").length} that were to die at a named point`,
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
  const takenOver = await stage.takenOverMs(cuts);
  yield atMost(`${name}: longest take-over`, Math.max(...takenOver) / 1_000, 15 * setting.slack, "s", [
    describeStalls(stage.stalls()),
    `${takeOvers.length} of ${cuts.length} had something on the wire that was sent again, ` +
      `at the latest ${(Math.max(0, ...takeOvers) / 1_000).toFixed(1)} s after the kill`,
  ]);
  yield exactly(`${name}: breaches of SMTP`, resent.faults.length, 0, "commands", resent.faults.slice(0, 5));
}
