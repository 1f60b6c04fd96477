/** As what a run ends whose person may not be mailed any more, whatever the graph says. */
export type HowLeft = "unsubscribed" | "bounced" | "suppressed";

/**
 * Says from why somebody can't be mailed, as `FactReader` words it, how their run ends; undefined where it goes on. A pause ends by itself, and who is
 * dormant may wake, so neither ends a run: what would be mailed meanwhile is skipped.
 */
export function exitOf(why: string | null): HowLeft | undefined {
  if (why === null || why === "paused" || why === "dormant") return undefined;
  if (why.startsWith("suppressed_") || why === "complained") return "suppressed";
  return why === "bounced" ? "bounced" : "unsubscribed";
}
