import "../../../i18n/later/campaigns/recipients.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Filter } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign, CampaignStats } from "../../../api/openapi.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { countOf, linksQuery, shareOf, shortAddress, wholeOf } from "./link-rows.ts";
import { seenOf } from "./seen.ts";

const MakeSegment = lazyPart(() => import("../recipients/make-segment.tsx"));
const SHOWN = 8;

/** The links that most people clicked. */
export function LinkList({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const { data: links } = useQuery(linksQuery(campaign.id));
  const seen = seenOf(campaign, stats, "clicks");
  if (seen === "not" || !links) return null;
  if (links.data.length === 0) return <p className="dim">{t("report.links.empty")}</p>;
  const whole = wholeOf(campaign, stats);
  const mostFirst = links.data.toSorted((one, other) => countOf(other) - countOf(one));
  return (
    <section className="sect link-list" aria-label={t("report.links.heading")}>
      {/* The mail with its marks isn't printed, so its heading stands here on paper. */}
      <h2 className="print-only">{t("report.links.heading")}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("report.links.link")}</th>
            <th scope="col" className="num">
              {t(seen === "times" ? "report.links.countClicks" : "report.links.count")}
            </th>
            <th scope="col" className="num">
              {t("report.links.share")}
            </th>
          </tr>
        </thead>
        <tbody>
          {mostFirst.slice(0, SHOWN).map((link) => (
            <tr key={link.url} data-link={link.url}>
              <th scope="row" className="link-name" title={link.url}>
                <span className="med" dir="auto">
                  {link.text ?? shortAddress(link.url)}
                </span>
                {link.text && <span className="xs dim link-address">{shortAddress(link.url)}</span>}
              </th>
              <td className="num">{formatNumber(countOf(link))}</td>
              <td className="num dim">{formatFineShare(shareOf(countOf(link), whole))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="row wrap no-print">
        <MakeSegmentButton campaign={campaign} stats={stats} />
        {links.data.length > SHOWN && (
          <Link className="link sm" to="/campaigns/$id/links" params={{ id: campaign.id }}>
            {t("report.links.all")}
          </Link>
        )}
      </div>
    </section>
  );
}

/** Of whom nothing is known by name no segment can be made. */
export function MakeSegmentButton({ campaign, stats }: { campaign: Campaign; stats: CampaignStats }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (!stats.clicks.human_unique) return null;
  return (
    <>
      <Button size="sm" icon={Filter} onClick={() => setOpen(true)}>
        {t("report.links.segment")}
      </Button>
      {isOpen && (
        <Suspense>
          <MakeSegment
            campaignId={campaign.id}
            event="clicked"
            machines={false}
            stats={stats}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
