/** The questions before what can't be undone. */
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { CampaignSummary } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useRowActions } from "./use-row-actions.ts";

type Props = { campaign: CampaignSummary; onClose: () => void };

/** The number is that of the moment in which the question was asked; some more may have got it by the answer. */
export function CancelCampaign({ campaign, onClose }: Props) {
  const { t } = useTranslation();
  const { cancel } = useRowActions();
  const { name, stats } = campaign;
  const left = stats?.queued ?? 0;
  const lead =
    left === 0
      ? t("campaigns.cancelNobody")
      : t("campaigns.cancelLead", { count: left, number: formatNumber(left) });
  return (
    <ConfirmDialog
      title={t("campaigns.cancelTitle", { name })}
      lead={lead}
      action={t("campaigns.cancel")}
      people={left}
      onClose={onClose}
      confirm={() => cancel(campaign)}
    />
  );
}

export function DeleteDraft({ campaign: { id, name }, onClose }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("campaigns.deleteTitle", { name })}
      lead={t("campaigns.deleteLead")}
      action={t("campaigns.delete")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/campaigns/{id}", { path: { id } });
        await queries.invalidateQueries({ queryKey: ["campaigns"] });
        notify(t("campaigns.deleted", { name }));
      }}
    />
  );
}
