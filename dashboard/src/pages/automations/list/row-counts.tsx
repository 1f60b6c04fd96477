/** How many are in an automation, came to it, and went through. */
import { useTranslation } from "react-i18next";
import type { AutomationSummary } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { useCounts } from "../lifecycle/use-counts.ts";

export function RowCounts({ automation }: { automation: AutomationSummary }) {
  const { t } = useTranslation();
  const whole = useCounts(automation)?.whole;
  if (automation.live_version === null) return <span className="dim">{t("automations.notStarted")}</span>;
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
