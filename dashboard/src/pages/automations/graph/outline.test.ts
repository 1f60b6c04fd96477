import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Graph, type Json, readGraph, START, slotsTo, targetOf, waysOf } from "./draft.ts";
import {
  addWay,
  canMove,
  insertStep,
  moveStep,
  moveTo,
  placesFor,
  removeStep,
  removeWay,
} from "./edit-graph.ts";
import { allSteps, outlineOf, placesIn, type Sequence, stepsIn } from "./outline.ts";

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];

const anyStep = (names: readonly string[]): fc.Arbitrary<Json> => {
  const to = fc.constantFrom(...names, "nowhere");
  const way = fc.record({ if: fc.constant({ field: "tag", op: "has", value: "x" }), next: to });
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ type: fc.constantFrom("email", "tag", "wait"), title: fc.string(), next: to }),
    },
    // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
    fc.record({ type: fc.constant("wait_for"), then: to, else: to }),
    fc.record({ type: fc.constant("branch"), ways: fc.array(way, { minLength: 1, maxLength: 3 }), else: to }),
    fc.record({ type: fc.constant("split"), ways: fc.array(way, { minLength: 2, maxLength: 3 }) }),
    fc.record({ type: fc.constantFrom("end", "unsubscribe") }),
  );
};

const anyGraph: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: NAMES.length }).chain((size) => {
  const names = NAMES.slice(0, size);
  return fc
    .record({
      start: fc.constantFrom(...names, "nowhere"),
      nodes: fc.tuple(...names.map((name) => anyStep(names).map((step) => [name, step] as const))),
      send: fc.constant({ weekdays: ["mon"] }),
    })
    .map(({ start, nodes, send }) =>
      readGraph(JSON.parse(JSON.stringify({ format: 1, start, send, nodes: Object.fromEntries(nodes) }))),
    );
});

/** Reads from the outline alone where each way leads. */
function waysIn(graph: Graph): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (sequence: Sequence, following: string) => {
    const { steps, end } = sequence;
    for (const [at, { id, node, ways }] of steps.entries()) {
      const next = steps[at + 1]?.id ?? (end.kind === "over" ? following : end.to);
      for (const { key, sequence: inner } of ways) {
        found[`${id}/${key}`] = firstOf(inner);
        walk(inner, next);
      }
      if (ways.length === 0) for (const { key } of waysOf(node)) found[`${id}/${key}`] = next;
    }
  };
  const { main, apart } = outlineOf(graph);
  found["start"] = firstOf(main);
  for (const one of [main, ...apart]) walk(one, "");
  return found;
}

const firstOf = ({ steps, end }: Sequence) => steps[0]?.id ?? (end.kind === "over" ? "" : end.to);

function waysOfGraph(graph: Graph): Record<string, string> {
  const found: Record<string, string> = { start: graph.start };
  for (const [id, node] of Object.entries(graph.nodes))
    for (const { key, to } of waysOf(node)) found[`${id}/${key}`] = to;
  return found;
}

const namesOf = (graph: Graph) => Object.keys(graph.nodes).toSorted();

test("an outline has every step once and tells where every way leads", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      assert.deepEqual(
        allSteps(outlineOf(graph))
          .map(({ id }) => id)
          .toSorted(),
        namesOf(graph),
      );
      assert.deepEqual(waysIn(graph), waysOfGraph(graph));
    }),
    { numRuns: 400 },
  );
});

test("a gap knows what leads to it", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      for (const { gap } of placesIn(outlineOf(graph).main))
        for (const slot of gap.slots) assert.equal(targetOf(graph, slot), gap.to);
    }),
  );
});

test("a step that is put in and deleted again leaves everything as it was", () => {
  fc.assert(
    fc.property(anyGraph, fc.nat(), (graph, choice) => {
      const places = placesIn(outlineOf(graph).main);
      const place = places[choice % places.length];
      if (!place || !Object.hasOwn(graph.nodes, place.gap.to)) return;
      const more = insertStep(graph, place.gap, "new", { type: "tag", add: ["x"] });
      assert.deepEqual(namesOf(more), [...namesOf(graph), "new"].toSorted());
      assert.deepEqual(removeStep(more, "new"), graph);
    }),
  );
});

test("moving keeps every step, what it says, and what can be reached", () => {
  const reached = (graph: Graph) =>
    stepsIn(outlineOf(graph).main)
      .map(({ id }) => id)
      .toSorted();
  fc.assert(
    fc.property(anyGraph, fc.nat(), fc.nat(), (graph, which, where) => {
      const names = namesOf(graph);
      const id = names[which % names.length] as string;
      for (const by of [1, -1] as const) {
        if (!canMove(graph, id, by)) continue;
        const moved = moveStep(graph, id, by);
        assert.deepEqual(namesOf(moved), names);
        assert.deepEqual(reached(moved), reached(graph));
      }
      const places = placesFor(graph, id);
      const place = places[where % places.length];
      if (!place) return;
      const moved = moveTo(graph, id, place.gap);
      assert.deepEqual(namesOf(moved), names);
      assert.ok(reached(moved).includes(id));
    }),
    { numRuns: 400 },
  );
});

test("after a deletion nothing leads to what is gone, and what else there was is there", () => {
  fc.assert(
    fc.property(anyGraph, fc.nat(), (graph, which) => {
      const names = namesOf(graph);
      const id = names[which % names.length] as string;
      const next = removeStep(graph, id);
      const gone = names.filter((one) => !Object.hasOwn(next.nodes, one));
      for (const one of gone) assert.deepEqual(slotsTo(next, one), []);
      assert.deepEqual([next["send"], next["format"]], [graph["send"], 1]);
    }),
    { numRuns: 400 },
  );
});

const two = readGraph({
  format: 1,
  start: "ask",
  nodes: {
    ask: { type: "branch", ways: [{ if: {}, next: "vip" }], else: "plain" },
    vip: { type: "email", next: "both" },
    plain: { type: "email", next: "both" },
    both: { type: "wait", for: "P1D", next: "end" },
    end: { type: "end" },
  },
});

test("ways that meet go on below the step that parted them", () => {
  const { main } = outlineOf(two);
  assert.deepEqual(
    main.steps.map(({ id }) => id),
    ["ask", "both", "end"],
  );
  assert.deepEqual(
    main.steps[0]?.ways.map(({ sequence }) => sequence.steps.map(({ id }) => id)),
    [["vip"], ["plain"]],
  );
  const moved = moveStep(two, "both", -1);
  assert.equal(moved.start, "both");
  assert.equal(moved.nodes["both"]?.["next"], "ask");
  assert.deepEqual([moved.nodes["vip"]?.["next"], moved.nodes["plain"]?.["next"]], ["end", "end"]);
});

test("a branch goes with what stands under it, and a way with what stands under that", () => {
  assert.deepEqual(namesOf(removeStep(two, "ask")), ["both", "end"]);
  assert.equal(removeStep(two, "ask").start, "both");
  const more = addWay(two, "ask", { if: { field: "tag" } });
  assert.equal(targetOf(more, { node: "ask", key: "ways/1/next" }), "both");
  assert.deepEqual(namesOf(removeWay(two, "ask", 0)), ["ask", "both", "end", "plain"]);
  assert.equal(targetOf(removeStep(two, "both"), START), "ask");
  assert.equal(removeStep(two, "end"), two);
});
