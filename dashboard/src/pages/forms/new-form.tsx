/** A form begins with its name and its list; everything else has a usual value and is changed on its page. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { query } from "../../api/queries.ts";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import { NeededFirst } from "../../kit/needed-first.tsx";
import { FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

const MOST_LISTS = 200;

export function NewForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const lists = useQuery(query("GET /v1/lists", { query: { limit: MOST_LISTS } }));
  if (!lists.data) return null;
  if (lists.data.data.length === 0) {
    return (
      <NeededFirst
        title={t("forms.new")}
        lead={t("forms.noList")}
        to="/lists"
        link={t("forms.toLists")}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={t("forms.new")}
      action={t("forms.new")}
      onClose={onClose}
      submit={async (values) => {
        const body = { name: values.text("name"), list_id: values.text("list_id") };
        const { id, name } = await call("POST /v1/forms", { body });
        await navigate({ to: "/forms/$id", params: { id } });
        notify(t("forms.created", { name }));
        await queries.invalidateQueries({ queryKey: ["forms"] });
      }}
    >
      <TextField
        name="name"
        label={t("forms.name")}
        hint={t("forms.nameHint")}
        maxLength={200}
        autoComplete="off"
      />
      <SelectField
        name="list_id"
        label={t("forms.list")}
        hint={t("forms.listHint")}
        options={lists.data.data.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </FormDialog>
  );
}
