/** What became of a campaign: how far its mail came, when it was opened, at which providers, beside the last ones, and by which links. */
import "../../../i18n/later/campaigns/report.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Printer } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { statsQuery } from "../campaign/use-campaign.ts";
import { ClickMap } from "./click-map.tsx";
import { Comparison } from "./comparison.tsx";
import { Funnel } from "./funnel.tsx";
import { LinkList } from "./link-list.tsx";
import { OverTime } from "./over-time.tsx";
import { Providers } from "./providers.tsx";
import "./report.css";

export function Report({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { data: stats, error, refetch } = useLiveStats(campaign);
  useRegisterActions(
    useMemo(
      () => [{ id: "print-report", label: t("report.print"), icon: Printer, run: () => window.print() }],
      [t],
    ),
  );
  // The numbers are on the screen before what stands below them is drawn.
  const hasRest = useDeferredValue(stats !== undefined, false);
  if (error) return <Failure title={t("report.unreadable")} error={error} retry={() => void refetch()} />;
  if (!stats) return <SkeletonLines />;
  return (
    <div className="report">
      <Funnel campaign={campaign} stats={stats} />
      {hasRest && (
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
      )}
    </div>
  );
}

/** Opens and clicks are no events unless an account keeps such, so a young report asks for its numbers itself. */
const ASK_EVERY_MS = 5_000;
const YOUNG_MS = 2 * 86_400_000;

/** The numbers of the funnel; where people have opened or clicked since, the parts below it are read anew too. */
function useLiveStats({ id, started_at: started }: Campaign) {
  const queries = useQueryClient();
  const isYoung = started !== null && Date.now() - Date.parse(started) < YOUNG_MS;
  const found = useQuery({ ...statsQuery(id), refetchInterval: isYoung ? ASK_EVERY_MS : false });
  const counted = found.data && found.data.opens.total + found.data.clicks.total;
  const before = useRef(counted);
  useEffect(() => {
    if (before.current !== undefined && counted !== before.current)
      void queries.invalidateQueries({
        queryKey: ["campaigns"],
        predicate: ({ queryKey: [, operation] }) => String(operation).includes("/stats/"),
      });
    before.current = counted;
  }, [counted, queries]);
  return found;
}
