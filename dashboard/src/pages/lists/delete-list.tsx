import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { List } from "../../api/openapi.ts";
import { formatNumber } from "../../i18n/format.ts";
import { ConfirmDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

export function DeleteList({ list, onClose }: { list: List; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const count = list.counts.total;
  return (
    <ConfirmDialog
      title={t("deleteList.title", { name: list.name })}
      lead={t("deleteList.lead", { count, number: formatNumber(count) })}
      action={t("deleteList.action")}
      people={count}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/lists/{id}", { path: { id: list.id }, query: { force: count > 0 } });
        await Promise.all(
          ["lists", "subscribers"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
        );
        notify(t("deleteList.done", { name: list.name }));
      }}
    />
  );
}
