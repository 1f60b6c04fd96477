/** Tells two versions of a graph apart, step by step, as far as people who stand on a step have to do with it. */
import { isDeepStrictEqual } from "node:util";
import type { Graph, Node } from "../graph-types.ts";

export type Comparison = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Steps that are in both and aren't the same. */
  readonly changed: readonly string[];
  /** Steps of the earlier one at which people may stand, and from which the later one leads them at another time. */
  readonly waits: readonly string[];
};

export function compareGraphs(from: Graph, to: Graph): Comparison {
  const names = [...from.nodes.keys()];
  const kept = names.filter((name) => to.nodes.has(name));
  return {
    added: [...to.nodes.keys()].filter((name) => !from.nodes.has(name)),
    removed: names.filter((name) => !to.nodes.has(name)),
    changed: kept.filter((name) => !isDeepStrictEqual(from.nodes.get(name), to.nodes.get(name))),
    waits: kept.filter((name) => hasOtherWait(from, name, to, name)),
  };
}

/** Whether people who stand on a step would leave it at another time if they stood on this one of the other graph. */
export function hasOtherWait(from: Graph, name: string, to: Graph, toName: string): boolean {
  const [before, after] = [from.nodes.get(name), to.nodes.get(toName)];
  const held = before && holdingOf(before, from);
  return held !== undefined && !isDeepStrictEqual(held, after && holdingOf(after, to));
}

/** What holds people on a step; undefined for one that nobody stands on for any time. */
function holdingOf(node: Node, { send }: Graph): readonly unknown[] | undefined {
  switch (node.type) {
    case "wait":
      return [node.type, node.for, node.until, node.at, node.weekdays];
    case "wait_for":
      return [node.type, node.timeout];
    case "email":
      return [node.type, send];
    default:
      return undefined;
  }
}
