import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import type { List } from "../../api/openapi.ts";
import { queryWithEtag } from "../../api/queries.ts";
import { FormDialog } from "../../kit/dialog.tsx";
import { EditDialog } from "../../kit/edit-dialog.tsx";
import { Checkbox, TextArea, TextField } from "../../kit/field.tsx";
import type { Values } from "../../kit/form.tsx";
import { notify } from "../../kit/toasts.tsx";

function useFinish(onClose: () => void) {
  const queries = useQueryClient();
  return async (text: string) => {
    onClose();
    await queries.invalidateQueries({ queryKey: ["lists"] });
    notify(text);
  };
}

export function NewList({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const finish = useFinish(onClose);
  return (
    <FormDialog
      title={t("lists.new")}
      action={t("lists.new")}
      onClose={onClose}
      submit={async (values) => {
        const made = await call("POST /v1/lists", { body: bodyOf(values) });
        await finish(t("lists.created", { name: made.name }));
      }}
    >
      <ListFields />
    </FormDialog>
  );
}

export function EditList({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const finish = useFinish(onClose);
  const path = { id };
  // It is read once for each opening: a refresh would take away what is being typed.
  const found = useQuery({
    ...queryWithEtag("GET /v1/lists/{id}", { path }),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (!found.data) return null;
  const { body: list, etag } = found.data;
  const labels: Record<string, string> = {
    name: t("lists.name"),
    double_opt_in: t("lists.doubleOptIn"),
    public: t("lists.public"),
    from_name: t("sender.fromName"),
    from_email: t("sender.fromEmail"),
    reply_to: t("sender.replyTo"),
    postal_address: t("sender.postalAddress"),
  };
  return (
    <EditDialog
      title={t("lists.edit")}
      etag={etag}
      patchOf={bodyOf}
      save={(body, ifMatch) => call("PATCH /v1/lists/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/lists/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={() => finish(t("lists.saved", { name: list.name }))}
      onClose={onClose}
    >
      <ListFields list={list} />
    </EditDialog>
  );
}

function ListFields({ list }: { list?: List }) {
  const { t } = useTranslation();
  return (
    <>
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
        <SenderFields of={list} />
        <TextArea
          name="postal_address"
          label={t("sender.postalAddress")}
          maxLength={500}
          optional
          defaultValue={list?.postal_address ?? ""}
        />
      </fieldset>
    </>
  );
}

function SenderFields({ of: list }: { of: List | undefined }) {
  const { t } = useTranslation();
  return (
    <>
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
    </>
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
