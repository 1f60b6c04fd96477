import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import type { Topic } from "../../api/openapi.ts";
import { editedQuery } from "../../api/queries.ts";
import { EditDialog } from "../../kit/forms/edit-dialog.tsx";
import { TextArea, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { RadioGroup } from "../../kit/forms/radio-group.tsx";
import { ConfirmDialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

function useRefresh() {
  const queries = useQueryClient();
  return () =>
    Promise.all(["topics", "subscribers"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })));
}

const inputOf = (values: Values) => ({
  name: values.text("name"),
  description: values.textOrNull("description"),
  default: values.text("default") !== "asked",
});

export function NewTopic({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("topics.new")}
      action={t("topics.new")}
      onClose={onClose}
      submit={async (values) => {
        const made = await call("POST /v1/topics", { body: inputOf(values) });
        onClose();
        await refresh();
        notify(t("topics.saved", { name: made.name }));
      }}
    >
      <TopicFields />
    </FormDialog>
  );
}

export function EditTopic({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const { data: found } = useQuery(editedQuery("GET /v1/topics/{id}", { path }));
  if (!found) return null;
  const labels: Record<string, string> = {
    name: t("topics.name"),
    description: t("topics.description"),
    default: t("topics.default"),
  };
  return (
    <EditDialog
      title={t("topics.edit")}
      etag={found.etag}
      patchOf={inputOf}
      save={(body, ifMatch) => call("PATCH /v1/topics/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/topics/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={async () => {
        onClose();
        await refresh();
        notify(t("topics.saved", { name: found.body.name }));
      }}
      onClose={onClose}
    >
      <TopicFields topic={found.body} />
    </EditDialog>
  );
}

function TopicFields({ topic }: { topic?: Topic }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="name"
        label={t("topics.name")}
        hint={t("topics.nameHint")}
        maxLength={100}
        defaultValue={topic?.name ?? ""}
        autoComplete="off"
      />
      <TextArea
        name="description"
        label={t("topics.description")}
        hint={t("topics.descriptionHint")}
        maxLength={500}
        rows={2}
        defaultValue={topic?.description ?? ""}
      />
      <RadioGroup
        name="default"
        legend={t("topics.default")}
        defaultValue={topic?.default === false ? "asked" : "everybody"}
        choices={(["everybody", "asked"] as const).map((value) => ({
          value,
          label: t(`topics.defaults.${value}`),
          hint: t(`topics.defaultHints.${value}`),
        }))}
      />
    </>
  );
}

export function DeleteTopic({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("deleteTopic.title", { name: topic.name })}
      lead={t("deleteTopic.lead")}
      action={t("deleteTopic.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/topics/{id}", { path: { id: topic.id } });
        await refresh();
        notify(t("deleteTopic.done", { name: topic.name }));
      }}
    />
  );
}
