import "../../../i18n/later/plan-features.ts";
import "../../../i18n/later/settings/billing.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { useMay } from "../../../api/may.ts";
import type { Plan, PlanCreate } from "../../../api/openapi.ts";
import { FEATURES } from "../../../api/plan-features.ts";
import { editedQuery, query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { decimalsOf } from "../../../i18n/money.ts";
import { Checkbox, SelectField, TextField } from "../../../kit/forms/field.tsx";
import type { Values } from "../../../kit/forms/form.tsx";
import { typedNumber } from "../../../kit/forms/typed-number.ts";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { UnreadableDialog } from "../../../kit/overlays/unreadable-dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

type Closing = { readonly onClose: () => void };

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["instance"] });
}

export function NewPlan({ onClose }: Closing) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("plans.new")}
      action={t("plans.new")}
      onClose={onClose}
      submit={async (values) => {
        const { name } = await call("POST /v1/instance/plans", { body: bodyOf(values) });
        onClose();
        await refresh();
        notify(t("plans.made", { name }));
      }}
    >
      <PlanFields />
    </FormDialog>
  );
}

export function EditPlan({ id, onClose }: Closing & { readonly id: string }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const found = useQuery(editedQuery("GET /v1/instance/plans/{id}", { path }));
  if (found.error && !found.data)
    return <UnreadableDialog title={t("plans.unreadable")} error={found.error} onClose={onClose} />;
  if (!found.data) return null;
  const { body: plan, etag: ifMatch } = found.data;
  return (
    <FormDialog
      title={t("plans.edit", { name: plan.name })}
      lead={t("plans.editLead")}
      action={t("do.save")}
      onClose={onClose}
      submit={async (values) => {
        const body = bodyOf(values);
        const { name } = await call("PATCH /v1/instance/plans/{id}", { path, body, ifMatch });
        onClose();
        await refresh();
        notify(t("plans.saved", { name }));
      }}
    >
      <PlanFields plan={plan} />
    </FormDialog>
  );
}

export function ArchivePlan({
  plan: { id, name, subscriptions },
  onClose,
}: Closing & { readonly plan: Plan }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("plans.archiveTitle", { name })}
      lead={t("plans.archiveLead", { count: subscriptions, number: formatNumber(subscriptions) })}
      action={t("plans.archive")}
      onClose={onClose}
      confirm={async () => {
        await call("POST /v1/instance/plans/{id}/archive", { path: { id } });
        await refresh();
        notify(t("plans.archived", { name }));
      }}
    />
  );
}

function bodyOf(values: Values): PlanCreate {
  return {
    ...(values.isChecked("has_stripe") && { stripe_price_id: values.textOrNull("stripe_price_id") }),
    name: values.text("name"),
    price: values.text("price"),
    currency: values.text("currency").toUpperCase(),
    interval: values.text("interval") === "year" ? "year" : "month",
    included_mails: typedNumber(values, "included_mails"),
    at_limit: values.text("at_limit") === "overage" ? "overage" : "stop",
    overage_per_1000: values.textOrNull("overage_per_1000"),
    transactional_reserve: typedNumber(values, "transactional_reserve") ?? 0,
    daily_mails: typedNumber(values, "daily_mails"),
    contacts: typedNumber(values, "contacts"),
    members: typedNumber(values, "members"),
    trial_days: typedNumber(values, "trial_days") ?? 0,
    features: FEATURES.every((name) => values.isChecked(`feature_${name}`))
      ? null
      : FEATURES.filter((name) => values.isChecked(`feature_${name}`)),
  };
}

const LIMITS = ["daily_mails", "contacts", "members"] as const;

