/** What the editor offers. What the service doesn't run yet can't be published, so it isn't offered; a draft that has it shows it. */
import { STEP_TYPES } from "./draft.ts";

const NOT_RUN: ReadonlySet<string> = new Set(["segment_entered", "segment_left"]);

export function isOffered(type: string): boolean {
  return !NOT_RUN.has(type);
}

export const OFFERED_STEPS = STEP_TYPES.filter(isOffered);
