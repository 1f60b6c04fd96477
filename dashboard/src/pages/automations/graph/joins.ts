/** Where the ways out of a step meet again, so that what follows can stand below all of them. */
import { type Graph, hasWays, waysOf } from "./draft.ts";

/** Stands for the end of every run. */
const OVER = "";

/**
 * Finds, for each step with several ways, the first step that all of them pass (the immediate post-dominator). Steps from which no run ends
 * have none, and neither have those whose ways only meet where runs end.
 */
export function findJoins(graph: Graph): ReadonlyMap<string, string> {
  const names = Object.keys(graph.nodes);
  const next = new Map(names.map((id) => [id, followersOf(graph, id)]));
  const passed = new Map<string, ReadonlySet<string>>();
  const ending = endingSteps(names, next);
  for (const id of names) if (ending.has(id)) passed.set(id, new Set([...ending, OVER]));
  passed.set(OVER, new Set([OVER]));
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const id of ending) {
      const sets = (next.get(id) ?? []).flatMap((to) => passed.get(to) ?? []);
      const common = [...(sets[0] ?? [])].filter((one) => sets.every((set) => set.has(one)));
      const found = new Set([id, ...common]);
      if (found.size === passed.get(id)?.size) continue;
      passed.set(id, found);
      hasChanged = true;
    }
  }
  const joins = new Map<string, string>();
  for (const id of names) {
    if (!hasWays(graph.nodes[id] ?? {})) continue;
    const after = [...(passed.get(id) ?? [])].filter((one) => one !== id && one !== OVER);
    // Whoever comes first passes all of the others, too.
    const first = after.toSorted((a, b) => (passed.get(b)?.size ?? 0) - (passed.get(a)?.size ?? 0))[0];
    if (first !== undefined) joins.set(id, first);
  }
  return joins;
}

function followersOf(graph: Graph, id: string): readonly string[] {
  const ways = waysOf(graph.nodes[id] ?? {});
  if (ways.length === 0) return [OVER];
  return ways.map(({ to }) => (Object.hasOwn(graph.nodes, to) ? to : OVER));
}

/** The steps from which a run can end. */
function endingSteps(
  names: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const id of names)
      if ((next.get(id) ?? []).some((to) => to === OVER || found.has(to))) found.add(id);
  }
  return found;
}
