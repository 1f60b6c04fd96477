/** Says in which functions of the page the time goes while something is done in it. */
import type { CDPSession } from "playwright-core";

const SHOWN = 40;
const EVERY_US = 200;

type Profile = Awaited<ReturnType<typeof stopped>>;

export async function profiled(cdp: CDPSession, act: () => Promise<void>): Promise<string> {
  await cdp.send("Profiler.enable");
  await cdp.send("Profiler.setSamplingInterval", { interval: EVERY_US });
  await cdp.send("Profiler.start");
  await act();
  const profile = await stopped(cdp);
  await cdp.send("Profiler.disable");
  const { self, whole } = timesOf(profile);
  return `in itself\n${inOrder(self)}\nwith all that it calls\n${inOrder(whole)}`;
}

async function stopped(cdp: CDPSession) {
  return (await cdp.send("Profiler.stop")).profile;
}

type Times = ReadonlyMap<string, number>;

function timesOf({ nodes, samples = [], timeDeltas = [] }: Profile): { self: Times; whole: Times } {
  const ofNode = new Map<number, number>();
  for (const [at, id] of samples.entries())
    ofNode.set(id, (ofNode.get(id) ?? 0) + (timeDeltas[at] ?? 0) / 1_000);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const self = new Map<string, number>();
  const whole = new Map<string, number>();
  const visit = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id);
    if (!node) return 0;
    const name = nameOf(node.callFrame);
    const own = ofNode.get(id) ?? 0;
    self.set(name, (self.get(name) ?? 0) + own);
    const within = new Set([...above, name]);
    const sum = (node.children ?? []).reduce((all, child) => all + visit(child, within), own);
    // A function that calls itself is counted once.
    if (!above.has(name)) whole.set(name, (whole.get(name) ?? 0) + sum);
    return sum;
  };
  const [root] = nodes;
  if (root) visit(root.id, new Set());
  return { self, whole };
}

function nameOf({
  functionName,
  url,
  lineNumber,
  columnNumber,
}: Profile["nodes"][number]["callFrame"]): string {
  return `${functionName || "(unnamed)"} ${url.split("/").at(-1)}:${lineNumber + 1}:${columnNumber + 1}`;
}

function inOrder(times: Times): string {
  return [...times]
    .filter(([name]) => !/^\((?:idle|program|root)\)/.test(name))
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SHOWN)
    .map(([name, ms]) => `${ms.toFixed(0).padStart(6)} ms  ${name}`)
    .join("\n");
}
