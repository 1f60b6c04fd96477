/** Makes and changes an endpoint. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import type { Webhook, WebhookWithSecret } from "../../api/openapi.ts";
import { editedQuery } from "../../api/queries.ts";
import { EditDialog } from "../../kit/forms/edit-dialog.tsx";
import { Checkbox, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";
import { EventChooser } from "./event-chooser.tsx";

const bodyOf = (values: Values) => ({
  url: values.text("url"),
  description: values.text("description"),
  events: values.all("events"),
  ordered: values.isChecked("ordered"),
  batch_engagement: values.isChecked("batch_engagement"),
  include: values.isChecked("include") ? (["email"] as const) : [],
});

export function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["webhooks"] });
}

type NewProps = { onMade: (made: WebhookWithSecret) => void; onClose: () => void };

export function NewEndpoint({ onMade, onClose }: NewProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("webhooks.new")}
      action={t("webhooks.add")}
      onClose={onClose}
      submit={async (values) => {
        onMade(await call("POST /v1/webhooks", { body: bodyOf(values) }));
        await refresh();
      }}
    >
      <EndpointFields />
    </FormDialog>
  );
}

export function EditEndpoint({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const { data: found } = useQuery(editedQuery("GET /v1/webhooks/{id}", { path }));
  if (!found) return null;
  const labels: Readonly<Record<string, string>> = {
    url: t("webhooks.url"),
    description: t("webhooks.description"),
    events: t("webhooks.events"),
    ordered: t("webhooks.options.ordered"),
    batch_engagement: t("webhooks.options.batch"),
    include: t("webhooks.options.include"),
  };
  return (
    <EditDialog
      title={t("webhooks.edit")}
      etag={found.etag}
      patchOf={bodyOf}
      save={(body, ifMatch) => call("PATCH /v1/webhooks/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/webhooks/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={async () => {
        onClose();
        await refresh();
        notify(t("webhooks.saved"));
      }}
      onClose={onClose}
    >
      <EndpointFields webhook={found.body} />
    </EditDialog>
  );
}

function EndpointFields({ webhook }: { webhook?: Webhook }) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="url"
        label={t("webhooks.url")}
        hint={t("webhooks.urlHint")}
        type="url"
        maxLength={2_048}
        autoComplete="off"
        defaultValue={webhook?.url}
      />
      <TextField
        name="description"
        label={t("webhooks.description")}
        hint={t("webhooks.descriptionHint")}
        optional
        maxLength={500}
        autoComplete="off"
        defaultValue={webhook?.description}
      />
      <EventChooser chosen={webhook?.events ?? []} />
      <fieldset className="stack">
        <legend className="flabel">{t("webhooks.options.legend")}</legend>
        <Checkbox
          name="include"
          label={t("webhooks.options.include")}
          hint={t("webhooks.options.includeHint")}
          defaultChecked={webhook?.include.includes("email") ?? false}
        />
        <Checkbox
          name="batch_engagement"
          label={t("webhooks.options.batch")}
          hint={t("webhooks.options.batchHint")}
          defaultChecked={webhook?.batch_engagement ?? false}
        />
        <Checkbox
          name="ordered"
          label={t("webhooks.options.ordered")}
          hint={t("webhooks.options.orderedHint")}
          defaultChecked={webhook?.ordered ?? false}
        />
      </fieldset>
    </>
  );
}
