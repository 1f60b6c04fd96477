import "../../../i18n/later/campaigns/report.ts";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign, CampaignStats } from "../../../api/openapi.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { ClickMap } from "./click-map.tsx";
import { MakeSegmentButton } from "./link-list.tsx";
import { type Clicks, countOf, hasLiquid, type LinkRow, linksQuery, shareOf, wholeOf } from "./link-rows.ts";
import "./report.css";
import { seenOf } from "./seen.ts";
import { useCampaignAndStats } from "./use-campaign.ts";

/** Every link of the mail, and each place of one that stands there more than once, beside the mail itself. */
export function ReportLinks() {
  const { t } = useTranslation();
  const { campaign, stats, error, refetch } = useCampaignAndStats();
  if (error) return <Failure title={t("report.unreadable")} error={error} retry={() => void refetch()} />;
  if (!campaign || !stats) return <SkeletonLines />;
  if (seenOf(campaign, stats, "clicks") === "not")
    return <p className="report-none mid">{t("report.links.untracked")}</p>;
  return (
    <div className="report-columns">
      <div className="report-main">
        <LinkTable campaign={campaign} stats={stats} />
      </div>
      <aside className="report-side">
        <ClickMap campaign={campaign} stats={stats} />
      </aside>
    </div>
  );
}

function LinkTable({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const { data: links, error, refetch } = useQuery(linksQuery(campaign.id));
  if (error) return <Failure title={t("report.unreadable")} error={error} retry={() => void refetch()} />;
  if (!links) return <SkeletonLines lines={4} />;
  if (links.data.length === 0) return <p className="mid">{t("report.links.empty")}</p>;
  const isTimes = seenOf(campaign, stats, "clicks") === "times";
  const whole = wholeOf(campaign, stats);
  return (
    <section className="sect">
      <h2 className="sr">{t("report.links.all")}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused. */}
      <section className="tw" tabIndex={0} aria-label={t("report.links.all")}>
        <table className="link-table">
          <thead>
            <tr>
              <th scope="col">{t("report.links.link")}</th>
              <th scope="col" className="num">
                {t(isTimes ? "report.links.countClicks" : "report.links.count")}
              </th>
              <th scope="col" className="num">
                {t("report.links.share")}
              </th>
              <th scope="col" className="num">
                {t("report.links.total")}
              </th>
              <th scope="col" className="num">
                {t("report.links.machine")}
              </th>
            </tr>
          </thead>
          <tbody>
            {links.data.map((link) => (
              <Rows key={link.url} link={link} whole={whole} />
            ))}
          </tbody>
        </table>
      </section>
      <div className="no-print">
        <MakeSegmentButton campaign={campaign} stats={stats} />
      </div>
    </section>
  );
}

function Rows({ link, whole }: { link: LinkRow; whole: number }) {
  const { t } = useTranslation();
  const { url, text, positions } = link;
  return (
    <Fragment>
      <tr data-link={url}>
        <th scope="row" className="link-name">
          {text && (
            <span className="med" dir="auto">
              {text}
            </span>
          )}
          <span className={text ? "xs dim link-address" : "med break"}>{url}</span>
          {hasLiquid(url) && <span className="xs dim"> {t("report.links.liquid")}</span>}
        </th>
        <Numbers clicks={link} whole={whole} />
      </tr>
      {positions.length > 1 &&
        positions.map((one) => (
          <tr key={one.position} className="place">
            <th scope="row" className="dim">
              {t("report.links.places", { number: formatNumber(one.position) })}{" "}
              {one.text && <span dir="auto">{one.text}</span>}
            </th>
            <Numbers clicks={one} whole={whole} />
          </tr>
        ))}
    </Fragment>
  );
}

function Numbers({ clicks, whole }: { clicks: Clicks; whole: number }) {
  return (
    <>
      <td className="num">{formatNumber(countOf(clicks))}</td>
      <td className="num dim">{formatFineShare(shareOf(countOf(clicks), whole))}</td>
      <td className="num">{formatNumber(clicks.total)}</td>
      <td className="num dim">{formatNumber(clicks.machine)}</td>
    </>
  );
}
