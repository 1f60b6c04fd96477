import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CampaignSummary } from "../../../api/openapi.ts";
import { sessionQuery } from "../../../api/queries.ts";
import { formatNumber, formatWhen } from "../../../i18n/format.ts";
import { CampaignState } from "../state.tsx";

/** The state, and under it what is worth knowing about it. */
export function StateCell({ campaign }: { campaign: CampaignSummary }) {
  const detail = useStateDetail(campaign);
  return (
    <div className="two-lines">
      <CampaignState status={campaign.status} />
      {detail && (
        <span className="xs dim trunc" title={detail}>
          {detail}
        </span>
      )}
    </div>
  );
}

function useStateDetail(campaign: CampaignSummary): string | undefined {
  const { t, i18n } = useTranslation();
  const pauser = usePauser(campaign);
  const { status, progress, send_at, stats } = campaign;
  if (status === "scheduled") return send_at ? formatWhen(send_at) : undefined;
  if (status === "paused") return pauser;
  if (status === "sending") {
    if (progress.phase === "planning" || progress.total === 0) return t("campaigns.planning");
    const number = Math.floor((100 * progress.done) / progress.total);
    const isWaiting = progress.phase === "waiting" || progress.phase === "held";
    return t(isWaiting ? "campaigns.waiting" : "campaigns.percent", { number });
  }
  if (status === "canceled" && stats)
    return t("campaigns.hadIt", { count: stats.sent, number: formatNumber(stats.sent) });
  if (status === "failed" && campaign.status_reason) {
    const key = `campaigns.why.${campaign.status_reason}`;
    return i18n.exists(key) ? t(key as "campaigns.why.no_recipients") : campaign.status_reason;
  }
  return undefined;
}

/** Who or what paused it. */
function usePauser({ pause_reason, updated_by: by }: CampaignSummary): string {
  const { t, i18n } = useTranslation();
  const { data: session } = useQuery(sessionQuery);
  const key = `campaigns.pausedFor.${pause_reason}`;
  if (i18n.exists(key)) return t(key as "campaigns.pausedFor.complaints");
  if (by?.kind === "user" && by.id === session?.user.id) return t("campaigns.pausedByYou");
  return by?.name ? t("campaigns.pausedBy", { name: by.name }) : t("campaigns.pausedByHand");
}
