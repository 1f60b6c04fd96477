/** Runs hostile neighbours on one instance, and checks that everybody else loses no mail and hardly any speed. */
import type { Result } from "../bench/harness/bench.ts";
import { atMost, exactly, type Fault, type Setting } from "./fault.ts";
import { manyStreams, slowBodies } from "./neighbours-http.ts";
import { anotherAudience, hostileTemplate, refusingRelay, tarpit } from "./neighbours-mail.ts";
import { type Neighbour, type Run, startSharedInstance } from "./shared-instance.ts";

const neighbours: readonly Neighbour[] = [
  hostileTemplate,
  refusingRelay,
  tarpit,
  anotherAudience,
  manyStreams,
  slowBodies,
];

export const neighboursFault: Fault = {
  name: "neighbours",
  summary:
    "a hostile template, a relay that refuses us, a tarpit, another audience, many streams, slow bodies",
  run: (setting) => beside(setting, { people: setting.full ? 25_000 : 5_000, isTimed: true }),
};

const MOST_SLOWER_PERCENT = 10;

type Sizes = {
  readonly people: number;
  /** False in a test, which says nothing about speed. */
  readonly isTimed: boolean;
};

/**
 * Runs the others' campaign alone and beside a neighbour alternately, so that what slows the machine for a while
 * slows both.
 */
export async function* beside(setting: Setting, sizes: Sizes): AsyncIterable<Result> {
  const instance = await startSharedInstance(sizes.people);
  try {
    await instance.runOthers();
    let before = sizes.isTimed ? await instance.runOthers() : undefined;
    for (const { name, begin } of neighbours) {
      const end = await begin(instance);
      const meanwhile = await instance.runOthers();
      const own = await end();
      await instance.misbehave([]);
      await instance.sink.forget();
      yield* judgeOthers(name, meanwhile);
      if (before) {
        const after = await instance.runOthers();
        setting.note(`${name}: ${[before, meanwhile, after].map(rateOf).join(", ")}`);
        yield judgeSpeed(name, meanwhile, [before, after], setting);
        before = after;
      }
      yield* own;
    }
  } finally {
    await instance.stop();
  }
}

function* judgeOthers(name: string, { lost, duplicates }: Run): Iterable<Result> {
  yield exactly(`${name}: the others lost`, lost.length, 0, "mails", lost.slice(0, 5));
  yield exactly(`${name}: the others got twice`, duplicates, 0, "mails");
}

function judgeSpeed(name: string, meanwhile: Run, alone: readonly Run[], { slack }: Setting): Result {
  const reference = alone.reduce((sum, { perSecond }) => sum + perSecond, 0) / alone.length;
  const slower = Math.max(0, (1 - meanwhile.perSecond / reference) * 100);
  return atMost(`${name}: the others were slower by`, slower, MOST_SLOWER_PERCENT * slack, "%", [
    `${rateOf(meanwhile)} beside it, alone ${alone.map(rateOf).join(" before and ")} after`,
    `API p99 ${ms(meanwhile)} beside it, alone ${alone.map(ms).join(" and ")}`,
  ]);
}

const rateOf = ({ perSecond }: Run) => `${Math.round(perSecond)}/s`;
const ms = ({ apiP99Ms }: Run) => `${apiP99Ms.toFixed(1)} ms`;
