/**
 * Says where a run stands in the newest version that it follows. Publishing changes no run: each is found in its new place when it is
 * looked at. A run's own row keeps the version and the step at which it arrived until it leaves that step. Nothing here reads a clock
 * or the database.
 */
import type { Graph, Node } from "../graph-types.ts";
import { decide, type Facts, type Standing } from "../steps/steps.ts";

/** How people inside take to a version when it is published. */
export type Following = {
  readonly number: number;
  /** False where those inside stay with the version that they are in. */
  readonly follows: boolean;
  /** Whether who waits goes on waiting as before; else the time already waited counts for the new wait. */
  readonly keepsWaits: boolean;
  /** Where people stand whose step is gone, or was to be left: {former step: step of this version}. */
  readonly mapping: Readonly<Record<string, string>>;
  /** The names of its steps. */
  readonly steps: { has(name: string): boolean };
};

/** The version and the step of it; `wait` is the version, and the step of that, which says how long it lasts. */
export type Place = {
  readonly version: number;
  readonly node: string;
  readonly wait: { readonly version: number; readonly node: string };
};

/**
 * `versions` are those of the automation, in the order of their numbers; earlier ones than the run's own don't count. Who reached a step
 * just when a version without it was published is in the place before, and goes on from there.
 */
export function standingIn(
  versions: readonly Following[],
  run: { readonly version: number; readonly node: string },
): Place {
  let place: Place = { ...run, wait: run };
  for (const { number, follows, keepsWaits, mapping, steps } of versions) {
    if (number <= run.version || !follows) continue;
    const node = (Object.hasOwn(mapping, place.node) && mapping[place.node]) || place.node;
    if (!steps.has(node)) continue;
    place = { version: number, node, wait: keepsWaits ? place.wait : { version: number, node } };
  }
  return place;
}

/** The step at which somebody stands, and the one whose wait holds them there: mostly the same. */
export type Held = {
  readonly graph: Graph;
  readonly node: Node;
  readonly waitGraph: Graph;
  readonly waitNode: Node;
};

/** Finds both steps. `graphOf` knows every version that a place names. */
export function heldAt(place: Place, graphOf: (version: number) => Graph): Held {
  const [graph, waitGraph] = [graphOf(place.version), graphOf(place.wait.version)];
  const [node, waitNode] = [graph.nodes.get(place.node), waitGraph.nodes.get(place.wait.node)];
  if (!node || !waitNode) throw new Error(`there is no step ${place.node} in version ${place.version}`);
  return { graph, node, waitGraph, waitNode };
}

type Decision = ReturnType<typeof decide>;

/** Decides as `decide` does, for somebody whose wait may be that of an earlier version. `facts` answer what both steps ask. */
export function decideHeld(
  { graph, node, waitGraph, waitNode }: Held,
  standing: Standing,
  facts: { readonly node: Facts; readonly wait: Facts },
  now: Date,
): Decision {
  const isHeld = waitNode !== node && standing.wokenBy !== "event";
  if (!isHeld) return decide(node, standing, facts.node, graph.send, now);
  const former = decide(waitNode, standing, facts.wait, waitGraph.send, now);
  if (former.kind === "stay") return former;
  // The former wait is over. A step of the same kind is left by its own ways; what any other does is done now.
  if (node.type === "wait") return { kind: "go", way: "next", to: node.next };
  if (node.type === "wait_for") {
    const isFulfilled = facts.node.matches[0] === true;
    return isFulfilled
      ? { kind: "go", way: "then", to: node.then }
      : { kind: "go", way: "else", to: node.else };
  }
  return decide(node, { arrivedAt: now, wokenBy: "arrival" }, facts.node, graph.send, now);
}
