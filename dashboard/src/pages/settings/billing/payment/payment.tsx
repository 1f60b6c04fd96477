/** How the account pays, where the service is set up for that. What is paid itself is done on pages of Stripe's. */
import "../../../../i18n/later/settings/billing.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CreditCard, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { Billing } from "../../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../../api/problem.ts";
import { query } from "../../../../api/queries.ts";
import { formatDay } from "../../../../i18n/format.ts";
import { Button } from "../../../../kit/button.tsx";
import { ProblemNote } from "../../../../kit/forms/problem-note.tsx";
import { notify } from "../../../../kit/toasts.tsx";
import { CancelPlan } from "./cancel-plan.tsx";
import { ChoosePlan } from "./choose-plan.tsx";

/** Where people come back to from Stripe's pages. */
const here = () => `${window.location.origin}/settings/billing`;

export function PaymentPart({ billing: { payment, subscription } }: { billing: Billing }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isCancelling, setCancelling] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const { data: sold } = useQuery({
    ...query("GET /v1/billing/plans", { query: { limit: 100 } }),
    enabled: payment !== null,
  });
  if (!payment) return null;
  const offers = sold?.data ?? [];
  const { status, cancels_at } = payment;
  const isPaying = status === "active" || status === "past_due";
  const planId = subscription?.plan_id;

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  const pay = async (plan_id: string) => {
    const body = { plan_id, success_url: `${here()}?checkout=done`, cancel_url: here() };
    window.location.assign((await call("POST /v1/billing/checkout", { body })).url);
  };
  const openPortal = () =>
    run(async () => {
      const { url } = await call("POST /v1/billing/portal", { body: { return_url: here() } });
      window.location.assign(url);
    });
  // The plan that the account has, taken once more, takes a cancellation back.
  const keep = (plan_id: string) =>
    run(async () => {
      await call("POST /v1/billing/change", { body: { plan_id } });
      await queries.invalidateQueries({ queryKey: ["billing"] });
      notify(t("payment.kept"));
    });
  return (
    <div className="stack">
      <h3>{t("payment.title")}</h3>
      <p className="sm">
        {t(`payment.statuses.${status}`)} {cancels_at && t("payment.cancels", { day: formatDay(cancels_at) })}
      </p>
      <div className="row wrap">
        {offers.length > 0 && (
          <Button
            {...(!isPaying && { kind: "primary" as const })}
            icon={CreditCard}
            needs="billing:write"
            onClick={() => setChoosing(true)}
          >
            {t("payment.choose")}
          </Button>
        )}
        {status !== "none" && (
          <Button icon={CreditCard} needs="billing:write" busy={busy} onClick={() => void openPortal()}>
            {t("payment.portal")}
          </Button>
        )}
        {isPaying && cancels_at && planId && (
          <Button icon={RotateCcw} needs="billing:write" busy={busy} onClick={() => void keep(planId)}>
            {t("payment.keep")}
          </Button>
        )}
        {isPaying && !cancels_at && (
          <Button kind="quiet" icon={X} needs="billing:write" onClick={() => setCancelling(true)}>
            {t("payment.cancel")}
          </Button>
        )}
      </div>
      {error && <ProblemNote error={error} />}
      {isChoosing && (
        <ChoosePlan
          offers={offers}
          current={planId}
          isPaying={isPaying}
          pay={pay}
          onClose={() => setChoosing(false)}
        />
      )}
      {isCancelling && <CancelPlan onClose={() => setCancelling(false)} />}
    </div>
  );
}