function PlanFields({ plan }: { plan?: Plan }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="name"
        label={t("plans.fields.name")}
        maxLength={100}
        defaultValue={plan?.name ?? ""}
        autoComplete="off"
      />
      <PriceFields plan={plan} />
      <StripePrice plan={plan} />
      <div className="two">
        {LIMITS.map((name) => (
          <TextField
            key={name}
            name={name}
            label={t(`plans.fields.${name}`)}
            hint={t("plans.hints.noLimit")}
            inputMode="numeric"
            optional
            defaultValue={plan?.[name] ?? ""}
            autoComplete="off"
          />
        ))}
        <TextField
          name="trial_days"
          label={t("plans.fields.trial_days")}
          hint={t("plans.hints.trial")}
          inputMode="numeric"
          optional
          defaultValue={plan?.trial_days || ""}
          autoComplete="off"
        />
      </div>
      <fieldset className="stack">
        <legend className="flabel">{t("plans.fields.features")}</legend>
        <p className="xs dim">{t("plans.hints.features")}</p>
        {FEATURES.map((name) => (
          <Checkbox
            key={name}
            name={`feature_${name}`}
            label={t(`planFeatures.names.${name}`)}
            defaultChecked={plan?.features?.includes(name) ?? true}
          />
        ))}
      </fieldset>
    </>
  );
}

/** What it costs, what that includes, and what happens then. How amounts are written depends on the currency. */
function PriceFields({ plan }: { plan: Plan | undefined }) {
  const { t } = useTranslation();
  const [currency, setCurrency] = useState<string>(plan?.currency ?? "EUR");
  const decimals = decimalsOf(currency);
  const inCurrency =
    decimals === undefined
      ? undefined
      : decimals === 0
        ? t("plans.hints.whole", { currency })
        : t("plans.hints.decimals", { currency, count: decimals });
  return (
    <div className="two">
      <TextField
        name="price"
        label={t("plans.fields.price")}
        hint={inCurrency}
        inputMode="decimal"
        defaultValue={plan?.price ?? ""}
        autoComplete="off"
      />
      <TextField
        name="currency"
        label={t("plans.fields.currency")}
        hint={t("plans.hints.currency")}
        maxLength={3}
        autoCapitalize="characters"
        spellCheck={false}
        value={currency}
        onChange={(event) => setCurrency(event.target.value.toUpperCase())}
        autoComplete="off"
      />
      <SelectField
        name="interval"
        label={t("plans.fields.interval")}
        defaultValue={plan?.interval ?? "month"}
        options={(["month", "year"] as const).map((value) => ({
          value,
          label: t(`plans.intervals.${value}`),
        }))}
      />
      <TextField
        name="included_mails"
        label={t("plans.fields.included_mails")}
        hint={t("plans.hints.noLimit")}
        inputMode="numeric"
        optional
        defaultValue={plan?.included_mails ?? ""}
        autoComplete="off"
      />
      <SelectField
        name="at_limit"
        label={t("plans.fields.at_limit")}
        defaultValue={plan?.at_limit ?? "stop"}
        options={(["stop", "overage"] as const).map((value) => ({
          value,
          label: t(`plans.whenUsedUp.${value}`),
        }))}
      />
      <TextField
        name="overage_per_1000"
        label={t("plans.fields.overage_per_1000")}
        hint={t("plans.hints.overage")}
        inputMode="decimal"
        optional
        defaultValue={plan?.overage_per_1000 ?? ""}
        autoComplete="off"
      />
      <TextField
        name="transactional_reserve"
        label={t("plans.fields.transactional_reserve")}
        hint={t("plans.hints.reserve")}
        inputMode="numeric"
        optional
        defaultValue={plan?.transactional_reserve || ""}
        autoComplete="off"
      />
    </div>
  );
}

/** It is asked for where the service is set up for Stripe, or the plan has one; else nothing is said of it. */
function StripePrice({ plan }: { plan: Plan | undefined }) {
  const { t } = useTranslation();
  const may = useMay();
  const { data: billing } = useQuery({ ...query("GET /v1/billing", {}), enabled: may("billing:read") });
  if (!billing?.payment && !plan?.stripe_price_id) return null;
  return (
    <>
      <input type="hidden" name="has_stripe" value="on" />
      <TextField
        name="stripe_price_id"
        label={t("payment.priceId")}
        hint={t("payment.priceIdHint")}
        optional
        spellCheck={false}
        defaultValue={plan?.stripe_price_id ?? ""}
        autoComplete="off"
      />
    </>
  );
}
