import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Campaign, CampaignComparison } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatFineShare, formatMonth, formatNumber } from "../../../i18n/format.ts";
import { blameOf } from "./blame.ts";
import { domainsQuery } from "./providers.tsx";

type Row = CampaignComparison["data"][number];

/** Where the rates lie beside those of the campaigns before. With too few of them nothing can be called usual, and it isn't there. */
export function Comparison({ campaign: { id } }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { data: comparison } = useQuery(query("GET /v1/campaigns/{id}/stats/comparison", { path: { id } }));
  if (!comparison || comparison.data.length === 0) return null;
  const count = comparison.compared_with.length;
  return (
    <section className="sect comparison">
      <div className="sect-h">
        <h2>{t("report.comparison.heading", { count, number: formatNumber(count) })}</h2>
        <span className="end dim hide-s">{t("report.comparison.band")}</span>
      </div>
      <table>
        <thead className="sr">
          <tr>
            {(["rate", "value", "range", "verdict"] as const).map((name) => (
              <th key={name} scope="col">
                {t(`report.comparison.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {comparison.data.map((row) => (
            <tr key={row.rate} data-rate={row.rate}>
              <th scope="row" className="med">
                {t(`report.comparison.rates.${row.rate}`)}
              </th>
              <td className="num">{formatFineShare(row.value)}</td>
              <td>
                <Range row={row} />
              </td>
              <td className="r">
                <Verdict campaignId={id} row={row} count={count} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The line is a little longer than from the lowest to the highest, this one among them. */
function Range({ row: { value, band, lowest, highest } }: { row: Row }) {
  const { t } = useTranslation();
  const [least, most] = [Math.min(lowest, band.from, value), Math.max(highest, band.to, value)];
  const room = (most - least || most || 1) * 0.15;
  const place = (rate: number) => ((rate - least + room) / (most - least + 2 * room)) * 100;
  return (
    <div className="range">
      <i style={{ insetInlineStart: `${place(band.from)}%`, insetInlineEnd: `${100 - place(band.to)}%` }} />
      <b style={{ insetInlineStart: `${place(value)}%` }} />
      <span className="sr">
        {t("report.comparison.rangeText", { from: formatFineShare(band.from), to: formatFineShare(band.to) })}
      </span>
    </div>
  );
}

/** More opens and clicks are good news, and more bounces and farewells are bad. */
const IS_GOOD = { open: true, click: true, unsubscribe: false, bounce: false } as const;

function Verdict({ campaignId, row, count }: { campaignId: string; row: Row; count: number }) {
  const { t } = useTranslation();
  const { data: domains } = useQuery({
    ...domainsQuery(campaignId),
    enabled: row.rate === "bounce" && row.standing === "higher",
  });
  if (row.standing === "usual" || row.standing === "early")
    return <span className="mid">{t(`report.comparison.${row.standing}`)}</span>;
  const isHigher = row.standing === "higher";
  const tone = isHigher === IS_GOOD[row.rate] ? "c-accent med" : "c-warn med";
  const blamed = isHigher && row.rate === "bounce" && domains && blameOf(domains, row.band.to);
  if (blamed) return <span className={tone}>{t("report.comparison.higherBecause", { domain: blamed })}</span>;
  if (isHigher && IS_GOOD[row.rate])
    return (
      <span className={tone}>
        {row.since
          ? t("report.comparison.bestSince", { month: formatMonth(row.since) })
          : t("report.comparison.bestOf", { number: formatNumber(count) })}
      </span>
    );
  return <span className={tone}>{t(`report.comparison.${row.standing}`)}</span>;
}
