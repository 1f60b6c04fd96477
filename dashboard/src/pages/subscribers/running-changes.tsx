import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { BulkChange } from "../../api/openapi.ts";
import { asApiError } from "../../api/problem.ts";
import { formatClock, formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { notify } from "../../kit/toasts.tsx";
import { changeLabel, useMovingChanges } from "../../shell/running/running-jobs.tsx";

/** The changes that run on the table's people: how far, how fast, until when, and a way to stop. */
export function RunningChanges() {
  return useMovingChanges().map((change) => <RunningChange key={change.id} change={change} />);
}

function RunningChange({ change }: { change: BulkChange }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { counts, progress } = change;
  const isUndoing = change.status === "undoing";
  const cancel = () =>
    void call("POST /v1/bulk_changes/{id}/cancel", { path: { id: change.id } })
      .catch((error) => notify(asApiError(error).message))
      .finally(() => queries.invalidateQueries({ queryKey: ["bulk_changes"] }));
  const parts =
    counts.total === null
      ? [t("change.finding")]
      : [
          t("change.progress", {
            done: formatNumber(isUndoing ? counts.undone : counts.processed),
            total: formatNumber(isUndoing ? counts.changed : counts.total),
          }),
          ...(progress.per_second ? [t("change.rate", { rate: formatNumber(progress.per_second) })] : []),
          ...(progress.eta ? [t("change.until", { time: formatClock(progress.eta) })] : []),
        ];
  const label = changeLabel(t, change);
  return (
    <div className="running note">
      <div className="grow stack tight">
        <span className="row wrap">
          <b className="break">{label}</b>
          <span className="num">{parts.join(" · ")}</span>
        </span>
        <progress
          max={Math.max(1, isUndoing ? counts.changed : (counts.total ?? 1))}
          value={isUndoing ? counts.undone : counts.processed}
          aria-label={label}
        />
      </div>
      {!isUndoing && (
        <Button kind="quiet" size="sm" onClick={cancel}>
          {t("change.cancel")}
        </Button>
      )}
    </div>
  );
}
