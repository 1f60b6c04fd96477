/** Divides what happened so that each may be told all at once: those who are let in, and then what wakes people and leads them out. */
import type { Happening } from "./happenings.ts";

export type Round = { readonly entering: readonly Happening[]; readonly told: readonly Happening[] };

/**
 * Somebody who is led out and then let in again, or let in twice with a goal between, comes into a later round, since whoever is inside isn't
 * let in. Mostly there is one round.
 */
export function toRounds(
  happenings: readonly Happening[],
  by: { letsIn(one: Happening): boolean; leadsOut(one: Happening): boolean },
): readonly Round[] {
  const rounds: { entering: Happening[]; told: Happening[]; ledOut: Set<string> }[] = [];
  for (const one of happenings) {
    const letsIn = by.letsIn(one);
    let round = rounds.at(-1);
    if (!round || (letsIn && round.ledOut.has(one.subscriberId))) {
      round = { entering: [], told: [], ledOut: new Set() };
      rounds.push(round);
    }
    round.told.push(one);
    if (letsIn) round.entering.push(one);
    if (by.leadsOut(one)) round.ledOut.add(one.subscriberId);
  }
  return rounds;
}
