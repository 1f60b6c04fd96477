/** The parts of one automation, each with an address of its own. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../api/may.ts";

export function AutomationTabs({ id, at }: { id: string; at: "steps" | "people" }) {
  const { t } = useTranslation();
  const may = useMay();
  const props = (tab: typeof at) => ({
    params: { id },
    "aria-current": tab === at ? ("page" as const) : undefined,
  });
  return (
    <nav className="tabs" aria-label={t("runs.tabs.label")}>
      <Link to="/automations/$id" {...props("steps")}>
        {t("runs.tabs.steps")}
      </Link>
      {may("subscribers:read") && (
        <Link to="/automations/$id/people" {...props("people")}>
          {t("runs.tabs.people")}
        </Link>
      )}
    </nav>
  );
}
