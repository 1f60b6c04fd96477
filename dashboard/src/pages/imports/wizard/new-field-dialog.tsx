import { useTranslation } from "react-i18next";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import type { NewField } from "./draft.ts";

const TYPES: readonly NewField["type"][] = ["text", "number", "date", "boolean", "url"];

/** Changes what a field will be. It is made when the file is tried. */
export function NewFieldDialog({
  field,
  onSave,
  onClose,
}: {
  field: NewField;
  onSave: (field: NewField) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t("fields.new")}
      lead={t("wizard.newField.lead")}
      action={t("do.save")}
      onClose={onClose}
      submit={async (values) => {
        const type = TYPES.find((one) => one === values.text("type")) ?? "text";
        onSave({ key: values.text("key"), name: values.text("name"), type });
        onClose();
      }}
    >
      <TextField name="name" label={t("fields.name")} maxLength={100} defaultValue={field.name} />
      <TextField
        name="key"
        label={t("fields.key")}
        hint={t("fields.keyHint")}
        maxLength={64}
        defaultValue={field.key}
        spellCheck={false}
      />
      <SelectField
        name="type"
        label={t("fields.type")}
        defaultValue={field.type}
        options={TYPES.map((type) => ({ value: type, label: t(`fields.types.${type}`) }))}
      />
    </FormDialog>
  );
}
