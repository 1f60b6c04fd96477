/** The faults of a draft by their places: those of a step at the step, others at the part of the draft that they are about. */
import type { DraftFault } from "../../../api/openapi.ts";

/** A step by its id after `step:`, or a part of the draft. */
export type FaultPlace = `step:${string}` | "entry" | "exit" | "send" | "draft";

export type PlacedFault = {
  /** What within the place it is about, such as `subject` or `ways/0/if`. */
  readonly part: string;
  readonly code: string;
  readonly detail: string;
};

export function faultsByPlace(
  faults: readonly DraftFault[],
): ReadonlyMap<FaultPlace, readonly PlacedFault[]> {
  const found = new Map<FaultPlace, PlacedFault[]>();
  for (const { pointer, code, detail } of faults) {
    const [, , section = "", ...rest] = pointer.split("/");
    const isOfStep = section === "nodes" && rest[0] !== undefined;
    const place: FaultPlace = isOfStep
      ? `step:${unescapePointer(rest[0] ?? "")}`
      : section === "entry" || section === "exit" || section === "send"
        ? section
        : "draft";
    const part = (isOfStep ? rest.slice(1) : place === "draft" ? [section, ...rest] : rest).join("/");
    found.set(place, [...(found.get(place) ?? []), { part, code, detail }]);
  }
  return found;
}

/** As RFC 6901 writes names with a slash or a tilde in them. */
function unescapePointer(text: string): string {
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
