/** What the account pays by. Operators give plans and credits; its owners and admins see them here. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../api/may.ts";
import type { Billing } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Invoices } from "./payment/invoices.tsx";
import { PaymentPart } from "./payment/payment.tsx";
import { ConfirmationNote, isPaid, useConfirmation } from "./payment/use-confirmation.tsx";
import { StatementList } from "./statements/statement-list.tsx";
import { Follows, SubscriptionPanel, useCreditWords } from "./terms.tsx";

const route = getRouteApi("/signed-in/settings/billing");

export function BillingSettings() {
  const { t } = useTranslation();
  const may = useMay();
  // The router keeps what the reader of the address leaves out, and the shell needn't load a reader for this.
  const { checkout } = route.useSearch() as { checkout?: unknown };
  const navigate = route.useNavigate();
  const known = useQuery({ ...query("GET /v1/billing", {}), enabled: false });
  const { everyMs, state } = useConfirmation(
    checkout === "done",
    known.data !== undefined && isPaid(known.data),
    () => void navigate({ search: (before) => ({ ...before, checkout: undefined }), replace: true }),
  );
  const billing = useQuery({ ...query("GET /v1/billing", {}), refetchInterval: everyMs });
  return (
    <section className="stack-6">
      <div>
        <h2>{t("settings.billing")}</h2>
        <p className="sm dim">
          {t("billing.lead")}{" "}
          {may("usage:read") && (
            <Link to="/settings/usage" className="link">
              {t("billing.usage")}
            </Link>
          )}
        </p>
      </div>
      {state && <ConfirmationNote state={state} />}
      {billing.data ? (
        <>
          <Shown billing={billing.data} />
          <PaymentPart billing={billing.data} />
          <Statements billing={billing.data} />
          {billing.data.payment && <Invoices />}
        </>
      ) : billing.error ? (
        <Failure title={t("billing.unreadable")} error={billing.error} retry={() => void billing.refetch()} />
      ) : (
        <SkeletonLines />
      )}
    </section>
  );
}

function Shown({ billing: { subscription, follows, credits } }: { billing: Billing }) {
  const { t } = useTranslation();
  const wordsOf = useCreditWords();
  const left = wordsOf(credits);
  return (
    <>
      {subscription ? (
        <SubscriptionPanel subscription={subscription} />
      ) : (
        <Empty title={t("billing.none")} text={t("billing.noneText")} />
      )}
      {follows && <Follows terms={follows.terms} />}
      {(subscription || left) && (
        <dl className="kv terms">
          <dt>{t("billing.credits")}</dt>
          <dd>{left ?? t("billing.noCredits")}</dd>
        </dl>
      )}
    </>
  );
}

/** Who never had a plan has no statement; who had one keeps its statements. */
function Statements({ billing }: { billing: Billing }) {
  const { cursor } = route.useSearch();
  const { data } = useQuery(query("GET /v1/usage/statements", { query: { limit: 1 } }));
  if (!billing.subscription && !data?.data.length) return null;
  return <StatementList cursor={cursor} />;
}
