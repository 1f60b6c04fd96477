import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { Checkbox, TextField } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";

/** Makes a list for this import; its sender and the rest can be set on the page of lists. */
export default function NewListHere({
  onMade,
  onClose,
}: {
  onMade: (id: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <FormDialog
      title={t("lists.new")}
      action={t("lists.new")}
      onClose={onClose}
      submit={async (values) => {
        const made = await call("POST /v1/lists", {
          body: { name: values.text("name"), double_opt_in: values.isChecked("double_opt_in") },
        });
        await queries.invalidateQueries({ queryKey: ["lists"] });
        onMade(made.id);
        onClose();
      }}
    >
      <TextField name="name" label={t("lists.name")} maxLength={200} autoComplete="off" />
      <Checkbox name="double_opt_in" label={t("lists.doubleOptIn")} hint={t("lists.doubleOptInHint")} />
    </FormDialog>
  );
}
