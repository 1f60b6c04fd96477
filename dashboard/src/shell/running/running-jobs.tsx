/** Bulk changes under way, as lines at the foot of the side bar. What ends is said in a toast, whatever page is open. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { BulkChange } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { notify } from "../../kit/toasts.tsx";

const LOOK_EVERY_MS = 1_000;
const MOVING: ReadonlySet<string> = new Set(["pending", "running", "undoing"]);

type Job = { readonly id: string; readonly label: string; readonly percent: number };

/** These were seen moving, or were started here: when they end, it is said once, however often this is shown. */
const awaited = new Set<string>();

/** Whoever starts a bulk change says so here, because a small one may be over before it is ever seen moving. */
export function awaitChange(id: string): void {
  awaited.add(id);
}

const isMoving = ({ status }: { readonly status: string }) => MOVING.has(status);

/** It is asked for again and again only while something moves. */
function watched<Row extends { readonly status: string }>(rows: readonly Row[] | undefined): number | false {
  return rows?.some(isMoving) || awaited.size > 0 ? LOOK_EVERY_MS : false;
}

/** The bulk changes that are under way. */
export function useMovingChanges(): readonly BulkChange[] {
  const changes = useQuery({
    ...query("GET /v1/bulk_changes", { query: { limit: 20 } }),
    refetchInterval: ({ state }) => watched(state.data?.data),
  });
  return (changes.data?.data ?? []).filter(isMoving);
}

export function RunningJobs() {
  const { t } = useTranslation();
  useAnnounceEnds();
  const jobs = useMovingChanges().map((change): Job => {
    return { id: change.id, label: changeLabel(t, change), percent: change.progress.percent };
  });
  if (jobs.length === 0) return null;
  return (
    <section className="jobs" aria-label={t("jobs.label")}>
      {jobs.map(({ id, label, percent }) => (
        <div key={id} className="job">
          <span className="row between">
            <span className="trunc">{label}</span>
            <span className="num dim">{Math.floor(percent)}%</span>
          </span>
          <progress max={100} value={percent} aria-label={label} />
        </div>
      ))}
    </section>
  );
}

/** What the change is doing, in words. */
export function changeLabel(t: TFunction, { status, action }: BulkChange): string {
  if (status === "undoing") return t("change.undoing");
  return t(`change.${action.type}`, { what: (action.tags ?? []).join(", ") });
}

function useAnnounceEnds(): void {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data, dataUpdatedAt } = useQuery(query("GET /v1/bulk_changes", { query: { limit: 20 } }));
  // An answer that is like the one before is looked at too, since what is awaited may stand beyond it.
  useEffect(() => {
    if (!data || dataUpdatedAt === 0) return;
    const undo = (id: string) => {
      void call("POST /v1/bulk_changes/{id}/undo", { path: { id } })
        .then(() => awaited.add(id))
        .catch((error) => notify(asApiError(error).message))
        .finally(() => queries.invalidateQueries({ queryKey: ["bulk_changes"] }));
    };
    const look = (change: BulkChange) => {
      if (isMoving(change)) awaited.add(change.id);
      else if (awaited.delete(change.id)) {
        announce(t, change, () => undo(change.id));
        for (const thing of ["subscribers", "lists", "tags", "segments"])
          void queries.invalidateQueries({ queryKey: [thing] });
      }
    };
    for (const change of data.data) look(change);
    const shown = new Set(data.data.map(({ id }) => id));
    for (const id of awaited) {
      if (!shown.has(id)) void findAwaited(id).then((change) => change && awaited.has(id) && look(change));
    }
  }, [data, dataUpdatedAt, t, queries]);
}

/** Asks for one that the newest don't show. One that is refused is another account's, or gone, and isn't awaited any more. */
async function findAwaited(id: string): Promise<BulkChange | undefined> {
  try {
    return await call("GET /v1/bulk_changes/{id}", { path: { id } });
  } catch (error) {
    const { status } = asApiError(error);
    if (status >= 400 && status < 500) awaited.delete(id);
    return undefined;
  }
}

function announce(t: TFunction, change: BulkChange, undo: () => void): void {
  const way = change.undo_until === null ? undefined : { label: t("do.undo"), run: undo };
  notify(endOf(t, change), way);
}

/** What was done, and what was left out. */
function endOf(t: TFunction, { status, action, counts, error }: BulkChange): string {
  const { changed, skipped, failed, undone } = counts;
  if (status === "undone") return t("change.undone", { count: undone, number: formatNumber(undone) });
  if (status === "canceled") return t("change.canceled", { number: formatNumber(changed) });
  if (status === "failed")
    return t("change.failed", { number: formatNumber(changed), why: error?.detail ?? "" });
  const left = skipped + failed;
  const done = t(`change.done.${action.type}`, {
    count: changed,
    number: formatNumber(changed),
    what: (action.tags ?? []).join(", "),
  });
  if (left === 0) return done;
  return `${done} · ${t("change.skipped", { count: left, number: formatNumber(left) })}`;
}
