import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Transport } from "../../../api/openapi.ts";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useRefreshServers } from "./known-servers.ts";

type Props = { server: Transport; onClose: () => void; onDeleted?: () => void };

/** One that a campaign on its way leaves by can't be deleted: the answer says so. */
export function DeleteServer({ server: { id, name }, onClose, onDeleted }: Props) {
  const { t } = useTranslation();
  const refresh = useRefreshServers();
  return (
    <ConfirmDialog
      title={t("servers.deleteTitle", { name })}
      lead={t("servers.deleteLead")}
      action={t("servers.deleteAction")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/transports/{id}", { path: { id } });
        onDeleted?.();
        await refresh();
        notify(t("servers.deleted", { name }));
      }}
    />
  );
}
