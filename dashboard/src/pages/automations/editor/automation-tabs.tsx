/** The parts of one automation, each with an address of its own. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../api/may.ts";

const EXACT = { exact: true, includeSearch: false };

export function AutomationTabs({ id }: { id: string }) {
  const { t } = useTranslation();
  const may = useMay();
  const props = { params: { id }, activeOptions: EXACT };
  return (
    <nav className="tabs" aria-label={t("runs.tabs.label")}>
      <Link to="/automations/$id" {...props}>
        {t("runs.tabs.steps")}
      </Link>
      {may("subscribers:read") && (
        <Link to="/automations/$id/people" {...props}>
          {t("runs.tabs.people")}
        </Link>
      )}
      <Link to="/automations/$id/versions" {...props}>
        {t("runs.tabs.versions")}
      </Link>
    </nav>
  );
}
