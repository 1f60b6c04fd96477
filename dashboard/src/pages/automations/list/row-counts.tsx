/** How many are in an automation, came to it, and went through. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { AutomationSummary } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { statsQuery } from "../lifecycle/use-counts.ts";

const EVERY_MS = 10_000;

export function RowCounts({ automation }: { automation: AutomationSummary }) {
  const { t } = useTranslation();
  const { id, live_version: version } = automation;
  const { data: whole } = useQuery({
    ...statsQuery(id),
    enabled: version !== null,
    refetchInterval: EVERY_MS,
  });
  if (version === null) return <span className="dim">{t("automations.notStarted")}</span>;
  if (!whole) return null;
  return (
    <span className="stack tight num">
      <span>{t("lifecycle.counts.active", { count: whole.active, number: formatNumber(whole.active) })}</span>
      <span className="xs dim">
        {t("lifecycle.counts.through", {
          entered: formatNumber(whole.entered),
          completed: formatNumber(whole.completed),
        })}
      </span>
    </span>
  );
}
