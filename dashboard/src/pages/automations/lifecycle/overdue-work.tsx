/** How far the service has come with many steps that fell due in a pause: nobody among them moves before their turn. */
import { useTranslation } from "react-i18next";
import type { AutomationSummary } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { useEditing } from "../editor/editing.ts";

export function OverdueWork({ automation }: { automation: Pick<AutomationSummary, "overdue"> }) {
  const { t } = useTranslation();
  const whole = useEditing().counts?.whole;
  // The numbers follow the service; the automation is as it was when it was last read.
  const overdue = whole ? whole.overdue : automation.overdue;
  if (!overdue) return null;
  const { choice, people, done } = overdue;
  const lead = t(`lifecycle.overdue.${choice}`, { count: people, number: formatNumber(people) });
  return (
    <div className="note info automation-note">
      <div className="job grow">
        <span>{lead}</span>
        <progress aria-label={lead} max={people} value={done} />
        <span className="sm mid">
          {t("lifecycle.overdue.progress", { done: formatNumber(done), people: formatNumber(people) })}
        </span>
      </div>
    </div>
  );
}
