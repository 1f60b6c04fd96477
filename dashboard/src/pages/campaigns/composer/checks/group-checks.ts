/** Puts checks together that say the same of several places. */
import type { CampaignCheck } from "../../../../api/openapi.ts";

export type CheckGroup = {
  readonly code: string;
  readonly severity: CampaignCheck["severity"];
  readonly first: CampaignCheck;
  /** Those with a place beside the first. */
  readonly others: readonly CampaignCheck[];
  /** How many more there are whose places aren't known. */
  readonly uncounted: number;
};

/** In their order, which is the worst first. Those that have no place stand alone, since each says something else. */
export function groupChecks(checks: readonly CampaignCheck[]): readonly CheckGroup[] {
  const groups: CheckGroup[] = [];
  for (const check of checks) {
    const { code, severity, place, count } = check;
    const at = groups.findIndex(
      ({ first, ...group }) => group.code === code && group.severity === severity && first.place !== null,
    );
    const group = groups[at];
    if (!group || (place === null && count === 1))
      groups.push({ code, severity, first: check, others: [], uncounted: count - 1 });
    else if (place === null) groups[at] = { ...group, uncounted: group.uncounted + count };
    else groups[at] = { ...group, others: [...group.others, check] };
  }
  return groups;
}

/** How many faults of a severity there are in all. */
export function countOf(groups: readonly CheckGroup[], severity: CampaignCheck["severity"]): number {
  return groups
    .filter((group) => group.severity === severity)
    .reduce((sum, { others, uncounted }) => sum + 1 + others.length + uncounted, 0);
}
