import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import { RadioGroup } from "../../../../kit/forms/radio-group.tsx";
import { FormDialog } from "../../../../kit/overlays/dialog.tsx";
import { notify } from "../../../../kit/toasts.tsx";

const WHEN = ["period_end", "now"] as const;

export function CancelPlan({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <FormDialog
      title={t("payment.cancelTitle")}
      lead={t("payment.cancelLead")}
      action={t("payment.cancel")}
      onClose={onClose}
      submit={async (values) => {
        const at = WHEN.find((one) => one === values.text("at")) ?? "period_end";
        await call("POST /v1/billing/cancel", { body: { at } });
        onClose();
        await queries.invalidateQueries({ queryKey: ["billing"] });
        notify(t("payment.cancelled"));
      }}
    >
      <RadioGroup
        name="at"
        legend={t("payment.when")}
        defaultValue="period_end"
        choices={WHEN.map((value) => ({
          value,
          label: t(`payment.at.${value}`),
          hint: t(`payment.atHints.${value}`),
        }))}
      />
    </FormDialog>
  );
}
