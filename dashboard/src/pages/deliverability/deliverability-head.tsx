/** What stands above each part of the place: its title, what can be done, and the ways to the other parts. */
import "../../i18n/later/deliverability.ts";
import "./deliverability.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/format.ts";
import { PageHead } from "../../kit/page.tsx";
import { openAlertsQuery } from "../../shell/open-alerts.ts";

const TABS = [
  { to: "/deliverability", label: "deliverability.tabs.domains" },
  { to: "/deliverability/providers", label: "deliverability.tabs.providers" },
  { to: "/deliverability/dmarc", label: "deliverability.tabs.dmarc" },
  { to: "/deliverability/checklist", label: "deliverability.tabs.checklist" },
  { to: "/deliverability/tests", label: "deliverability.tabs.tests" },
  { to: "/deliverability/blocklists", label: "deliverability.tabs.blocklists" },
  { to: "/deliverability/alerts", label: "deliverability.tabs.alerts" },
] as const;

export function DeliverabilityHead({
  tab,
  actions,
}: {
  tab: (typeof TABS)[number]["to"];
  actions?: ReactNode;
}) {
  const { t } = useTranslation();
  const { data: alerts } = useQuery(openAlertsQuery);
  const title = t("nav.deliverability");
  const present = TABS.find(({ to }) => to === tab);
  return (
    <>
      <PageHead
        title={title}
        tabTitle={present ? t("settings.tabTitle", { section: t(present.label), title }) : title}
        sub={t("deliverability.lead")}
        {...(actions !== undefined && { actions })}
      />
      <nav className="tabs" aria-label={t("deliverability.parts")}>
        {TABS.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === "/deliverability", includeSearch: false }}
            activeProps={{ "aria-current": "page" }}
          >
            {t(label)}
            {to === "/deliverability/alerts" && alerts !== undefined && alerts > 0 && (
              <span className="n">{formatNumber(alerts)}</span>
            )}
          </Link>
        ))}
      </nav>
    </>
  );
}
