/** What is worth knowing beside the numbers: who has it already, what a pause does, and why the service paused it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CirclePause } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Campaign, CampaignStats } from "../../../api/openapi.ts";
import { query, sessionQuery } from "../../../api/queries.ts";
import { formatNumber, formatRate, formatTime } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { useWho } from "../../../kit/who.ts";

export function AlreadyThere({ stats }: { stats: CampaignStats }) {
  const { t } = useTranslation();
  const { campaign_id: id, opens, clicks } = stats;
  const of = (traffic: CampaignStats["opens"]) =>
    traffic.human_unique ?? traffic.total - traffic.machine_total;
  return (
    <section className="stack">
      <h2>{t("sending.live.there")}</h2>
      {stats.tracking !== "off" && (
        <div className="there">
          <div className="stat">
            <span className="v">{formatNumber(of(opens))}</span>
            <span className="d">
              {t(opens.human_unique === null ? "sending.live.opens" : "sending.live.opened")}
            </span>
          </div>
          <div className="stat">
            <span className="v">{formatNumber(of(clicks))}</span>
            <span className="d">
              {t(clicks.human_unique === null ? "sending.live.clicks" : "sending.live.clicked")}
            </span>
          </div>
        </div>
      )}
      <Link className="link sm" to="/campaigns/$id/recipients" params={{ id }} search={{ status: "sent" }}>
        {t("sending.live.whoHas")}
      </Link>
    </section>
  );
}

export function IfYouPause({ stats }: { stats: CampaignStats }) {
  const { t } = useTranslation();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const left = { count: stats.queued, number: formatNumber(stats.queued) };
  return (
    <section className="stack">
      <h2>{t("sending.live.ifPause")}</h2>
      <p className="sm mid">{t("sending.live.ifPauseText", left)}</p>
      {account && (
        <p className="sm mid">
          {t("sending.live.guardrails", {
            complaints: formatRate(account.guardrails.complaint_pause_rate),
            bounces: formatRate(account.guardrails.hard_bounce_pause_rate),
          })}
        </p>
      )}
    </section>
  );
}

const BY_SERVICE = [
  "transport_rejected",
  "transport_missing",
  "signing_key_unreadable",
  "hard_bounces",
  "complaints",
  "review",
  "quota_reached",
] as const;

/** Nobody has to mend these: they end by themselves. */
const ONLY_WAITS: readonly unknown[] = ["review", "quota_reached"];

/** Why it stands still: by whom, or what the service found, in its figures or in the server's words, and what a resume does. */
export function WhyPaused({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const who = useWho();
  const { pause_reason: reason, status_reason: words, updated_by: by, updated_at: at } = campaign;
  const { data: session } = useQuery(sessionQuery);
  const isOwn = by?.kind === "user" && by.id === session?.user.id;
  const time = formatTime(at);
  const ofService = BY_SERVICE.find((one) => one === reason);
  const isFault = ofService !== undefined && !ONLY_WAITS.includes(ofService);
  const left = { count: stats.queued, number: formatNumber(stats.queued) };
  return (
    <div className={isFault ? "note danger" : "note warn"} role={isFault ? "alert" : "status"}>
      <Icon of={CirclePause} />
      <div className="stack tight grow">
        <b>
          {ofService
            ? t(`sending.live.paused.${ofService}`)
            : isOwn
              ? t("sending.live.paused.byYou", { time })
              : t("sending.live.paused.requested", { who: who(by), time })}
        </b>
        {ofService && words && <span className="mono break">{words}</span>}
        {ofService && <span>{t(`sending.live.pausedWhat.${ofService}`)}</span>}
        {ofService !== "review" && <span>{t("sending.live.resumeDoes", left)}</span>}
      </div>
    </div>
  );
}
