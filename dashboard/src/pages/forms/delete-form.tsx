import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Form } from "../../api/openapi.ts";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

type Props = { form: Form; onClose: () => void; onDeleted?: () => void };

export function DeleteForm({ form: { id, name }, onClose, onDeleted }: Props) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("forms.delete.title", { name })}
      lead={t("forms.delete.lead")}
      action={t("forms.delete.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/forms/{id}", { path: { id } });
        onDeleted?.();
        await queries.invalidateQueries({ queryKey: ["forms"] });
        notify(t("forms.delete.done", { name }));
      }}
    />
  );
}
