/** What the account sent in a month: how much, of which kind, by whose server, on which days, and what it costs. */
import "../../../i18n/later/settings/usage.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Usage } from "../../../api/openapi.ts";
import { pageQuery, query } from "../../../api/queries.ts";
import { formatNamedMonth } from "../../../i18n/named-month.ts";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Allowance } from "./allowance.tsx";
import { CampaignUsage } from "./campaign-usage.tsx";
import { DayChart } from "./day-chart.tsx";
import { UsageFigures, UsageShares } from "./figures.tsx";
import { daysOfMonth, monthOf, monthsBetween } from "./months.ts";

const route = getRouteApi("/signed-in/settings/usage");

export function UsageSettings() {
  const { t } = useTranslation();
  const { month, cursor } = route.useSearch();
  const usage = useQuery(pageQuery("GET /v1/usage", { query: month ? daysOfMonth(month) : {} }));
  return (
    <section className="stack-6">
      <div className="row wrap between">
        <div className="grow usage-lead">
          <h2>{t("settings.usage")}</h2>
          <p className="sm dim">{t("usage.lead")}</p>
        </div>
        {usage.data && <MonthChoice present={monthOf(usage.data.month.from)} chosen={month} />}
      </div>
      <Allowance />
      {usage.data ? (
        <MonthShown usage={usage.data} cursor={cursor} />
      ) : usage.error ? (
        <Failure title={t("usage.unreadable")} error={usage.error} retry={() => void usage.refetch()} />
      ) : (
        <SkeletonLines />
      )}
    </section>
  );
}

function MonthShown({ usage, cursor }: { usage: Usage; cursor: string | undefined }) {
  const { t } = useTranslation();
  const { from, to } = usage;
  if (usage.sent + usage.sandbox === 0)
    return (
      <Empty title={t("usage.none", { month: formatNamedMonth(monthOf(from)) })} text={t("usage.noneText")} />
    );
  return (
    <>
      <UsageFigures usage={usage} />
      {usage.sent > 0 && <UsageShares usage={usage} />}
      <DayChart from={from} to={to} asOf={usage.as_of} />
      <CampaignUsage from={from} to={to} hasCost={usage.cost !== null} cursor={cursor} />
    </>
  );
}

type MonthChoiceProps = { present: string; chosen: string | undefined };

/** The account has no usage from before it was there. */
function MonthChoice({ present, chosen = present }: MonthChoiceProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const known = monthsBetween(monthOf(account?.created_at ?? present), present);
  const months = known.includes(chosen) ? known : [...known, chosen];
  return (
    <select
      className="input usage-month"
      aria-label={t("usage.month")}
      value={chosen}
      onChange={({ target: { value } }) =>
        void navigate({
          to: "/settings/usage",
          search: { month: value === present ? undefined : value },
        })
      }
    >
      {months.map((month) => (
        <option key={month} value={month}>
          {formatNamedMonth(month)}
        </option>
      ))}
    </select>
  );
}
