/** What is done to the steps of a graph: each function returns another graph, and loses no step that it isn't asked to delete. */
import { type Graph, isEnding, type Json, lead, listIn, slotsTo, textIn } from "./draft.ts";
import { type Gap, membersOf, outlineOf, type Placed, placesIn, positionOf, stepsIn } from "./outline.ts";

/** A name for a new step: what it is, and a number. */
export function newStepId(graph: Graph, type: string): string {
  for (let number = 1; ; number++) {
    const id = `${type}_${number}`;
    if (!Object.hasOwn(graph.nodes, id)) return id;
  }
}

/** Puts a step into a gap. What follows the gap follows the step; after one that ends a run, it is led to no longer. */
export function insertStep(graph: Graph, { slots, to }: Gap, id: string, node: Json): Graph {
  const placed = { ...graph, nodes: { ...graph.nodes, [id]: leadAll(node, to) } };
  const next = lead(placed, slots, id);
  return isEnding(node) ? withoutLoneEnd(next, to) : next;
}

function leadAll(node: Json, to: string): Json {
  switch (node["type"]) {
    case "wait_for":
      // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
      return { ...node, then: to, else: to };
    case "branch":
      return { ...node, ways: listIn(node["ways"]).map((way) => ({ ...way, next: to })), else: to };
    case "split":
      return { ...node, ways: listIn(node["ways"]).map((way) => ({ ...way, next: to })) };
    case "end":
    case "unsubscribe":
      return node;
    default:
      return { ...node, next: to };
  }
}

/** An end that nothing leads to any more says nothing. */
function withoutLoneEnd(graph: Graph, id: string): Graph {
  if (graph.nodes[id]?.["type"] !== "end" || slotsTo(graph, id).length > 0) return graph;
  return withoutSteps(graph, [id]);
}

function withoutSteps(graph: Graph, ids: readonly string[]): Graph {
  return {
    ...graph,
    nodes: Object.fromEntries(Object.entries(graph.nodes).filter(([id]) => !ids.includes(id))),
  };
}

/** The last end of all can't be deleted, for a run has to end somewhere. */
export function canRemove(graph: Graph, id: string): boolean {
  return graph.nodes[id]?.["type"] !== "end" || slotsTo(graph, id).length === 0;
}

/** Deletes a step and all that stands under it. Whatever led there goes on at what followed. */
export function removeStep(graph: Graph, id: string): Graph {
  const found = positionOf(outlineOf(graph), id);
  if (!found || !canRemove(graph, id)) return graph;
  const { step, sequence, at } = found;
  const gone = membersOf(step).map((one) => one.id);
  const isNeeded = gone.some((one) =>
    slotsTo(graph, one).some(({ node }) => node === null || !gone.includes(node)),
  );
  const after = sequence.gaps[at + 1]?.to;
  const isThere = after !== undefined && !gone.includes(after);
  const { graph: kept, id: to } = isThere ? { graph, id: after } : orEnd(graph, gone, isNeeded);
  let next = kept;
  for (const one of gone) next = lead(next, slotsTo(next, one), to);
  return withoutSteps(next, gone);
}

/** An end to go on at, where nothing followed. */
function orEnd(graph: Graph, gone: readonly string[], isNeeded: boolean): { graph: Graph; id: string } {
  const there = Object.keys(graph.nodes).find(
    (id) => graph.nodes[id]?.["type"] === "end" && !gone.includes(id),
  );
  if (there !== undefined || !isNeeded) return { graph, id: there ?? "" };
  const id = newStepId(graph, "end");
  return { graph: { ...graph, nodes: { ...graph.nodes, [id]: { type: "end" } } }, id };
}

/** Whether a step has a neighbour with which it can change places: something has to follow the two. */
export function canMove(graph: Graph, id: string, by: 1 | -1): boolean {
  const found = positionOf(outlineOf(graph), id);
  if (!found || found.isApart) return false;
  const { sequence, at } = found;
  const first = by === -1 ? at - 1 : at;
  return first >= 0 && sequence.steps[first + 1] !== undefined && sequence.gaps[first + 2] !== undefined;
}

/** Changes places with the step above or below, each with all that stands under it. */
export function moveStep(graph: Graph, id: string, by: 1 | -1): Graph {
  const found = positionOf(outlineOf(graph), id);
  if (!found || !canMove(graph, id, by)) return graph;
  const { sequence, at } = found;
  const first = by === -1 ? at - 1 : at;
  const [upper, lower] = [sequence.steps[first] as Placed, sequence.steps[first + 1] as Placed];
  const [before, between, after] = sequence.gaps.slice(first, first + 3) as [Gap, Gap, Gap];
  return lead(lead(lead(graph, before.slots, lower.id), after.slots, upper.id), between.slots, after.to);
}

/** The gaps to which a step can be moved; none where nothing follows it. */
export function placesFor(graph: Graph, id: string): ReturnType<typeof placesIn> {
  const outline = outlineOf(graph);
  const found = positionOf(outline, id);
  if (!found || found.isApart || !found.sequence.gaps[found.at + 1]) return [];
  const own = new Set(membersOf(found.step).map((one) => one.id));
  return placesIn(outline.main).filter(
    ({ gap, before, after }) =>
      gap.to !== id &&
      after !== id &&
      before !== id &&
      !gap.slots.some(({ node }) => node !== null && own.has(node)),
  );
}

export function moveTo(graph: Graph, id: string, gap: Gap): Graph {
  const found = positionOf(outlineOf(graph), id);
  const [before, after] = found ? found.sequence.gaps.slice(found.at, found.at + 2) : [];
  if (!before || !after) return graph;
  // Where both gaps lead to the same, the step that leaves one is what the other one leads past.
  const to = gap.to === id ? after.to : gap.to;
  return lead(lead(lead(graph, before.slots, after.to), gap.slots, id), after.slots, to);
}

/** Adds a way to a branch or a split: it leads to where the others meet. */
export function addWay(graph: Graph, id: string, way: Json): Graph {
  const found = positionOf(outlineOf(graph), id);
  const node = graph.nodes[id];
  if (!found || !node) return graph;
  const ways = listIn(node["ways"]);
  const to = found.sequence.gaps[found.at + 1]?.to ?? textIn(node["else"] ?? ways.at(-1)?.["next"]);
  return { ...graph, nodes: { ...graph.nodes, [id]: { ...node, ways: [...ways, { ...way, next: to }] } } };
}

/** Deletes a way and what stands under it. */
export function removeWay(graph: Graph, id: string, at: number): Graph {
  const found = positionOf(outlineOf(graph), id);
  const node = graph.nodes[id];
  if (!found || !node) return graph;
  const under = found.step.ways.find(({ key }) => key === `ways/${at}/next`);
  const gone = under ? stepsIn(under.sequence).map((one) => one.id) : [];
  const without = listIn(node["ways"]).filter((_, index) => index !== at);
  let next: Graph = { ...graph, nodes: { ...graph.nodes, [id]: { ...node, ways: without } } };
  const isNeeded = gone.some((one) =>
    slotsTo(next, one).some(({ node: from }) => from === null || !gone.includes(from)),
  );
  const after = found.sequence.gaps[found.at + 1]?.to;
  const isThere = after !== undefined && !gone.includes(after);
  const { graph: kept, id: to } = isThere ? { graph: next, id: after } : orEnd(next, gone, isNeeded);
  next = kept;
  for (const one of gone) next = lead(next, slotsTo(next, one), to);
  return withoutSteps(next, gone);
}
