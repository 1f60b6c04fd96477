import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Field } from "../../api/openapi.ts";
import { FormDialog } from "../../kit/dialog.tsx";
import { SelectField, TextField } from "../../kit/field.tsx";
import type { Values } from "../../kit/form.tsx";
import { notify } from "../../kit/toasts.tsx";

const TYPES: readonly Field["type"][] = ["text", "number", "date", "boolean", "url"];

/** Makes a field, or renames one. Its type stays what it is, because there are values of it. */
export function EditField({ field, onClose }: { field?: Field; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();

  const save = async (values: Values) => {
    const names = { key: values.text("key"), name: values.text("name") };
    const type = TYPES.find((one) => one === values.text("type")) ?? "text";
    const saved = field
      ? await call("PATCH /v1/fields/{id}", { path: { id: field.id }, body: names })
      : await call("POST /v1/fields", { body: { ...names, type } });
    onClose();
    await Promise.all(
      ["fields", "subscribers"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
    );
    notify(t("fields.saved", { name: saved.name }));
  };
  return (
    <FormDialog
      title={field ? t("fields.edit") : t("fields.new")}
      action={field ? t("do.save") : t("fields.new")}
      onClose={onClose}
      submit={save}
    >
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
      {!field && (
        <SelectField
          name="type"
          label={t("fields.type")}
          options={TYPES.map((type) => ({ value: type, label: t(`fields.types.${type}`) }))}
        />
      )}
    </FormDialog>
  );
}
