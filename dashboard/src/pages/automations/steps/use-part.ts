import { sentence } from "../../../kit/sentence.ts";
import { useEditing } from "../editor/editing.ts";
import { changeStep, cleaned, type Json } from "../graph/draft.ts";
import type { FaultPlace, PlacedFault } from "../graph/faults.ts";
import type { PartProps } from "./step-props.ts";

/** The step, to be edited. */
export function useStep(id: string): PartProps {
  const { graph, change, faults } = useEditing();
  return {
    value: graph.nodes[id] ?? {},
    set: (patch, kind) => change(changeStep(graph, id, patch), kind && `${id} ${kind}`),
    faultOf: faultFinder(faults.get(`step:${id}`)),
    name: `step-${id}`,
  };
}

/** A part of the draft that isn't a step, to be edited. */
export function useSection(section: Exclude<FaultPlace, `step:${string}` | "draft">) {
  const { graph, change, faults } = useEditing();
  return {
    value: graph[section],
    write: (next: unknown, kind?: string) =>
      change({ ...graph, [section]: next }, kind && `${section} ${kind}`),
    faultOf: faultFinder(faults.get(section)),
  };
}

function faultFinder(faults: readonly PlacedFault[] = []) {
  return (part: string) => {
    const found = faults.find((one) => one.part === part);
    return found && sentence(found.detail);
  };
}

/** One object within another, such as a trigger in a list of them. */
export function partAt(
  { set, faultOf, name }: Omit<PartProps, "value">,
  key: string,
  value: Json,
  write: (next: Json) => Json,
): PartProps {
  return {
    value,
    set: (patch, kind) => set(write(cleaned({ ...value, ...patch })), kind && `${key} ${kind}`),
    faultOf: (part) => faultOf(part === "" ? key : `${key}/${part}`),
    name: `${name}-${key.replaceAll("/", "-")}`,
  };
}

/** The same for a list: `key` is where the list stands. */
export function partsAt(
  outer: Omit<PartProps, "value">,
  key: string,
  list: readonly Json[],
): readonly PartProps[] {
  return list.map((value, at) =>
    partAt(outer, `${key}/${at}`, value, (next) => ({
      [key]: list.map((one, index) => (index === at ? next : one)),
    })),
  );
}
