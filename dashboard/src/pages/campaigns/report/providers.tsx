import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { type DomainNumbers, groupsOf } from "../provider-groups.ts";

const SHOWN = 5;
/** The most that the service tells apart, so that no domain of a provider is missing. */
const DOMAINS = 200;
/** Above this share of bounces a provider is worth a look. */
const MANY_BOUNCES = 0.02;

export const domainsQuery = (id: string) =>
  query("GET /v1/campaigns/{id}/stats/domains", { path: { id }, query: { limit: DOMAINS } });

/** The largest providers; all of them have a page of their own. */
export function Providers({ campaign: { id, tracking } }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { data: domains } = useQuery(domainsQuery(id));
  const groups = domains && groupsOf(domains);
  if (groups?.length === 0) return null;
  return (
    <section className="sect providers">
      <div className="sect-h">
        <h2>{t("report.providers.heading")}</h2>
        {groups && groups.length > SHOWN && (
          <Link className="link no-print" to="/campaigns/$id/domains" params={{ id }}>
            {t("report.providers.all", { number: formatNumber(groups.length) })}
          </Link>
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused. */}
      <section className="tw" tabIndex={0} aria-label={t("report.providers.heading")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("report.providers.provider")}</th>
              {(["delivered", "bounced", "opened", "clicked", "complained"] as const).map((name) => (
                <th key={name} scope="col" className="num">
                  {t(`report.providers.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups?.slice(0, SHOWN).map(({ key, name, numbers }) => (
              <tr key={key} data-provider={key}>
                <th scope="row" className="med">
                  {name}
                </th>
                <td className="num">{formatNumber(numbers.delivered)}</td>
                <Rates row={numbers} tracking={tracking} />
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

type RatesProps = { row: Pick<DomainNumbers, "rates" | "complaints">; tracking: Campaign["tracking"] };

/** Bounced, opened, clicked and complained. Where nobody was seen, or nobody told, it says so. */
export function Rates({ row, tracking }: RatesProps) {
  const { t } = useTranslation();
  const { bounce, open, click, complaint } = row.rates;
  const seen = (rate: number | null) =>
    rate === null ? <span className="dim">{t("report.providers.notSeen")}</span> : formatFineShare(rate);
  return (
    <>
      <td className="num">
        <span className={bounce >= MANY_BOUNCES ? "c-warn med" : undefined}>{formatFineShare(bounce)}</span>
      </td>
      <td className="num">{seen(tracking.opens ? open : null)}</td>
      <td className="num">{seen(tracking.clicks ? click : null)}</td>
      <td className="num">
        {row.complaints > 0 ? (
          formatFineShare(complaint)
        ) : (
          <span className="dim">{t("report.providers.notTold")}</span>
        )}
      </td>
    </>
  );
}
