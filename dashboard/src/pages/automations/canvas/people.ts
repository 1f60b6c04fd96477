/** How many people took a line, and how wide it is by that. */
import type { Slot } from "../graph/draft.ts";
import type { Counts } from "../lifecycle/use-counts.ts";
import { takenOf } from "../lifecycle/use-counts.ts";

const WIDEST = 12;
const THINNEST = 1.5;

/** Undefined where nothing has been counted yet. */
export function peopleOn(slots: readonly Slot[], counts: Counts | undefined): number | undefined {
  if (!counts || counts.whole.entered === 0) return undefined;
  return slots.reduce(
    (sum, { node, key }) => sum + (node === null ? counts.whole.entered : takenOf(counts, node, key)),
    0,
  );
}

/** In proportion to the most that any line has, so that a tenth of the people is a tenth of the width. */
export function widthOfLine(people: number | undefined, most: number): number {
  if (people === undefined || most === 0) return THINNEST;
  return Math.max(THINNEST, (WIDEST * people) / most);
}
