/** The plan that an account has, in plain words: for its own people, and for operators. */
import "../../../i18n/later/plan-features.ts";
import "../../../i18n/later/settings/billing.ts";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { CreditTotals, PlanSubscription, PlanTerms } from "../../../api/openapi.ts";
import { formatDay, formatList, formatNumber, formatWhen } from "../../../i18n/format.ts";
import { formatMoney } from "../../../i18n/money.ts";

export function SubscriptionPanel({
  subscription,
  children,
}: {
  subscription: PlanSubscription;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const { terms, state } = subscription;
  return (
    <div className="panel">
      <div className="panel-h wrap">
        <h3 className="break" dir="auto">
          {terms.name}
        </h3>
        <span className={state === "trialing" ? "badge" : "badge accent"}>
          {t(`billing.states.${state}`)}
        </span>
        <span className="grow" />
        {children}
      </div>
      <div className="panel-b">
        <dl className="kv terms">
          <OfSubscription subscription={subscription} />
          <OfTerms terms={terms} cap={subscription.spending_cap} />
        </dl>
      </div>
    </div>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="kv-pair">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function OfSubscription({ subscription }: { subscription: PlanSubscription }) {
  const { t } = useTranslation();
  const { terms, state, period, tax, pending_change: pending, ends_at: end } = subscription;
  const days = { from: formatDay(period.from), to: formatDay(period.to) };
  return (
    <>
      <Line name={t("billing.price")}>
        <b className="strong">{priceOf(t, terms)}</b>
        {tax && <span className="mid"> {t("billing.taxed", { rate: tax.rate, label: tax.label })}</span>}
      </Line>
      {state === "trialing" ? (
        <Line name={t("billing.trial")}>{t("billing.trialSpan", days)}</Line>
      ) : (
        <Line name={t("billing.period")}>{t("billing.span", days)}</Line>
      )}
      {end && !pending && (
        <Line name={t("billing.ends")}>{t("billing.endsOf", { time: formatWhen(end) })}</Line>
      )}
      {pending && (
        <Line name={t("billing.next")}>
          {t("billing.nextOf", {
            day: formatDay(pending.at),
            plan: pending.plan.terms.name,
            price: priceOf(t, pending.plan.terms),
          })}
        </Line>
      )}
    </>
  );
}

function priceOf(t: TFunction, { interval, price, currency }: PlanTerms): string {
  return t(`billing.every.${interval}`, { price: formatMoney(price, currency) });
}

/** What the account gets by itself when its plan ends. */
export function Follows({ terms }: { terms: PlanTerms }) {
  const { t } = useTranslation();
  return (
    <dl className="kv terms">
      <dt>{t("billing.follows")}</dt>
      <dd dir="auto">{t("billing.followsOf", { plan: terms.name, price: priceOf(t, terms) })}</dd>
    </dl>
  );
}

function OfTerms({ terms, cap }: { terms: PlanTerms; cap: string | null }) {
  const { t } = useTranslation();
  const { interval, currency, included_mails: included, overage_per_1000: overage, at_limit } = terms;
  const { transactional_reserve: reserve, daily_mails: daily, contacts, members, features } = terms;
  return (
    <>
      <Line name={t("billing.included")}>
        {included === null
          ? t("billing.anyMails")
          : t(`billing.mailsOf.${interval}`, { count: included, number: formatNumber(included) })}
      </Line>
      {included !== null && (
        <Line name={t("billing.beyond")}>
          {at_limit === "overage" && overage !== null
            ? t("billing.charges", { price: formatMoney(overage, currency) })
            : t("billing.stops")}
        </Line>
      )}
      {cap !== null && (
        <Line name={t("billing.cap")}>{t("billing.capOf", { price: formatMoney(cap, currency) })}</Line>
      )}
      {reserve > 0 && (
        <Line name={t("billing.reserve")}>{t("billing.reserveOf", { number: formatNumber(reserve) })}</Line>
      )}
      {daily !== null && (
        <Line name={t("billing.daily")}>
          {t("billing.dailyOf", { count: daily, number: formatNumber(daily) })}
        </Line>
      )}
      {contacts !== null && (
        <Line name={t("billing.contacts")}>{t("billing.atMost", { number: formatNumber(contacts) })}</Line>
      )}
      {members !== null && (
        <Line name={t("billing.members")}>{t("billing.atMost", { number: formatNumber(members) })}</Line>
      )}
      {features !== null && (
        <Line name={t("billing.features")}>
          {features.length === 0
            ? t("planFeatures.none")
            : formatList(features.map((name) => t(`planFeatures.names.${name}`)))}
        </Line>
      )}
    </>
  );
}

/** What is left of all credits, in words. */
export function useCreditWords(): (credits: CreditTotals) => string | undefined {
  const { t } = useTranslation();
  return ({ mails, amounts }) => {
    const words = [
      ...(mails > 0 ? [t("billing.creditMails", { count: mails, number: formatNumber(mails) })] : []),
      ...amounts.map(({ amount, currency }) => formatMoney(amount, currency)),
    ];
    return words.length > 0 ? formatList(words) : undefined;
  };
}
