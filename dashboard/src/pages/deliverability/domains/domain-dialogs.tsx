import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../../api/client.ts";
import type { Domain } from "../../../api/openapi.ts";
import { editedQuery } from "../../../api/queries.ts";
import { EditDialog } from "../../../kit/forms/edit-dialog.tsx";
import { Checkbox, TextField } from "../../../kit/forms/field.tsx";
import type { Values } from "../../../kit/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { UnreadableDialog } from "../../../kit/overlays/unreadable-dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

const TYPED = { autoComplete: "off", spellCheck: false, autoCapitalize: "off", maxLength: 253 } as const;

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["domains"] });
}

const patchOf = (values: Values) => ({
  return_path: values.textOrNull("return_path"),
  tracking_host: values.textOrNull("tracking_host"),
  ed25519: values.isChecked("ed25519"),
});

export function NewDomain({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [name, setName] = useState("");
  const [typed, setTyped] = useState<{ returnPath?: string; trackingHost?: string }>({});
  const suggest = (label: string) => (isDomain(name) ? `${label}.${plainName(name)}` : "");
  return (
    <FormDialog
      title={t("domains.new")}
      action={t("domains.new")}
      onClose={onClose}
      submit={async (values) => {
        const body = { name: values.text("name"), ...patchOf(values) };
        const made = await call("POST /v1/domains", { body });
        onClose();
        await refresh();
        notify(t("domains.created", { name: made.name }));
      }}
    >
      <TextField
        name="name"
        label={t("domains.name")}
        hint={t("domains.nameHint")}
        value={name}
        onChange={({ target }) => setName(target.value)}
        {...TYPED}
      />
      <DomainFields
        returnPath={{
          value: typed.returnPath ?? suggest("bounce"),
          onChange: ({ target }) => setTyped({ ...typed, returnPath: target.value }),
        }}
        trackingHost={{
          value: typed.trackingHost ?? suggest("go"),
          onChange: ({ target }) => setTyped({ ...typed, trackingHost: target.value }),
        }}
        ed25519={false}
      />
    </FormDialog>
  );
}

type Filled = Pick<ComponentProps<"input">, "value" | "defaultValue" | "onChange">;
type FieldsProps = { returnPath: Filled; trackingHost: Filled; ed25519: boolean };

function DomainFields({ returnPath, trackingHost, ed25519 }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="return_path"
        label={t("domains.returnPath")}
        hint={t("domains.returnPathHint")}
        optional
        {...returnPath}
        {...TYPED}
      />
      <TextField
        name="tracking_host"
        label={t("domains.trackingHost")}
        hint={t("domains.trackingHostHint")}
        optional
        {...trackingHost}
        {...TYPED}
      />
      <Checkbox
        name="ed25519"
        label={t("domains.ed25519")}
        hint={t("domains.ed25519Hint")}
        defaultChecked={ed25519}
      />
    </>
  );
}

const plainName = (name: string) => name.trim().replace(/\.$/, "").toLowerCase();
/** Enough of a name to suggest hosts below it; whether it is one, the service says. */
const isDomain = (name: string) => /^[^\s.@/]+(\.[^\s.@/]+)+$/.test(plainName(name));

export function EditDomain({ domain: { id, name }, onClose }: OneProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const title = t("domains.edit", { name });
  const { data: found, error } = useQuery(editedQuery("GET /v1/domains/{id}", { path }));
  if (error && !found) return <UnreadableDialog title={title} error={error} onClose={onClose} />;
  if (!found) return null;
  const { body: domain, etag } = found;
  const labels: Record<string, string> = {
    return_path: t("domains.returnPath"),
    tracking_host: t("domains.trackingHost"),
    ed25519: t("domains.ed25519"),
  };
  return (
    <EditDialog
      title={title}
      etag={etag}
      patchOf={patchOf}
      save={(body, ifMatch) => call("PATCH /v1/domains/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/domains/{id}", { path })}
      labelOf={(name) => labels[name] ?? name}
      onSaved={async () => {
        onClose();
        await refresh();
        notify(t("domains.saved", { name }));
      }}
      onClose={onClose}
    >
      <DomainFields
        returnPath={{ defaultValue: domain.return_path ?? "" }}
        trackingHost={{ defaultValue: domain.tracking_host ?? "" }}
        ed25519={domain.ed25519}
      />
    </EditDialog>
  );
}

type OneProps = { domain: Domain; onClose: () => void };

export function RotateKey({ domain: { id, name }, onClose }: OneProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("domains.rotateTitle", { name })}
      lead={t("domains.rotateLead")}
      action={t("domains.rotate")}
      onClose={onClose}
      submit={async () => {
        await call("POST /v1/domains/{id}/rotate_key", { path: { id } });
        onClose();
        await refresh();
        notify(t("domains.rotated", { name }));
      }}
    >
      {null}
    </FormDialog>
  );
}

export function DeleteDomain({ domain: { id, name }, onClose }: OneProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("domains.delete.title", { name })}
      lead={t("domains.delete.lead")}
      action={t("domains.delete.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/domains/{id}", { path: { id } });
        await refresh();
        notify(t("domains.delete.done", { name }));
      }}
    />
  );
}
