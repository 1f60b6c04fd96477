import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { List } from "../../api/openapi.ts";
import { FormDialog } from "../../kit/dialog.tsx";
import { Checkbox, TextArea, TextField } from "../../kit/field.tsx";
import type { Values } from "../../kit/form.tsx";
import { notify } from "../../kit/toasts.tsx";

/** Makes a list, or changes one. */
export function EditList({ list, onClose }: { list?: List; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();

  const save = async (values: Values) => {
    const body = bodyOf(values);
    const saved = list
      ? await call("PATCH /v1/lists/{id}", { path: { id: list.id }, body })
      : await call("POST /v1/lists", { body });
    onClose();
    await queries.invalidateQueries({ queryKey: ["lists"] });
    notify(list ? t("lists.saved", { name: saved.name }) : t("lists.created", { name: saved.name }));
  };
  return (
    <FormDialog
      title={list ? t("lists.edit") : t("lists.new")}
      action={list ? t("do.save") : t("lists.new")}
      onClose={onClose}
      submit={save}
    >
      <TextField
        name="name"
        label={t("lists.name")}
        maxLength={200}
        defaultValue={list?.name ?? ""}
        autoComplete="off"
      />
      <Checkbox
        name="double_opt_in"
        label={t("lists.doubleOptIn")}
        hint={t("lists.doubleOptInHint")}
        defaultChecked={list?.double_opt_in}
      />
      <Checkbox
        name="public"
        label={t("lists.public")}
        hint={t("lists.publicHint")}
        defaultChecked={list?.public}
      />
      <fieldset className="stack-4">
        <legend className="label">{t("lists.senderLegend")}</legend>
        <div className="two">
          <TextField
            name="from_name"
            label={t("sender.fromName")}
            maxLength={200}
            optional
            defaultValue={list?.from_name ?? ""}
          />
          <TextField
            name="from_email"
            label={t("sender.fromEmail")}
            type="email"
            maxLength={254}
            optional
            defaultValue={list?.from_email ?? ""}
          />
        </div>
        <TextField
          name="reply_to"
          label={t("sender.replyTo")}
          type="email"
          maxLength={254}
          optional
          defaultValue={list?.reply_to ?? ""}
        />
        <TextArea
          name="postal_address"
          label={t("sender.postalAddress")}
          maxLength={500}
          optional
          defaultValue={list?.postal_address ?? ""}
        />
      </fieldset>
    </FormDialog>
  );
}

function bodyOf(values: Values) {
  return {
    name: values.text("name"),
    double_opt_in: values.isChecked("double_opt_in"),
    public: values.isChecked("public"),
    from_name: values.textOrNull("from_name"),
    from_email: values.textOrNull("from_email"),
    reply_to: values.textOrNull("reply_to"),
    postal_address: values.textOrNull("postal_address"),
  };
}
