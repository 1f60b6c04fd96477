import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

type Props = {
  automation: { readonly id: string; readonly name: string };
  onClose: () => void;
  onDeleted?: () => Promise<void>;
};

export function DeleteAutomation({ automation: { id, name }, onClose, onDeleted }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("automations.delete.title", { name })}
      lead={t("automations.delete.lead")}
      action={t("automations.delete.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/automations/{id}", { path: { id } });
        await onDeleted?.();
        await queries.invalidateQueries({ queryKey: ["automations"] });
        notify(t("automations.delete.done", { name }));
      }}
    />
  );
}
