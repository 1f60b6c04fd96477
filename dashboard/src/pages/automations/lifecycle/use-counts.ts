/** How many people came to each step, stand there, and went which way. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ofAccount } from "../../../api/account.ts";
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

const ASK_EVERY_MS = 5_000;
/** Numbers that change faster than this can't be read. */
const SHOW_EVERY_MS = 500;

export const statsQuery = (id: string) => query("GET /v1/automations/{id}/stats", { path: { id } });

/** Undefined before the first start, and until they have come. They follow the service's stream, and are asked for where that is silent. */
export function useCounts({
  id,
  live_version: version,
  status,
}: Pick<AutomationSummary, "id" | "live_version" | "status">): Counts | undefined {
  const moves = version !== null && status !== "archived";
  const isHeard = useStream(id, moves);
  const { data: whole } = useQuery({
    ...statsQuery(id),
    enabled: version !== null,
    refetchInterval: moves && !isHeard && ASK_EVERY_MS,
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

/** Puts what the stream says where the numbers are kept, and returns whether it is heard. A hidden tab closes it. */
function useStream(id: string, moves: boolean): boolean {
  const queries = useQueryClient();
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === "visible");
  const [isHeard, setHeard] = useState(false);
  useEffect(() => {
    if (!moves || !isVisible) return;
    const source = new EventSource(ofAccount(`/v1/automations/${encodeURIComponent(id)}/stats/stream`));
    let latest: AutomationStats | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      if (latest) queries.setQueryData(statsQuery(id).queryKey, latest);
    };
    const hear = ({ data }: MessageEvent<string>) => {
      setHeard(true);
      latest = JSON.parse(data) as AutomationStats;
      timer ??= setTimeout(show, SHOW_EVERY_MS);
    };
    source.addEventListener("stats", hear);
    source.addEventListener("done", (event) => {
      source.close();
      hear(event);
    });
    source.addEventListener("error", () => setHeard(false));
    return () => {
      source.close();
      clearTimeout(timer);
      setHeard(false);
    };
  }, [id, moves, isVisible, queries]);
  return isHeard;
}

function onVisibility(changed: () => void): () => void {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
}

export const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, one) => sum + one, 0);

/** Whether there is something to reach, by which the ways of a split can be compared. */
export const hasGoals = ({ goals, whole }: Counts) => goals.size > 0 || whole.goals.reached > 0;

/** How many took a way. The service counts the ways of a list by their numbers. */
export function takenOf(counts: Counts, node: string, key: string): number {
  return counts.steps.get(node)?.left[/^ways\/(\d+)\/next$/.exec(key)?.[1] ?? key] ?? 0;
}
