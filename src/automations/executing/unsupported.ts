import type { Graph, Node } from "../graph-types.ts";

/** Steps that tell others something can be written and simulated; nothing executes them yet. */
export function isUnsupported(node: Node): boolean {
  return node.type === "webhook" || node.type === "notify";
}

/** Returns the names of steps for which a graph must not be published. */
export function unsupportedNodes({ nodes }: Pick<Graph, "nodes">): readonly string[] {
  return [...nodes].flatMap(([name, node]) => (isUnsupported(node) ? [name] : []));
}
