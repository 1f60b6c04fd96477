/** The plans that an account may buy. The first is paid for on a page of Stripe's; another is taken at once. */
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { PlanOffer } from "../../../../api/openapi.ts";
import { formatNumber } from "../../../../i18n/format.ts";
import { formatMoney } from "../../../../i18n/money.ts";
import { RadioGroup } from "../../../../kit/forms/radio-group.tsx";
import { FormDialog } from "../../../../kit/overlays/dialog.tsx";
import { notify } from "../../../../kit/toasts.tsx";

type ChoosePlanProps = {
  offers: readonly PlanOffer[];
  current: string | undefined;
  isPaying: boolean;
  /** Goes to the page at which the plan is paid for. */
  pay: (planId: string) => Promise<void>;
  onClose: () => void;
};

export function ChoosePlan({ offers, current, isPaying, pay, onClose }: ChoosePlanProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const first = offers.find(({ id }) => id === current) ?? offers[0];
  return (
    <FormDialog
      title={t("payment.choose")}
      lead={t(isPaying ? "payment.changeLead" : "payment.chooseLead")}
      action={t(isPaying ? "payment.change" : "payment.goToPay")}
      onClose={onClose}
      submit={async (values) => {
        const plan_id = values.text("plan");
        if (!isPaying) return pay(plan_id);
        await call("POST /v1/billing/change", { body: { plan_id } });
        onClose();
        await queries.invalidateQueries({ queryKey: ["billing"] });
        notify(t("payment.changed"));
      }}
    >
      <RadioGroup
        name="plan"
        legend={t("payment.plans")}
        defaultValue={first?.id ?? ""}
        choices={offers.map((offer) => ({
          value: offer.id,
          label: offer.name,
          hint: <OfferWords offer={offer} />,
        }))}
      />
    </FormDialog>
  );
}

function OfferWords({ offer }: { offer: PlanOffer }) {
  const { t } = useTranslation();
  const { interval, price, currency, included_mails: included, trial_days: days } = offer;
  const words = [
    t(`billing.every.${interval}`, { price: formatMoney(price, currency) }),
    included === null
      ? t("billing.anyMails")
      : t(`billing.mailsOf.${interval}`, { count: included, number: formatNumber(included) }),
    ...(days > 0 ? [t("payment.trial", { count: days })] : []),
  ];
  return words.join(" · ");
}
