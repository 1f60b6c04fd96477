/**
 * The steps of a graph as an indented list: each step once, the ways out of a step indented under it, and what all ways come to below them.
 * Where a way leads to a step that stands elsewhere, it says so.
 */
import { type Graph, hasWays, isEnding, type Json, type Slot, START, waysOf } from "./draft.ts";
import { findJoins } from "./joins.ts";

/** Between two steps, before the first and after the last: a new step put here is led to by `slots`, and leads to `to`. */
export type Gap = { readonly slots: readonly Slot[]; readonly to: string };

type SequenceEnd =
  /** The last step ends a run, or each of its ways has an end of its own. */
  | { readonly kind: "over" }
  /** It goes on below the step whose way this is. */
  | { readonly kind: "joins"; readonly to: string }
  /** It goes on at a step that stands elsewhere. */
  | { readonly kind: "link"; readonly to: string }
  | { readonly kind: "nowhere"; readonly to: string };

export type Sequence = {
  readonly steps: readonly Placed[];
  /** One before each step, and one after the last where something follows. */
  readonly gaps: readonly Gap[];
  readonly end: SequenceEnd;
};

export type Placed = {
  readonly id: string;
  readonly node: Json;
  readonly ways: readonly { readonly key: string; readonly sequence: Sequence }[];
};

export type Outline = {
  readonly main: Sequence;
  /** What no way leads to. */
  readonly apart: readonly Sequence[];
};

export function outlineOf(graph: Graph): Outline {
  const joins = findJoins(graph);
  const placed = new Set<string>();
  const main = follow([START], graph.start, []);
  const apart: Sequence[] = [];
  // Those that nothing leads to come first, since what follows them stands under them then.
  const ledTo = new Set(Object.values(graph.nodes).flatMap((node) => waysOf(node).map(({ to }) => to)));
  const names = Object.keys(graph.nodes);
  for (const id of [...names.filter((one) => !ledTo.has(one)), ...names])
    if (!placed.has(id)) apart.push(follow([], id, []));
  return { main, apart };

  /** `stops` are the steps at which the sequences around this one go on, the nearest last. */
  function follow(slots: readonly Slot[], first: string, stops: readonly string[]): Sequence {
    const steps: Placed[] = [];
    const gaps: Gap[] = [{ slots, to: first }];
    const ended = (end: SequenceEnd): Sequence => ({ steps, gaps, end });
    for (let to = first; ; ) {
      if (!Object.hasOwn(graph.nodes, to)) return ended({ kind: "nowhere", to });
      if (stops.at(-1) === to) return ended({ kind: "joins", to });
      if (placed.has(to) || stops.includes(to)) return ended({ kind: "link", to });
      placed.add(to);
      const node = graph.nodes[to] ?? {};
      const found = joins.get(to);
      const join = found !== undefined && !placed.has(found) ? found : undefined;
      const step = placeStep(to, node, [...stops, join ?? NO_STOP]);
      steps.push(step);
      if (isEnding(node) || (hasWays(node) && join === undefined)) return ended({ kind: "over" });
      const next = hasWays(node) ? (join as string) : (waysOf(node)[0]?.to ?? "");
      gaps.push({ slots: exitsOf(step, next), to: next });
      to = next;
    }
  }

  function placeStep(id: string, node: Json, stops: readonly string[]): Placed {
    if (!hasWays(node)) return { id, node, ways: [] };
    const ways = waysOf(node).map(({ key, to }) => ({
      key,
      sequence: follow([{ node: id, key }], to, stops),
    }));
    return { id, node, ways };
  }
}

/** No step is named so. */
const NO_STOP = " ";

/** The ways out of a step, and out of all that stands under it, to what follows. */
function exitsOf(step: Placed, to: string): readonly Slot[] {
  return membersOf(step).flatMap(({ id, node }) =>
    waysOf(node)
      .filter((way) => way.to === to)
      .map(({ key }) => ({ node: id, key })),
  );
}

/** The step and all that stands under it. */
export function membersOf(step: Placed): readonly Placed[] {
  return [step, ...step.ways.flatMap(({ sequence }) => stepsIn(sequence))];
}

export const stepsIn = (sequence: Sequence): readonly Placed[] => sequence.steps.flatMap(membersOf);

export const allSteps = ({ main, apart }: Outline): readonly Placed[] => [main, ...apart].flatMap(stepsIn);

export type Position = {
  readonly step: Placed;
  readonly sequence: Sequence;
  readonly at: number;
  readonly isApart: boolean;
};

/** Where a step stands. */
export function positionOf({ main, apart }: Outline, id: string): Position | undefined {
  const search = (sequence: Sequence, isApart: boolean): Position | undefined => {
    for (const [at, step] of sequence.steps.entries()) {
      if (step.id === id) return { step, sequence, at, isApart };
      for (const way of step.ways) {
        const found = search(way.sequence, isApart);
        if (found) return found;
      }
    }
    return undefined;
  };
  return search(main, false) ?? apart.map((one) => search(one, true)).find((one) => one !== undefined);
}

export type Place = {
  readonly gap: Gap;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** All places at which a step could stand, from the top to the bottom. */
export function placesIn(sequence: Sequence): readonly Place[] {
  return sequence.gaps.flatMap((gap, at) => [
    { gap, after: sequence.steps[at - 1]?.id, before: sequence.steps[at]?.id },
    ...(sequence.steps[at]?.ways.flatMap((way) => placesIn(way.sequence)) ?? []),
  ]);
}
