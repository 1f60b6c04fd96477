import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleStop, Pencil, Plus, RotateCcw } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { InstanceAccount, PlanSubscription } from "../../../../api/openapi.ts";
import { asApiError } from "../../../../api/problem.ts";
import { queryWithEtag } from "../../../../api/queries.ts";
import { Button } from "../../../../kit/button.tsx";
import { ConfirmDialog } from "../../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../../kit/states.tsx";
import { notify } from "../../../../kit/toasts.tsx";
import { SubscriptionPanel } from "../../billing/terms.tsx";
import { SetPlan } from "./set-plan.tsx";

type Open = "set" | "end" | null;

/** The plan that the account has, and what an operator does about it. */
export function AccountPlan({ account }: { account: InstanceAccount }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const found = useQuery(
    queryWithEtag("GET /v1/instance/accounts/{id}/subscription", { path: { id: account.id } }),
  );
  const isNone = asApiError(found.error).status === 404;
  const subscription = isNone ? undefined : found.data?.body;
  return (
    <section className="stack-4">
      <h3>{t("accountPlan.plan")}</h3>
      {subscription ? (
        <SubscriptionPanel subscription={subscription}>
          {subscription.pending_change && !subscription.pending_change.is_default && (
            <KeepPlan account={account} subscription={subscription} etag={found.data?.etag} />
          )}
          <Button size="sm" icon={Pencil} onClick={() => setOpen("set")}>
            {t("accountPlan.change")}
          </Button>
          <Button size="sm" kind="quiet" icon={CircleStop} onClick={() => setOpen("end")}>
            {t("accountPlan.end")}
          </Button>
        </SubscriptionPanel>
      ) : isNone ? (
        <>
          <p className="sm">{t("accountPlan.none")}</p>
          <div className="row">
            <Button icon={Plus} onClick={() => setOpen("set")}>
              {t("accountPlan.give")}
            </Button>
          </div>
        </>
      ) : found.error ? (
        <Failure
          title={t("accountPlan.planUnreadable")}
          error={found.error}
          retry={() => void found.refetch()}
        />
      ) : (
        <SkeletonLines lines={4} />
      )}
      {open === "set" && (
        <SetPlan
          account={account}
          present={subscription}
          etag={isNone ? undefined : found.data?.etag}
          onClose={close}
        />
      )}
      {open === "end" && <EndPlan account={account} onClose={close} />}
    </section>
  );
}

/** Giving the present plan once more takes back what was to come. */
function KeepPlan({
  account: { id, name },
  subscription: { plan_id, spending_cap, tax },
  etag,
}: {
  account: InstanceAccount;
  subscription: PlanSubscription;
  etag: string | undefined;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const keep = useMutation({
    mutationFn: () =>
      call("PUT /v1/instance/accounts/{id}/subscription", {
        path: { id },
        body: { plan_id, spending_cap, tax },
        ifMatch: etag,
      }),
    onSuccess: () => notify(t("accountPlan.kept", { name })),
    onError: (error) => notify(asApiError(error).message),
    onSettled: () => queries.invalidateQueries({ queryKey: ["instance"] }),
  });
  return (
    <Button size="sm" icon={RotateCcw} busy={keep.isPending} onClick={() => keep.mutate()}>
      {t("accountPlan.keep")}
    </Button>
  );
}

function EndPlan({ account: { id, name }, onClose }: { account: InstanceAccount; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("accountPlan.endTitle", { name })}
      lead={t("accountPlan.endLead")}
      action={t("accountPlan.end")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/instance/accounts/{id}/subscription", { path: { id } });
        await queries.invalidateQueries({ queryKey: ["instance"] });
        notify(t("accountPlan.ended", { name }));
      }}
    />
  );
}
