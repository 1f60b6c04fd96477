import "../../../../i18n/later/settings/billing.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Statement } from "../../../../api/openapi.ts";
import { pageQuery } from "../../../../api/queries.ts";
import { formatDay, formatNumber } from "../../../../i18n/format.ts";
import { formatMoney } from "../../../../i18n/money.ts";
import { Listing } from "../../../../kit/tables/listing.tsx";
import { Pager } from "../../../../kit/tables/pager.tsx";

/** What each period costs, newest first. */
export function StatementList({ cursor }: { cursor: string | undefined }) {
  const { t } = useTranslation();
  const statements = useQuery(pageQuery("GET /v1/usage/statements", { query: cursor ? { cursor } : {} }));
  return (
    <div className="stack">
      <h3>{t("statements.title")}</h3>
      <p className="sm dim">{t("statements.lead")}</p>
      <Listing
        result={statements}
        unreadable={t("statements.unreadable")}
        empty={<p className="sm">{t("statements.none")}</p>}
      >
        {(rows, page) => (
          <>
            <Rows statements={rows} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
    </div>
  );
}

function Rows({ statements }: { statements: readonly Statement[] }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="stacked inset">
        <thead>
          <tr>
            <th>{t("statements.period")}</th>
            <th>{t("statements.state")}</th>
            <th className="r">{t("statements.mails")}</th>
            <th className="r">{t("statements.total")}</th>
          </tr>
        </thead>
        <tbody>
          {statements.map(({ id, period, state, is_trial, mails, total, currency }) => (
            <tr key={id}>
              <td className="c-main">
                <Link to="/settings/billing/statements/$id" params={{ id }} className="med">
                  {t("billing.span", { from: formatDay(period.from), to: formatDay(period.to) })}
                </Link>
              </td>
              <td data-label={t("statements.state")}>
                <span className="row">
                  <span className={state === "open" ? "badge" : "badge accent"}>
                    {t(`statements.states.${state}`)}
                  </span>
                  {is_trial && <span className="sm dim">{t("statements.trial")}</span>}
                </span>
              </td>
              <td className="r num" data-label={t("statements.mails")}>
                {formatNumber(mails)}
              </td>
              <td className="r num" data-label={t("statements.total")}>
                {formatMoney(total, currency)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
