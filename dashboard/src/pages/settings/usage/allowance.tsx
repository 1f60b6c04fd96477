/** How much of what the plan includes is used. Whoever has no plan with a limit sees nothing here. */
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../api/may.ts";
import type { PlanSubscription } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { useQuota } from "../../../api/usage-allowance.ts";
import { formatDay, formatNumber } from "../../../i18n/format.ts";

export function Allowance() {
  const may = useMay();
  const { data: billing } = useQuery({ ...query("GET /v1/billing", {}), enabled: may("billing:read") });
  // Who may not see what is paid sees how many mails there are all the same.
  const quota = useQuota({ isAsked: !may("billing:read") });
  const { subscription, allowance = quota } = billing ?? {};
  if (allowance && allowance.limit !== null)
    return (
      <Gauge
        limit={allowance.limit}
        used={allowance.used}
        resetsAt={allowance.resets_at}
        charges={allowance.at_limit === "overage"}
      />
    );
  if (!subscription || subscription.terms.included_mails === null) return null;
  return <OfPeriod subscription={subscription} limit={subscription.terms.included_mails} />;
}

/** Where the service counts no allowance, it is what was sent since the day on which the period began. */
function OfPeriod({ subscription, limit }: { subscription: PlanSubscription; limit: number }) {
  const { period, terms, time_zone } = subscription;
  const from = dayIn(time_zone, period.from);
  const { data: usage } = useQuery(query("GET /v1/usage", { query: { from } }));
  if (!usage) return null;
  return (
    <Gauge limit={limit} used={usage.sent} resetsAt={period.to} charges={terms.at_limit === "overage"} />
  );
}

/** The date of a time where the account is. */
function dayIn(timeZone: string, time: string): string {
  // Swedish writes dates as the API does.
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(new Date(time));
}

const WARNS_FROM = 0.8;

type GaugeProps = {
  limit: number;
  used: number;
  resetsAt: string;
  /** Whether what is sent beyond the limit is charged; else it waits. */
  charges: boolean;
};

function Gauge({ limit, used, resetsAt, charges }: GaugeProps) {
  const { t } = useTranslation();
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  const look =
    share >= 1 && !charges ? "meter gauge over" : share >= WARNS_FROM ? "meter gauge near" : "meter gauge";
  const day = formatDay(resetsAt);
  const left = limit - used;
  const numbers = { used: formatNumber(used), limit: formatNumber(limit) };
  return (
    <div className="stack gauge-box">
      <div className="row wrap between">
        <h3>{t("allowance.title")}</h3>
        <b className="num strong">{t("allowance.used", numbers)}</b>
      </div>
      <div className={look} aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </div>
      <p className="sm dim">
        {left > 0
          ? t("allowance.left", { count: left, number: formatNumber(left), day })
          : charges
            ? t("allowance.over", { count: -left, number: formatNumber(-left), day })
            : t("allowance.gone", { day })}
      </p>
    </div>
  );
}
