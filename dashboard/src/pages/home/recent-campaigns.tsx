import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { CampaignSummary } from "../../api/openapi.ts";
import { formatNumber, formatRate } from "../../i18n/format.ts";
import { Time } from "../../kit/time.tsx";
import { useRecent } from "./campaign-queries.ts";

const SHOWN = 5;

export function RecentCampaigns() {
  const { t } = useTranslation();
  const campaigns = useRecent(SHOWN);
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("home.recent")}</h2>
        {campaigns.length > 0 && (
          <Link to="/campaigns" className="link">
            {t("home.allCampaigns")}
          </Link>
        )}
      </div>
      {campaigns.length === 0 ? (
        <p className="sm dim">{t("home.recentNone")}</p>
      ) : (
        <>
          <table className="recent">
            <thead>
              <tr>
                <th>{t("home.campaign")}</th>
                <th className="wide">{t("home.sent")}</th>
                <th className="num">{t("home.delivered")}</th>
                <th className="num">{t("home.opened")}</th>
                <th className="num">{t("home.clicked")}</th>
                <th className="num wide">{t("home.left")}</th>
              </tr>
            </thead>
            <tbody>
              {campaigns.map((campaign) => (
                <Row key={campaign.id} campaign={campaign} />
              ))}
            </tbody>
          </table>
          <p className="xs dim">{t("home.people")}</p>
        </>
      )}
    </section>
  );
}

function Row({ campaign }: { campaign: CampaignSummary }) {
  const { id, name, stats } = campaign;
  const rate = (value: number | null | undefined) => (value == null ? "–" : formatRate(value));
  return (
    <tr>
      <td className="med break" dir="auto">
        <Link to="/campaigns/$id" params={{ id }}>
          {name}
        </Link>
      </td>
      <td className="dim nowrap wide">{campaign.finished_at && <Time at={campaign.finished_at} />}</td>
      <td className="num">{stats ? formatNumber(stats.delivered) : "–"}</td>
      <td className="num">{rate(stats?.rates.open)}</td>
      <td className="num">{rate(stats?.rates.click)}</td>
      <td className="num dim wide">{rate(stats?.rates.unsubscribe)}</td>
    </tr>
  );
}
