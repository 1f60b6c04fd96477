/** One account, as operators see it: its plan, what it sent this month, and its credits. */
import "../../../../i18n/later/settings/instance.ts";
import "../../../../i18n/later/settings/billing.ts";
import "../../../../i18n/later/settings/usage.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { query } from "../../../../api/queries.ts";
import { Failure, SkeletonLines } from "../../../../kit/states.tsx";
import { UsageFigures, UsageShares } from "../../usage/figures.tsx";
import { AccountCredits } from "./credits.tsx";
import { AccountPlan } from "./plan.tsx";

const route = getRouteApi("/signed-in/settings/instance/$id");

export function InstanceAccountPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const { cursor } = route.useSearch();
  const found = useQuery(query("GET /v1/instance/accounts/{id}", { path: { id } }));
  if (!found.data)
    return found.error ? (
      <Failure title={t("accountPlan.unreadable")} error={found.error} retry={() => void found.refetch()} />
    ) : (
      <SkeletonLines />
    );
  const account = found.data;
  return (
    <>
      <section className="stack-4">
        <div className="stack tight">
          <Link to="/settings/instance" className="link sm">
            {t("accountPlan.back")}
          </Link>
          <div className="row wrap">
            <h2 className="break" dir="auto">
              {account.name}
            </h2>
            <span className={account.state === "active" ? "badge" : "badge danger"}>
              {t(`instance.states.${account.state}`)}
            </span>
          </div>
          <p className="sm dim mono break">{account.id}</p>
        </div>
      </section>
      <AccountPlan account={account} />
      <AccountUsage id={id} />
      <AccountCredits account={account} cursor={cursor} />
    </>
  );
}

function AccountUsage({ id }: { id: string }) {
  const { t } = useTranslation();
  const usage = useQuery(query("GET /v1/instance/accounts/{id}/usage", { path: { id } }));
  return (
    <section className="stack-4">
      <h3>{t("accountPlan.usage")}</h3>
      {usage.data ? (
        <>
          <UsageFigures usage={usage.data} />
          {usage.data.sent > 0 && <UsageShares usage={usage.data} />}
        </>
      ) : usage.error ? (
        <Failure
          title={t("accountPlan.usageUnreadable")}
          error={usage.error}
          retry={() => void usage.refetch()}
        />
      ) : (
        <SkeletonLines lines={3} />
      )}
    </section>
  );
}
