import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { CampaignUsage as Row } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { formatMoney } from "../../../i18n/money.ts";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { Time } from "../../../kit/time.tsx";

type CampaignUsageProps = { from: string; to: string; hasCost: boolean; cursor: string | undefined };

export function CampaignUsage({ from, to, hasCost, cursor }: CampaignUsageProps) {
  const { t } = useTranslation();
  const campaigns = useQuery(
    pageQuery("GET /v1/usage/campaigns", { query: { from, to, ...(cursor && { cursor }) } }),
  );
  return (
    <div className="stack">
      <h3>{t("usage.campaigns")}</h3>
      <p className="sm dim">{t("usage.campaignsLead")}</p>
      <Listing
        result={campaigns}
        unreadable={t("usage.campaignsUnreadable")}
        empty={<p className="sm">{t("usage.noCampaigns")}</p>}
      >
        {(rows, page) => (
          <>
            <Rows rows={rows} hasCost={hasCost} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
    </div>
  );
}

function Rows({ rows, hasCost }: { rows: readonly Row[]; hasCost: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="stacked inset">
        <thead>
          <tr>
            <th>{t("usage.campaign")}</th>
            <th>{t("usage.began")}</th>
            <th className="r">{t("usage.sent")}</th>
            {hasCost && <th className="r">{t("usage.cost")}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ campaign_id: id, name, started_at, sent, sandbox, cost }) => (
            <tr key={id}>
              <td className="c-main">
                <Link to="/campaigns/$id" params={{ id }} className="med break" dir="auto">
                  {name}
                </Link>
              </td>
              <td className="dim" data-label={t("usage.began")}>
                <Time at={started_at} />
              </td>
              <td className="r num" data-label={t("usage.sent")}>
                <div className="stack tight r">
                  <span>{formatNumber(sent)}</span>
                  {sandbox > 0 && (
                    <span className="xs dim">
                      {t("usage.sandbox", { count: sandbox, number: formatNumber(sandbox) })}
                    </span>
                  )}
                </div>
              </td>
              {hasCost && (
                <td className="r num" data-label={t("usage.cost")}>
                  {cost && formatMoney(cost.amount, cost.currency)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
