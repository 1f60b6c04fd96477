import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { InstanceAccount, Plan, PlanSubscription } from "../../../../api/openapi.ts";
import { query } from "../../../../api/queries.ts";
import { formatMoney } from "../../../../i18n/money.ts";
import { Checkbox, type Option, SelectField, TextField } from "../../../../kit/forms/field.tsx";
import type { Values } from "../../../../kit/forms/form.tsx";
import { FormDialog } from "../../../../kit/overlays/dialog.tsx";
import { UnreadableDialog } from "../../../../kit/overlays/unreadable-dialog.tsx";
import { notify } from "../../../../kit/toasts.tsx";

/** More plans than these are offered nowhere at once. */
const MOST_PLANS = 100;

type SetPlanProps = {
  account: InstanceAccount;
  /** What the account has now; nothing where it has no plan. */
  present: PlanSubscription | undefined;
  etag: string | undefined;
  onClose: () => void;
};

/** Gives an account a plan, or changes what it has. What is left empty is none, also where there was a cap or a tax. */
export function SetPlan({ account: { id, name }, present, etag, onClose }: SetPlanProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // A refresh behind the dialog changes neither what is edited nor the ETag that is sent.
  const [edited] = useState({ present, etag });
  const plans = useQuery(query("GET /v1/instance/plans", { query: { state: "active", limit: MOST_PLANS } }));
  const optionsOf = useOptions(edited.present);
  if (plans.error && !plans.data)
    return <UnreadableDialog title={t("plans.unreadable")} error={plans.error} onClose={onClose} />;
  if (!plans.data) return null;
  return (
    <FormDialog
      title={t(edited.present ? "accountPlan.changeTitle" : "accountPlan.giveTitle", { name })}
      lead={t(edited.present ? "accountPlan.changeLead" : "accountPlan.giveLead")}
      action={t(edited.present ? "do.save" : "accountPlan.give")}
      onClose={onClose}
      submit={async (values) => {
        const request = { path: { id }, body: bodyOf(values), ifMatch: edited.etag };
        await call("PUT /v1/instance/accounts/{id}/subscription", request);
        onClose();
        await queries.invalidateQueries({ queryKey: ["instance"] });
        notify(t("accountPlan.saved", { name }));
      }}
    >
      <PlanChoice options={optionsOf(plans.data.data)} chosen={edited.present?.plan_id} />
      <TermFields present={edited.present} />
    </FormDialog>
  );
}

function useOptions(present: PlanSubscription | undefined) {
  const { t } = useTranslation();
  return (plans: readonly Plan[]): readonly Option[] => {
    const offered = plans.map(({ id, name, price, currency, interval }) => ({
      value: id,
      label: t("accountPlan.optionOf", {
        name,
        price: t(`billing.every.${interval}`, { price: formatMoney(price, currency) }),
      }),
    }));
    // A plan that was archived stays with who has it.
    const isOffered = !present || plans.some(({ id }) => id === present.plan_id);
    return isOffered
      ? offered
      : [
          { value: present.plan_id, label: t("accountPlan.archivedOption", { name: present.terms.name }) },
          ...offered,
        ];
  };
}

function PlanChoice({ options, chosen }: { options: readonly Option[]; chosen: string | undefined }) {
  const { t } = useTranslation();
  if (options.length === 0)
    return (
      <p className="note warn">
        <span>
          {t("accountPlan.noPlans")} <Link to="/settings/plans">{t("accountPlan.makeOne")}</Link>
        </span>
      </p>
    );
  return (
    <SelectField
      name="plan_id"
      label={t("accountPlan.choose")}
      options={options}
      defaultValue={chosen ?? options[0]?.value ?? ""}
    />
  );
}

function TermFields({ present }: { present: PlanSubscription | undefined }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="spending_cap"
        label={t("accountPlan.cap")}
        hint={t("accountPlan.capHint")}
        inputMode="decimal"
        optional
        defaultValue={present?.spending_cap ?? ""}
        autoComplete="off"
      />
      <div className="two">
        <TextField
          name="tax.label"
          label={t("accountPlan.taxLabel")}
          hint={t("accountPlan.taxHint")}
          maxLength={50}
          optional
          defaultValue={present?.tax?.label ?? ""}
          autoComplete="off"
        />
        <TextField
          name="tax.rate"
          label={t("accountPlan.taxRate")}
          inputMode="decimal"
          maxLength={8}
          optional
          defaultValue={present?.tax?.rate ?? ""}
          autoComplete="off"
        />
      </div>
      {present && (
        <>
          <Checkbox name="renew_terms" label={t("accountPlan.renew")} hint={t("accountPlan.renewHint")} />
          <Checkbox name="now" label={t("accountPlan.now")} hint={t("accountPlan.nowHint")} />
        </>
      )}
    </>
  );
}

function bodyOf(values: Values) {
  const [label, rate] = [values.text("tax.label"), values.text("tax.rate")];
  return {
    plan_id: values.text("plan_id"),
    spending_cap: values.textOrNull("spending_cap"),
    tax: label === "" && rate === "" ? null : { label, rate },
    renew_terms: values.isChecked("renew_terms"),
    ...(values.isChecked("now") && { at: "now" as const }),
  };
}
