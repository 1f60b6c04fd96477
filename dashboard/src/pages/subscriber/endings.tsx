/** The three ways to end it: leaving a list or all, deleting the row, and forgetting the person. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Subscriber } from "../../api/openapi.ts";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import { ConfirmDialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

type Props = { subscriber: Subscriber; onClose: () => void };

/** Whatever shows people shows less of them now. */
function useRefresh() {
  const queries = useQueryClient();
  return () =>
    Promise.all(
      ["subscribers", "lists", "suppressions"].map((thing) =>
        queries.invalidateQueries({ queryKey: [thing] }),
      ),
    );
}

export function UnsubscribeSubscriber({ subscriber, onClose }: Props) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("unsubscribe.title", { email: subscriber.email })}
      lead={t("unsubscribe.lead")}
      action={t("subscriber.unsubscribe")}
      onClose={onClose}
      submit={async (values) => {
        const reason = values.text("reason");
        const scope = values.text("scope") === "all" ? "all" : "list";
        await call("POST /v1/subscribers/{id}/unsubscribe", {
          path: { id: subscriber.id },
          body: { scope, ...(reason !== "" && { reason }) },
        });
        onClose();
        await refresh();
        notify(t("unsubscribe.done", { email: subscriber.email }));
      }}
    >
      <SelectField
        name="scope"
        label={t("unsubscribe.scope")}
        options={[
          { value: "list", label: t("unsubscribe.thisList") },
          { value: "all", label: t("unsubscribe.allLists") },
        ]}
      />
      <TextField name="reason" label={t("unsubscribe.reason")} maxLength={500} optional autoComplete="off" />
    </FormDialog>
  );
}

export function DeleteSubscriber({ subscriber, onClose }: Props) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={t("deleteSubscriber.title", { email: subscriber.email })}
      lead={t("deleteSubscriber.lead")}
      action={t("do.delete")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/subscribers/{id}", { path: { id: subscriber.id } });
        await navigate({ to: "/subscribers" });
        await refresh();
        notify(t("deleteSubscriber.done", { email: subscriber.email }));
      }}
    />
  );
}

export function ForgetSubscriber({ subscriber, onClose }: Props) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={t("forget.title", { email: subscriber.email })}
      lead={t("forget.lead")}
      action={t("forget.action")}
      onClose={onClose}
      confirm={async () => {
        const erasure = await call("POST /v1/subscribers/{id}/forget", { path: { id: subscriber.id } });
        await navigate({ to: "/subscribers" });
        await refresh();
        notify(t("forget.done", { count: erasure.subscribers_removed }));
      }}
    />
  );
}
