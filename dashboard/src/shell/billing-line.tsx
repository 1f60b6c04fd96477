import "../i18n/later/billing-lines.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, Gauge } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Account, Billing } from "../api/openapi.ts";
import { query } from "../api/queries.ts";
import { type Allowance, useQuota } from "../api/usage-allowance.ts";
import { formatDay, formatNumber, formatRate, formatWhen } from "../i18n/format.ts";
import { formatMoney } from "../i18n/money.ts";
import { Icon } from "../kit/icon.tsx";

/** Mails are used up slowly, so the lines needn't follow each of them. */
const EVERY_MS = 60_000;
/** From these shares on, a line says how much is used. */
const SHARES = [0.9, 0.8];

/** The lines at the top while the account has nearly used up what it may send, has used it up, or owes something. */
export function BillingLine({ holds }: Pick<Account, "holds">) {
  const { data: billing } = useQuery({ ...query("GET /v1/billing", {}), refetchInterval: EVERY_MS });
  if (!billing) return null;
  const { allowance, payment, subscription } = billing;
  // Once mail waits for a payment, the line of that hold says so.
  const isHeld = holds.some(({ kind }: { kind: string }) => kind === "payment_overdue");
  return (
    <>
      {payment && !isHeld && <PastDue payment={payment} />}
      {allowance && <OfPeriod allowance={allowance} currency={subscription?.terms.currency} />}
      {allowance?.daily && <OfDay daily={allowance.daily} />}
    </>
  );
}

/** The same for those who may not see what is paid, as far as it concerns mails. */
export function QuotaLine() {
  const quota = useQuota({ isAsked: true, everyMs: EVERY_MS });
  if (!quota) return null;
  return (
    <>
      <OfPeriod allowance={{ ...quota, spending: null }} currency={undefined} />
      {quota.daily && <OfDay daily={quota.daily} />}
    </>
  );
}

type LineProps = {
  isStopped: boolean;
  lead: string;
  more: string;
  to: "/settings/billing" | "/settings/usage";
};

function Line({ isStopped, lead, more, to }: LineProps) {
  const { t } = useTranslation();
  return (
    <div className={isStopped ? "note danger line" : "note warn line"} role="status">
      <Icon of={isStopped ? CircleAlert : Gauge} />
      <span className="grow break">
        <b>{lead}</b> {more}{" "}
        <Link to={to} className="link-u">
          {t(to === "/settings/usage" ? "billingLine.usage" : "billingLine.billing")}
        </Link>
      </span>
    </div>
  );
}

function PastDue({ payment }: { payment: NonNullable<Billing["payment"]> }) {
  const { t } = useTranslation();
  const { status, past_due_since: since, campaigns_stop_at, transactional_stops_at } = payment;
  if (status !== "past_due" || !since || !campaigns_stop_at || !transactional_stops_at) return null;
  return (
    <Line
      isStopped
      lead={t("billingLine.pastDue", { day: formatDay(since) })}
      more={t("billingLine.pastDueMore", {
        campaigns: formatDay(campaigns_stop_at),
        transactional: formatDay(transactional_stops_at),
      })}
      to="/settings/billing"
    />
  );
}

type OfPeriodProps = { allowance: Allowance; currency: string | undefined };

function OfPeriod({ allowance, currency }: OfPeriodProps) {
  const { t } = useTranslation();
  const { limit, used, left, resets_at, spending, at_limit } = allowance;
  const day = formatDay(resets_at);
  const charges = at_limit === "overage";
  if (charges && spending && currency && Number(spending.spent) >= Number(spending.cap))
    return (
      <Line
        isStopped
        lead={t("billingLine.capped", { cap: formatMoney(spending.cap, currency) })}
        more={t("billingLine.cappedMore", { day })}
        to="/settings/billing"
      />
    );
  if (limit === null || left === null) return null;
  const numbers = { limit: formatNumber(limit), left: formatNumber(left), day };
  if (left === 0 || used >= limit)
    return (
      <Line
        isStopped={!charges}
        lead={t("billingLine.gone", numbers)}
        more={t(charges ? "billingLine.goneCharged" : "billingLine.goneMore", numbers)}
        to="/settings/usage"
      />
    );
  const share = SHARES.find((one) => used >= limit * one);
  if (share === undefined) return null;
  return (
    <Line
      isStopped={false}
      lead={t("billingLine.near", { share: formatRate(share) })}
      more={t(charges ? "billingLine.nearCharged" : "billingLine.nearMore", numbers)}
      to="/settings/usage"
    />
  );
}

function OfDay({ daily: { limit, used, resets_at } }: { daily: NonNullable<Allowance["daily"]> }) {
  const { t } = useTranslation();
  if (used < limit) return null;
  return (
    <Line
      isStopped={false}
      lead={t("billingLine.today", { limit: formatNumber(limit) })}
      more={t("billingLine.todayMore", { time: formatWhen(resets_at) })}
      to="/settings/usage"
    />
  );
}
