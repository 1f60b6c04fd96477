import "../../../i18n/later/campaigns/report.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber, formatTime } from "../../../i18n/format.ts";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { type DomainNumbers, groupsOf } from "../provider-groups.ts";
import { domainsQuery, Rates } from "./providers.tsx";
import "./report.css";

const route = getRouteApi("/signed-in/campaigns/$id");
const COUNTS = [
  "recipients",
  "sent",
  "delivered",
  "hard",
  "soft",
  "block",
  "unknown",
  "skipped",
  "machines",
] as const;
const HEADS = [...COUNTS, "bounced", "opened", "clicked", "complained"] as const;

/** What became of the mail at every provider, and of all others together. */
export function ReportDomains() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const { data: domains, error, refetch } = useQuery(domainsQuery(id));
  const { data: campaign } = useQuery(query("GET /v1/campaigns/{id}", { path: { id } }));
  if (error) return <Failure title={t("report.unreadable")} error={error} retry={() => void refetch()} />;
  if (!domains || !campaign) return <SkeletonLines />;
  if (domains.data.length === 0 && domains.other.recipients === 0)
    return <p className="report-none mid">{t("report.providers.none")}</p>;
  const { tracking } = campaign;
  return (
    <div className="report-page">
      <p className="sm dim">{t("report.providers.hint")}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused. */}
      <section className="tw" tabIndex={0} aria-label={t("report.providers.heading")}>
        <table className="all-providers">
          <thead>
            <tr>
              <th scope="col">{t("report.providers.provider")}</th>
              {HEADS.map((name) => (
                <th key={name} scope="col" className="num">
                  {t(`report.providers.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groupsOf(domains).map(({ key, name, isProvider, numbers, domains: own }) => (
              <Fragment key={key}>
                <Row name={name} row={numbers} tracking={tracking} data-provider={key} />
                {isProvider &&
                  own.map((row) => (
                    <Row key={row.domain} name={row.domain} isPart row={row} tracking={tracking} />
                  ))}
              </Fragment>
            ))}
            {domains.other.recipients > 0 && (
              <Row name={t("report.providers.others")} row={domains.other} tracking={tracking} />
            )}
          </tbody>
        </table>
      </section>
      <p className="xs dim">{t("report.providers.asOf", { time: formatTime(domains.as_of) })}</p>
    </div>
  );
}

type RowProps = {
  name: string;
  /** Whether it is one of the domains of the provider above it, whose numbers have it already. */
  isPart?: boolean;
  row: DomainNumbers;
  tracking: Campaign["tracking"];
  "data-provider"?: string;
};

function Row({ name, isPart = false, row, tracking, ...rest }: RowProps) {
  const { t } = useTranslation();
  const { hard, soft, block } = row.bounces;
  const counts = { ...row, hard, soft, block, machines: tracking.opens ? row.opens.machine_unique : null };
  return (
    <tr className={isPart ? "part" : undefined} {...(isPart && { "data-domain": name })} {...rest}>
      <th scope="row" className={isPart ? undefined : "med"}>
        {name}
      </th>
      {COUNTS.map((what) => {
        const count = counts[what];
        return (
          <td key={what} className="num">
            {count === null ? (
              <span className="dim">{t("report.providers.notSeen")}</span>
            ) : (
              formatNumber(count)
            )}
          </td>
        );
      })}
      <Rates row={row} tracking={tracking} />
    </tr>
  );
}
