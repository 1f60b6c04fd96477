/** How many people came to each step, stand there, and went which way. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { AutomationStats, AutomationSummary } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";

type StepCounts = AutomationStats["nodes"][number];
export type MailCounts = AutomationStats["mails"][number];
type GoalCounts = AutomationStats["goals"]["data"][number];
type WayOfSplit = AutomationStats["splits"][number]["ways"][number];

export type Counts = {
  readonly whole: AutomationStats;
  readonly steps: ReadonlyMap<string, StepCounts>;
  readonly mails: ReadonlyMap<string, MailCounts>;
  /** By step. Those who leave as a goal are at null. */
  readonly goals: ReadonlyMap<string | null, GoalCounts>;
  readonly splits: ReadonlyMap<string, readonly WayOfSplit[]>;
};

const EVERY_MS = 10_000;

/** Undefined before the first start, and until they have come. */
export function useCounts({
  id,
  live_version: version,
}: Pick<AutomationSummary, "id" | "live_version">): Counts | undefined {
  const { data: whole } = useQuery({
    ...query("GET /v1/automations/{id}/stats", { path: { id } }),
    enabled: version !== null,
    refetchInterval: EVERY_MS,
  });
  return useMemo(
    () =>
      whole && {
        whole,
        steps: new Map(whole.nodes.map((one) => [one.node, one])),
        mails: new Map(whole.mails.map((one) => [one.node, one])),
        goals: new Map(whole.goals.data.map((one) => [one.node, one])),
        splits: new Map(whole.splits.map(({ node, ways }) => [node, ways])),
      },
    [whole],
  );
}

export const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, one) => sum + one, 0);

/** Whether there is something to reach, by which the ways of a split can be compared. */
export const hasGoals = ({ goals, whole }: Counts) => goals.size > 0 || whole.goals.reached > 0;

/** How many took a way. The service counts the ways of a list by their numbers. */
export function takenOf(counts: Counts, node: string, key: string): number {
  return counts.steps.get(node)?.left[/^ways\/(\d+)\/next$/.exec(key)?.[1] ?? key] ?? 0;
}
