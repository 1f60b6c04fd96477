import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { CampaignRecipient } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Time } from "../../../kit/time.tsx";
import { reasonWords, replyOf } from "./meaning.ts";
import type { RecipientsSearch } from "./search.ts";
import { StateMark } from "./state-mark.tsx";

type TableProps = {
  rows: readonly CampaignRecipient[];
  campaignId: string;
  search: RecipientsSearch;
};

/** One row for each; whoever is chosen is shown beside the table. */
export function RecipientTable({ rows, campaignId, search }: TableProps) {
  const { t } = useTranslation();
  const isOfReaders = search.event === "opened" || search.event === "clicked";
  const when = search.event ? t(`recipients.whenEvent.${search.event}`) : t("recipients.when");
  return (
    <div className="tw">
      <table className="table-edge stacked recipients-table">
        <thead>
          <tr>
            <th>{t("subscribers.address")}</th>
            <th>{t("recipients.state")}</th>
            <th>{isOfReaders ? t("recipients.by") : t("recipients.said")}</th>
            <th className="num">{isOfReaders ? t("recipients.times") : t("recipients.tries")}</th>
            <th className="num">{when}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id} className={row.id === search.shown ? "sel" : undefined}>
              <td className="c-main med">
                <Link
                  to="/campaigns/$id/recipients"
                  params={{ id: campaignId }}
                  search={{ ...search, shown: row.id }}
                  resetScroll={false}
                  aria-current={row.id === search.shown || undefined}
                >
                  <span className="cell-text" dir="auto">
                    {row.email ?? t("recipients.deleted")}
                  </span>
                </Link>
              </td>
              <td className="c-state">
                <StateMark status={row.status} />
              </td>
              {isOfReaders ? (
                <>
                  <td className="c-said">
                    {row.event?.human ? t("recipients.person") : t("recipients.machine")}
                  </td>
                  <td className="num c-more">{formatNumber(row.event?.times ?? 0)}</td>
                </>
              ) : (
                <>
                  <td className="c-said">
                    <Said row={row} />
                  </td>
                  <td className="num c-more">{formatNumber(row.attempts ?? 0)}</td>
                </>
              )}
              <td className="num dim c-when">
                <Time at={row.event?.at ?? row.updated_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The server's words; where nobody was asked, why not. */
function Said({ row }: { row: CampaignRecipient }) {
  const { t } = useTranslation();
  const reply = replyOf(row);
  if (reply !== null) return <span className="mono cell-text">{reply}</span>;
  if (row.reason) return <span className="mid cell-text">{reasonWords(t, row.reason)}</span>;
  return <span className="dim">–</span>;
}
