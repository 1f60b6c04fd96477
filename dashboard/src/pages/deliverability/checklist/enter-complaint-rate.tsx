import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { ComplaintRate } from "../../../api/openapi.ts";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

/** Those that send no complaints themselves come first. */
const PROVIDERS: readonly ComplaintRate["provider"][] = ["gmail", "apple", "yahoo", "microsoft"];
const PER_CENT = 100;

/** A share has no more digits than the per cent that were typed: 0.45 / 100 would be 0.0045000000000000005. */
const shareOf = (perCent: number) => Number((perCent / PER_CENT).toPrecision(12));

/** Takes the rate of a day as the provider's own page shows it. */
export function EnterComplaintRate({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <FormDialog
      title={t("checklist.rate.enter")}
      lead={t("checklist.rate.lead")}
      action={t("checklist.rate.save")}
      onClose={onClose}
      submit={async (values) => {
        const typed = values.text("rate").replace(",", ".").replace(/\s*%$/, "");
        // What is no number is sent as it was typed, and the answer says what is wrong with it.
        const isNumber = typed !== "" && Number.isFinite(Number(typed));
        const rate = isNumber ? shareOf(Number(typed)) : (typed as unknown as number);
        const provider = values.text("provider") as ComplaintRate["provider"];
        await call("PUT /v1/deliverability/complaint_rates", {
          body: { provider, day: values.text("day"), rate },
        });
        onClose();
        await queries.invalidateQueries({ queryKey: ["deliverability"] });
        notify(t("checklist.rate.saved"));
      }}
    >
      <SelectField
        name="provider"
        label={t("checklist.rate.provider")}
        defaultValue="gmail"
        options={PROVIDERS.map((value) => ({ value, label: t(`checklist.providers.${value}`) }))}
      />
      <TextField
        name="day"
        type="date"
        label={t("checklist.rate.day")}
        defaultValue={new Date().toISOString().slice(0, 10)}
      />
      <TextField
        name="rate"
        label={t("checklist.rate.rate")}
        hint={t("checklist.rate.rateHint")}
        inputMode="decimal"
        autoComplete="off"
      />
    </FormDialog>
  );
}
