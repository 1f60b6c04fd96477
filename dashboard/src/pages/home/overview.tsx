import { useTranslation } from "react-i18next";
import type { Account } from "../../api/openapi.ts";
import { formatLongDay, formatNumber } from "../../i18n/format.ts";
import { PageHead } from "../../kit/page.tsx";
import { Attention, useAttention } from "./attention.tsx";
import { useCampaigns, useRoad } from "./campaign-queries.ts";
import { useKeepChecklist } from "./first-steps/use-keep-checklist.tsx";
import { GrowthPanel } from "./growth-panel.tsx";
import { HealthPanel } from "./health-panel.tsx";
import { NextPanel } from "./next-panel.tsx";
import { RecentCampaigns } from "./recent-campaigns.tsx";
import { RoadCard } from "./road-card.tsx";

type Props = { account: Account; mayChange: boolean };

export function Overview(props: Props) {
  const { t } = useTranslation();
  const road = useRoad();
  const paused = useCampaigns({ status: "paused", limit: 10 });
  const attention = useAttention(props);
  const onTheRoad = road.length + paused.filter(({ paused_from }) => paused_from === "sending").length;
  const say = (key: "home.road" | "home.attention", count: number) =>
    count > 0 && t(key, { count, number: formatNumber(count) });
  const sub = [say("home.road", onTheRoad), say("home.attention", attention.length)].filter(Boolean);
  return (
    <>
      <PageHead title={formatLongDay(new Date())} sub={sub.length > 0 ? sub.join(" ") : t("home.calm")} />
      <Sections {...props} />
    </>
  );
}

export function Sections(props: Props) {
  const { t } = useTranslation();
  const road = useRoad();
  const attention = useAttention(props);
  return (
    <div className="home">
      <div className="home-main">
        {road.map((campaign) => (
          <RoadCard key={campaign.id} campaign={campaign} />
        ))}
        {attention.length > 0 && <Attention items={attention} />}
        <RecentCampaigns />
      </div>
      <section className="home-aside" aria-label={t("home.numbers")}>
        <GrowthPanel />
        <hr className="rule" />
        <HealthPanel guardrails={props.account.guardrails} />
        <NextPanel />
        {props.mayChange && props.account.checklist.dismissed && <ShowChecklist />}
      </section>
    </div>
  );
}

function ShowChecklist() {
  const { t } = useTranslation();
  const { keep, refusal } = useKeepChecklist();
  return (
    <>
      <button type="button" className="text-button" onClick={() => void keep({ dismissed: false })}>
        {t("home.showChecklist")}
      </button>
      {refusal}
    </>
  );
}
