/** Follows the ways of a graph: to steps that aren't there, past steps that nobody reaches, and round in circles. */
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import type { Fault } from "../../platform/problems.ts";
import type { Node } from "../graph-types.ts";
import { atLeastMs, readDuration } from "../times/times.ts";

const HOUR_MS = 3_600_000;

/** One way out of a step: what the journal and the counts call it, where it leads, and where that is written. */
type Way = { readonly way: string; readonly to: string; readonly key: string };

export function waysOf(node: Node): readonly Way[] {
  switch (node.type) {
    case "wait_for":
      return [
        { way: "then", to: node.then, key: "then" },
        { way: "else", to: node.else, key: "else" },
      ];
    case "branch":
      return [
        ...node.ways.map(({ next }, at) => ({ way: String(at), to: next, key: `ways/${at}/next` })),
        { way: "else", to: node.else, key: "else" },
      ];
    case "split":
      return node.ways.map(({ next }, at) => ({ way: String(at), to: next, key: `ways/${at}/next` }));
    case "unsubscribe":
    case "end":
      return [];
    default:
      return [{ way: "next", to: node.next, key: "next" }];
  }
}

type Nodes = ReadonlyMap<string, Node>;

/** `names` are those of all steps, also of those with faults, which aren't among the nodes. */
export function findFaultyWays(
  start: string | undefined,
  nodes: Nodes,
  names: ReadonlySet<string>,
  pointer: string,
): readonly Fault[] {
  const at = (name: string) => `${pointer}/nodes/${escapePointer(name)}`;
  const faults: Fault[] = [...nodes].flatMap(([name, node]) =>
    waysOf(node)
      .filter(({ to }) => !names.has(to))
      .map(({ key }) => unknownNode(`${at(name)}/${key}`)),
  );
  if (start !== undefined && !names.has(start)) faults.push(unknownNode(`${pointer}/start`));
  // A step that couldn't be read may lead anywhere, so what it would lead to isn't called unreachable.
  if (start !== undefined && names.has(start) && nodes.size === names.size) {
    const reached = reachableFrom(start, nodes);
    for (const name of nodes.keys())
      if (!reached.has(name))
        faults.push({ pointer: at(name), code: "unreachable", detail: "no way leads to this step" });
  }
  for (const name of findFastCircles(nodes))
    faults.push({
      pointer: at(name),
      code: "cycle_without_wait",
      detail: "people would go round in a circle: put a wait of an hour or more into it",
    });
  return faults;
}

function unknownNode(pointer: string): Fault {
  return { pointer, code: "unknown_node", detail: "there is no such step" };
}

function reachableFrom(start: string, nodes: Nodes): ReadonlySet<string> {
  const reached = new Set([start]);
  for (const name of reached) {
    const node = nodes.get(name);
    for (const { to } of node ? waysOf(node) : []) reached.add(to);
  }
  return reached;
}

/** Returns one step of each circle on which nobody waits for an hour: a wait for a span, or for an hour, which is a day apart. */
function findFastCircles(nodes: Nodes): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const isSlow = (name: string) => {
    const node = nodes.get(name);
    return node?.type === "wait" && waitsAnHour(node.for, node.until === undefined ? node.at : undefined);
  };
  for (const first of nodes.keys()) {
    if (done.has(first)) continue;
    // The path is walked without recursion. Each entry is a step with the ways out of it that are still to be looked at.
    const path: { name: string; left: string[] }[] = [];
    const onPath = new Set<string>();
    const enter = (name: string) => {
      const node = nodes.get(name);
      path.push({ name, left: node && !isSlow(name) ? waysOf(node).map(({ to }) => to) : [] });
      onPath.add(name);
    };
    enter(first);
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const to = last.left.pop();
      if (to === undefined) {
        done.add(last.name);
        onPath.delete(last.name);
        path.pop();
      } else if (onPath.has(to)) {
        if (!found.includes(to)) found.push(to);
      } else if (!done.has(to) && nodes.has(to)) enter(to);
    }
  }
  return found;
}

function waitsAnHour(span: string | undefined, at: string | undefined): boolean {
  if (at !== undefined) return true;
  const read = span === undefined ? undefined : readDuration(span);
  return read !== undefined && !("wrong" in read) && atLeastMs(read) >= HOUR_MS;
}
