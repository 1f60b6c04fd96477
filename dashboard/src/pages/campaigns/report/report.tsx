/** What became of a campaign: how far its mail came, when it was opened, at which providers, beside the last ones, and by which links. */
import "../../../i18n/later/report.ts";
import { useQuery } from "@tanstack/react-query";
import { Printer } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { ClickMap } from "./click-map.tsx";
import { Comparison } from "./comparison.tsx";
import { Funnel } from "./funnel.tsx";
import { LinkList } from "./link-list.tsx";
import { OverTime } from "./over-time.tsx";
import { Providers } from "./providers.tsx";
import "./report.css";

export function Report({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const path = { id: campaign.id };
  const { data: stats, error, refetch } = useQuery(query("GET /v1/campaigns/{id}/stats", { path }));
  useRegisterActions(
    useMemo(
      () => [{ id: "print-report", label: t("report.print"), icon: Printer, run: () => window.print() }],
      [t],
    ),
  );
  if (error) return <Failure title={t("report.unreadable")} error={error} retry={() => void refetch()} />;
  if (!stats) return <SkeletonLines />;
  return (
    <div className="report">
      <Funnel campaign={campaign} stats={stats} />
      <div className="report-columns">
        <div className="report-main">
          <OverTime campaign={campaign} stats={stats} />
          <Providers campaign={campaign} />
          <Comparison campaign={campaign} />
        </div>
        <aside className="report-side">
          <ClickMap campaign={campaign} stats={stats} />
          <LinkList campaign={campaign} stats={stats} />
        </aside>
      </div>
    </div>
  );
}
