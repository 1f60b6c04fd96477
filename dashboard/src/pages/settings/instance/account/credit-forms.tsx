import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { Credit, CreditCreate, InstanceAccount } from "../../../../api/openapi.ts";
import { formatNumber } from "../../../../i18n/format.ts";
import { formatMoney } from "../../../../i18n/money.ts";
import { SelectField, TextArea, TextField } from "../../../../kit/forms/field.tsx";
import type { Values } from "../../../../kit/forms/form.tsx";
import { typedNumber } from "../../../../kit/forms/typed-number.ts";
import { FormDialog } from "../../../../kit/overlays/dialog.tsx";
import { notify } from "../../../../kit/toasts.tsx";

type OfAccount = { readonly account: InstanceAccount; readonly onClose: () => void };

/** A credit in words; what takes another back is negative. */
export function useCreditText(): (credit: Credit) => string {
  const { t } = useTranslation();
  return ({ amount, currency, mails }) =>
    amount !== null && currency !== null
      ? formatMoney(amount, currency)
      : t("billing.creditMails", { count: mails ?? 0, number: formatNumber(mails ?? 0) });
}

function useGive({ account: { id }, onClose }: OfAccount) {
  const queries = useQueryClient();
  return async (body: CreditCreate, text: string) => {
    await call("POST /v1/instance/accounts/{id}/credits", { path: { id }, body });
    onClose();
    await queries.invalidateQueries({ queryKey: ["instance"] });
    notify(text);
  };
}

const KINDS = ["mails", "amount"] as const;
type Kind = (typeof KINDS)[number];

export function GiveCredit(props: OfAccount) {
  const { t } = useTranslation();
  const give = useGive(props);
  const [kind, setKind] = useState<Kind>("mails");
  return (
    <FormDialog
      title={t("credits.giveTitle", { name: props.account.name })}
      action={t("credits.give")}
      onClose={props.onClose}
      submit={(values) => give(bodyOf(values, kind), t("credits.given"))}
    >
      <SelectField
        name="kind"
        label={t("credits.kind")}
        value={kind}
        onChange={(event) => setKind(KINDS.find((one) => one === event.target.value) ?? "mails")}
        options={KINDS.map((value) => ({ value, label: t(`credits.kinds.${value}`) }))}
      />
      {kind === "mails" ? (
        <TextField name="mails" label={t("credits.mails")} inputMode="numeric" autoComplete="off" />
      ) : (
        <div className="two">
          <TextField name="amount" label={t("credits.amount")} inputMode="decimal" autoComplete="off" />
          <TextField
            name="currency"
            label={t("credits.currency")}
            hint={t("plans.hints.currency")}
            maxLength={3}
            autoCapitalize="characters"
            spellCheck={false}
            autoComplete="off"
          />
        </div>
      )}
      <TextArea name="reason" label={t("credits.reason")} maxLength={500} />
    </FormDialog>
  );
}

function bodyOf(values: Values, kind: Kind): CreditCreate {
  const reason = values.text("reason");
  if (kind === "amount")
    return { amount: values.text("amount"), currency: values.text("currency").toUpperCase(), reason };
  // What was left empty is sent as that, so that the answer says it at its field.
  return { mails: typedNumber(values, "mails") ?? ("" as unknown as number), reason };
}

export function TakeBack({ credit, ...props }: OfAccount & { readonly credit: Credit }) {
  const { t } = useTranslation();
  const give = useGive(props);
  const textOf = useCreditText();
  const opposite = {
    ...credit,
    amount: credit.amount && `-${credit.amount}`,
    mails: credit.mails && -credit.mails,
  };
  return (
    <FormDialog
      title={t("credits.takeBackTitle")}
      lead={t("credits.takeBackLead", { what: textOf(opposite) })}
      action={t("credits.takeBack")}
      onClose={props.onClose}
      submit={(values) =>
        give({ reverses: credit.id, reason: values.text("reason") }, t("credits.takenBack"))
      }
    >
      <TextArea name="reason" label={t("credits.reason")} maxLength={500} />
    </FormDialog>
  );
}
