/** The draft of an automation as it is edited: the API's JSON, of which anything may be missing or wrong. These functions are pure. */

export type Json = Readonly<Record<string, unknown>>;

export type Graph = Json & { readonly start: string; readonly nodes: Readonly<Record<string, Json>> };

/** The place of one way out of a step; of `node` null it is where everybody begins. */
export type Slot = { readonly node: string | null; readonly key: string };

export const START: Slot = { node: null, key: "start" };

export const STEP_TYPES = [
  "email",
  "wait",
  "wait_for",
  "branch",
  "split",
  "goal",
  "tag",
  "field",
  "list",
  "notify",
  "webhook",
  "unsubscribe",
  "end",
] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(jsonIn) : []);
export const jsonIn = (value: unknown): Json => (isJson(value) ? value : {});
export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

/** What isn't a step by any reading stays as it is in the draft, and is a step without a type here. */
export function readGraph(draft: Json): Graph {
  return { ...draft, start: textIn(draft["start"]), nodes: nodesIn(draft["nodes"]) };
}

function nodesIn(value: unknown): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(jsonIn(value)).map(([id, node]) => [id, jsonIn(node)]));
}

export function typeOf(node: Json | undefined): StepType | undefined {
  return STEP_TYPES.find((one) => one === node?.["type"]);
}

export const hasWays = (node: Json): boolean =>
  ["wait_for", "branch", "split"].includes(textIn(node["type"]));

export const isEnding = (node: Json): boolean => ["end", "unsubscribe"].includes(textIn(node["type"]));

export type Way = { readonly key: string; readonly to: string };

/** The ways out of a step, each with the place in the step where it is written. */
export function waysOf(node: Json): readonly Way[] {
  const way = (key: string) => ({ key, to: textIn(node[key]) });
  const numbered = () =>
    listIn(node["ways"]).map(({ next }, at) => ({ key: `ways/${at}/next`, to: textIn(next) }));
  switch (node["type"]) {
    case "wait_for":
      return [way("then"), way("else")];
    case "branch":
      return [...numbered(), way("else")];
    case "split":
      return numbered();
    case "unsubscribe":
    case "end":
      return [];
    default:
      return [way("next")];
  }
}

function withWay(node: Json, key: string, to: string): Json {
  const [first = "", at] = key.split("/");
  if (at === undefined) return { ...node, [first]: to };
  return {
    ...node,
    ways: listIn(node["ways"]).map((way, index) => (index === Number(at) ? { ...way, next: to } : way)),
  };
}

export function targetOf(graph: Graph, { node, key }: Slot): string {
  if (node === null) return graph.start;
  return waysOf(graph.nodes[node] ?? {}).find((way) => way.key === key)?.to ?? "";
}

export function lead(graph: Graph, slots: readonly Slot[], to: string): Graph {
  let next = graph;
  for (const { node, key } of slots) {
    if (node === null) next = { ...next, start: to };
    else if (next.nodes[node])
      next = { ...next, nodes: { ...next.nodes, [node]: withWay(next.nodes[node], key, to) } };
  }
  return next;
}

/** All places that lead to a step. */
export function slotsTo(graph: Graph, id: string): readonly Slot[] {
  const found: Slot[] = graph.start === id ? [START] : [];
  for (const [node, json] of Object.entries(graph.nodes))
    for (const { key, to } of waysOf(json)) if (to === id) found.push({ node, key });
  return found;
}

export function changeStep(graph: Graph, id: string, patch: Json): Graph {
  const { [id]: before = {} } = graph.nodes;
  return { ...graph, nodes: { ...graph.nodes, [id]: cleaned({ ...before, ...patch }) } };
}

/** What is undefined isn't there; the service tells what is left out from what is empty. */
export function cleaned(json: Json): Json {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== undefined));
}
