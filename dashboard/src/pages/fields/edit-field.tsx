import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import type { Field } from "../../api/openapi.ts";
import { editedQuery } from "../../api/queries.ts";
import { EditDialog } from "../../kit/forms/edit-dialog.tsx";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

const TYPES: readonly Field["type"][] = ["text", "number", "date", "boolean", "url"];

function useRefresh() {
  const queries = useQueryClient();
  return () =>
    Promise.all(["fields", "subscribers"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })));
}

const namesOf = (values: Values) => ({ key: values.text("key"), name: values.text("name") });

export function NewField({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("fields.new")}
      action={t("fields.new")}
      onClose={onClose}
      submit={async (values) => {
        const type = TYPES.find((one) => one === values.text("type")) ?? "text";
        const made = await call("POST /v1/fields", { body: { ...namesOf(values), type } });
        onClose();
        await refresh();
        notify(t("fields.saved", { name: made.name }));
      }}
    >
      <NameFields />
      <SelectField
        name="type"
        label={t("fields.type")}
        options={TYPES.map((type) => ({ value: type, label: t(`fields.types.${type}`) }))}
      />
    </FormDialog>
  );
}

/** Renames a field. Its type stays what it is, because there are values of it. */
export function EditField({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const { data: found } = useQuery(editedQuery("GET /v1/fields/{id}", { path }));
  if (!found) return null;
  const labels: Record<string, string> = { name: t("fields.name"), key: t("fields.key") };
  return (
    <EditDialog
      title={t("fields.edit")}
      etag={found.etag}
      patchOf={namesOf}
      save={(body, ifMatch) => call("PATCH /v1/fields/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/fields/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={async () => {
        onClose();
        await refresh();
        notify(t("fields.saved", { name: found.body.name }));
      }}
      onClose={onClose}
    >
      <NameFields field={found.body} />
    </EditDialog>
  );
}

function NameFields({ field }: { field?: Field }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="name"
        label={t("fields.name")}
        maxLength={100}
        defaultValue={field?.name ?? ""}
        autoComplete="off"
      />
      <TextField
        name="key"
        label={t("fields.key")}
        hint={t("fields.keyHint")}
        maxLength={64}
        defaultValue={field?.key ?? ""}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  );
}

export function DeleteField({ field, onClose }: { field: Field; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("deleteField.title", { name: field.name })}
      lead={t("deleteField.lead")}
      action={t("deleteField.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/fields/{id}", { path: { id: field.id } });
        await refresh();
        notify(t("deleteField.done", { name: field.name }));
      }}
    />
  );
}
