/** Why a campaign failed, and what can be done about it. */
import { useQuery } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { statsQuery } from "./use-campaign.ts";

const KNOWN = [
  "no_recipients",
  "preflight_failed",
  "unsubscribe_not_served",
  "public_url_not_reachable",
  "campaign_locked",
] as const;

export function WhyFailed({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { data: stats } = useQuery(statsQuery(campaign.id));
  const reason = campaign.status_reason ?? "";
  const known = KNOWN.find((one) => one === reason.split(":")[0]);
  const left = stats?.queued ?? 0;
  return (
    <div className="body">
      <div className="note danger" role="alert">
        <Icon of={CircleAlert} />
        <div className="stack tight grow">
          <b>{t(stats && stats.sent > 0 ? "sending.failed.titleSome" : "sending.failed.title")}</b>
          <span>{t(`sending.failed.reasons.${known ?? "other"}`)}</span>
          {reason !== known && reason !== "" && <span className="mono break">{reason}</span>}
          {left > 0 && campaign.allowed_actions.includes("send") && (
            <span>{t("sending.failed.left", { count: left, number: formatNumber(left) })}</span>
          )}
        </div>
      </div>
    </div>
  );
}
