import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../api/client.ts";
import { useMay } from "../../api/may.ts";
import type { ApiKey, NewApiKey } from "../../api/openapi.ts";
import { editedQuery } from "../../api/queries.ts";
import { EditDialog } from "../../kit/forms/edit-dialog.tsx";
import { Checkbox, CheckboxGroup, SelectField, TextArea, TextField } from "../../kit/forms/field.tsx";
import type { Values } from "../../kit/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";

type Scope = ApiKey["scopes"][number];

const SCOPES: readonly Scope[] = [
  "subscribers:read",
  "subscribers:write",
  "suppressions:read",
  "suppressions:write",
  "campaigns:read",
  "campaigns:write",
  "campaigns:send",
  "emails:read",
  "emails:send",
  "templates:read",
  "templates:write",
  "events:read",
  "files:read",
  "files:write",
  "inbound:read",
  "inbound:write",
  "domains:read",
  "domains:write",
  "deliverability:read",
  "deliverability:write",
  "webhooks:read",
  "webhooks:write",
  "usage:read",
  "transports:read",
  "transports:write",
  "account:read",
  "account:write",
  "account:export",
  "users:read",
  "users:write",
  "api_keys:read",
  "api_keys:write",
  "billing:read",
  "sso:read",
  "sso:write",
  "instance:read",
];

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["api_keys"] });
}

export function NewKey({ onClose, onMade }: { onClose: () => void; onMade: (made: NewApiKey) => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const may = useMay();
  const [isFull, setFull] = useState(false);

  const make = async (values: Values) => {
    const ends = values.text("expires_at");
    const made = await call("POST /v1/api_keys", {
      body: {
        name: values.text("name"),
        scopes: isFull ? ["full"] : (values.all("scopes") as Scope[]),
        allowed_networks: rangesIn(values.text("allowed_networks")),
        ...(ends !== "" && { expires_at: new Date(`${ends}T23:59:59`).toISOString() }),
      },
    });
    onMade(made);
    await refresh();
  };
  return (
    <FormDialog
      title={t("apiKeys.new")}
      lead={t("apiKeys.newLead")}
      action={t("apiKeys.make")}
      onClose={onClose}
      submit={make}
    >
      <TextField
        name="name"
        label={t("apiKeys.name")}
        hint={t("apiKeys.nameHint")}
        maxLength={100}
        autoComplete="off"
      />
      <TextField name="expires_at" label={t("apiKeys.ends")} type="date" optional />
      <TextArea
        name="allowed_networks"
        label={t("apiKeys.networks")}
        hint={t("apiKeys.networksHint")}
        optional
        autoComplete="off"
        spellCheck={false}
      />
      <CheckboxGroup name="scopes" legend={t("apiKeys.scopes")} faultText={t("apiKeys.noScope")}>
        {may("full") && (
          <Checkbox
            label={t("apiKeys.everything")}
            hint={t("apiKeys.everythingHint")}
            checked={isFull}
            onChange={() => setFull(!isFull)}
          />
        )}
        {!isFull && (
          <div className="scopes">
            {SCOPES.filter(may).map((scope) => (
              <Checkbox key={scope} name="scopes" value={scope} label={scope} />
            ))}
          </div>
        )}
      </CheckboxGroup>
    </FormDialog>
  );
}

/** One on each line, or with commas. */
const rangesIn = (text: string) => text.split(/[\s,]+/).filter(Boolean);

const GRACES = { none: 0, hour: 1, day: 24, week: 168 } as const;
type Grace = keyof typeof GRACES;

export function RotateKey({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: ApiKey;
  onClose: () => void;
  onMade: (made: NewApiKey) => void;
}) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("apiKeys.rotateTitle", { name: apiKey.name })}
      lead={t("apiKeys.rotateLead")}
      action={t("apiKeys.rotate")}
      onClose={onClose}
      submit={async (values) => {
        const body = { grace_hours: Number(values.text("grace_hours")) };
        onMade(await call("POST /v1/api_keys/{id}/rotate", { path: { id: apiKey.id }, body }));
        await refresh();
      }}
    >
      <SelectField
        name="grace_hours"
        label={t("apiKeys.grace")}
        defaultValue={String(GRACES.day)}
        options={(Object.keys(GRACES) as Grace[]).map((grace) => ({
          value: String(GRACES[grace]),
          label: t(`apiKeys.graces.${grace}`),
        }))}
      />
    </FormDialog>
  );
}

export function RenameKey({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const { data: found } = useQuery(editedQuery("GET /v1/api_keys/{id}", { path }));
  if (!found) return null;
  return (
    <EditDialog
      title={t("apiKeys.rename")}
      etag={found.etag}
      patchOf={(values) => ({ name: values.text("name") })}
      save={(body, ifMatch) => call("PATCH /v1/api_keys/{id}", { path, body, ifMatch })}
      read={() => request("GET /v1/api_keys/{id}", { path })}
      labelOf={() => t("apiKeys.name")}
      onSaved={async () => {
        onClose();
        await refresh();
      }}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t("apiKeys.name")}
        maxLength={100}
        defaultValue={found.body.name}
        autoComplete="off"
      />
    </EditDialog>
  );
}

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("apiKeys.revokeTitle", { name: apiKey.name })}
      lead={t("apiKeys.revokeLead")}
      action={t("apiKeys.revoke")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/api_keys/{id}", { path: { id: apiKey.id } });
        await refresh();
        notify(t("apiKeys.revoked", { name: apiKey.name }));
      }}
    />
  );
}
