import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useLists } from "./reference-data.ts";

export default function AddSubscriber({ list, onClose }: { list: string | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const lists = useLists();
  const queries = useQueryClient();
  const navigate = useNavigate();

  const add = async (values: Values) => {
    const firstName = values.text("first_name");
    const lastName = values.text("last_name");
    const added = await call("POST /v1/subscribers", {
      body: {
        email: values.text("email"),
        list_id: values.text("list_id"),
        ...(firstName !== "" && { first_name: firstName }),
        ...(lastName !== "" && { last_name: lastName }),
      },
    });
    onClose();
    await Promise.all([
      queries.invalidateQueries({ queryKey: ["subscribers"] }),
      queries.invalidateQueries({ queryKey: ["lists"] }),
    ]);
    notify(t("subscribers.added", { email: added.email }));
    await navigate({ to: "/subscribers/$id", params: { id: added.id } });
  };
  return (
    <FormDialog
      title={t("subscribers.add")}
      lead={t("subscribers.addLead")}
      action={t("subscribers.add")}
      submit={add}
      onClose={onClose}
    >
      <TextField
        name="email"
        label={t("subscribers.address")}
        type="email"
        maxLength={254}
        autoComplete="off"
      />
      <SelectField
        name="list_id"
        label={t("filter.list")}
        options={lists.map(({ id, name }) => ({ value: id, label: name }))}
        defaultValue={list ?? lists[0]?.id}
      />
      <div className="two">
        <TextField
          name="first_name"
          label={t("subscriber.firstName")}
          maxLength={200}
          autoComplete="off"
          optional
        />
        <TextField
          name="last_name"
          label={t("subscriber.lastName")}
          maxLength={200}
          autoComplete="off"
          optional
        />
      </div>
    </FormDialog>
  );
}
