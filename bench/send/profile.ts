/** Shows where a program's busiest thread spent its time, by the profiles that `--cpu-prof` writes for each thread. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SHOWN = 10;
/** V8 gives this name to the time in which nothing ran. */
const IDLE = "(idle)";

/** A profile as V8 writes it, with only the members that are read here. */
type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

export function describeProfile(folder: string): string {
  const threads = readdirSync(folder)
    .filter((name) => name.endsWith(".cpuprofile"))
    .map((name) => selfTimes(JSON.parse(readFileSync(join(folder, name), "utf8"))));
  const busiest = threads.toSorted((one, other) => busyTime(other) - busyTime(one))[0];
  if (!busiest) throw new Error(`there is no profile in ${folder}`);
  const busy = busyTime(busiest);
  const lines = [...busiest]
    .filter(([place]) => place !== IDLE)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([place, time]) => `  ${((time / busy) * 100).toFixed(1).padStart(5)}%  ${place}`);
  const share = (busy / (busy + (busiest.get(IDLE) ?? 0))) * 100;
  return [`the sender's thread was busy for ${share.toFixed(0)}% of its life, most of it in:`, ...lines].join(
    "\n",
  );
}

type Times = ReadonlyMap<string, number>;

function busyTime(times: Times): number {
  return [...times].reduce((sum, [place, time]) => (place === IDLE ? sum : sum + time), 0);
}

/** Returns the time of each function alone, without those that it called. */
function selfTimes({ nodes, samples, timeDeltas }: Profile): Times {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [at, id] of samples.entries()) {
    const place = places.get(id) ?? "?";
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[at] ?? 0));
  }
  return times;
}

function placeOf({ functionName, url, lineNumber }: Profile["nodes"][number]["callFrame"]): string {
  const name = functionName || "(anonymous)";
  if (url === "") return name;
  const file = url.replace(/^.*\/(?=node_modules\/|src\/|bench\/)/, "");
  return `${name} ${file}:${lineNumber + 1}`;
}
