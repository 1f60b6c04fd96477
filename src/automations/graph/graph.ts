/** Reads the graph of an automation from JSON, and finds every fault of it at once. */
import type { Fault } from "../../platform/problems.ts";
import type { FieldRow, RuleMention } from "../../subscribers/subscribers.ts";
import type { Graph, Node } from "../graph-types.ts";
import { type Mention, type Part, partOf, type Reading, refuseUnknown } from "./parts.ts";
import { readEntry, readExits, readSendRules } from "./read-entry.ts";
import { readNode } from "./read-nodes.ts";
import { findFaultyWays } from "./walk.ts";

export { type Mention, unknownThing } from "./parts.ts";
export { CHANGES, type Change, readChange } from "./read-change.ts";
export { waysOf } from "./walk.ts";

export const FORMAT = 1;
const MOST_NODES = 100;
const NODE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export type ReadGraph = {
  /** Undefined where there are faults. */
  readonly graph: Graph | undefined;
  readonly faults: readonly Fault[];
  /** What it names, which the caller looks up. */
  readonly mentions: readonly Mention[];
  readonly ruleMentions: readonly RuleMention[];
};

/** `pointer` is the graph's place in the body. */
export function readGraph(input: unknown, fields: readonly FieldRow[], pointer: string): ReadGraph {
  const reading: Reading = { fields, faults: [], mentions: [], ruleMentions: [], mailsNamed: [] };
  const part = partOf(reading, input, pointer);
  const graph = part && read(reading, part);
  const { faults, mentions, ruleMentions } = reading;
  return { graph: faults.length === 0 ? graph : undefined, faults, mentions, ruleMentions };
}

function read(reading: Reading, part: Part): Graph | undefined {
  refuseUnknown(part, ["format", "start", "entry", "exit", "send", "nodes"]);
  if (part.json["format"] !== FORMAT) part.fault("format", "invalid_value", `must be ${FORMAT}`);
  const start = part.text("start", 64);
  const entryPart = part.has("entry")
    ? part.part("entry")
    : part.fault("entry", "required", "say who enters");
  const entry = entryPart && readEntry(reading, entryPart);
  const exit = readExits(reading, part);
  const send = readSendRules(part);
  const { nodes, names } = readNodes(reading, part);
  reading.faults.push(...findFaultyWays(start, nodes, names, part.pointer));
  // A step with faults is none of the nodes, and may be one that mails.
  for (const { node, pointer } of reading.mailsNamed)
    if (!names.has(node) || (nodes.has(node) && nodes.get(node)?.type !== "email"))
      reading.faults.push({ pointer, code: "unknown_node", detail: "there is no e-mail step of this name" });
  return start !== undefined && entry ? { start, entry, exit, send, nodes } : undefined;
}

function readNodes(reading: Reading, graph: Part) {
  const nodes = new Map<string, Node>();
  const part = graph.has("nodes") ? graph.part("nodes") : graph.fault("nodes", "required", "must have steps");
  const names = Object.keys(part?.json ?? {});
  if (!part) return { nodes, names: new Set(names) };
  if (names.length === 0) part.fault(undefined, "too_few", "must have at least one step");
  if (names.length > MOST_NODES) {
    part.fault(undefined, "too_many", `must have ${MOST_NODES} steps at most`);
    return { nodes, names: new Set(names) };
  }
  for (const name of names) {
    if (!NODE_NAME.test(name))
      part.fault(
        name,
        "invalid_name",
        "must be of 1 to 64 letters, digits, _ and -, a letter or digit first",
      );
    const json = part.part(name);
    const node = json && readNode(reading, json);
    if (node) nodes.set(name, node);
  }
  return { nodes, names: new Set(names) };
}
