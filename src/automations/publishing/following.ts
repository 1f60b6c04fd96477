/** Decides for somebody whose step was published anew while they stand on it. Nothing here reads a clock or the database. */
import type { Graph, Node } from "../graph-types.ts";
import type { Place } from "../runs/runs.ts";
import { decide, type Facts, type Standing } from "../steps/steps.ts";

export { type Following, type Place, standingIn } from "../runs/runs.ts";

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
