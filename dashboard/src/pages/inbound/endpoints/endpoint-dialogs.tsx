import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { InboundEndpoint, InboundEndpointWithUrl } from "../../../api/openapi.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Checkbox, PasswordField, SelectField, TextField } from "../../../kit/forms/field.tsx";
import { ConfirmDialog, Dialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

const PROVIDERS = ["ses", "postmark", "mailgun", "sendgrid", "brevo", "sparkpost"] as const;
type Provider = (typeof PROVIDERS)[number];

type Made = { onMade: (made: InboundEndpointWithUrl) => void; onClose: () => void };

export function NewEndpoint({ onMade, onClose }: Made) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [provider, setProvider] = useState<Provider>("ses");
  return (
    <FormDialog
      title={t("inbound.endpoints.new")}
      action={t("inbound.endpoints.new")}
      onClose={onClose}
      submit={async (values) => {
        const secret = values.exactText("secret");
        const name = values.text("name") || t(`inbound.endpoints.providers.${provider}`);
        const body = { provider, name, ...(secret !== "" && { secret }) };
        onMade(await call("POST /v1/inbound/endpoints", { body }));
        await queries.invalidateQueries({ queryKey: ["inbound"] });
      }}
    >
      <SelectField
        name="provider"
        label={t("inbound.endpoints.provider")}
        defaultValue={provider}
        onChange={({ target }) => setProvider(target.value as Provider)}
        options={PROVIDERS.map((one) => ({ value: one, label: t(`inbound.endpoints.providers.${one}`) }))}
      />
      <TextField
        name="name"
        label={t("inbound.endpoints.name")}
        hint={t("inbound.endpoints.nameHint")}
        optional
        maxLength={200}
        autoComplete="off"
      />
      <SecretField provider={provider} />
    </FormDialog>
  );
}

function SecretField({ provider }: { provider: Provider }) {
  const { t } = useTranslation();
  if (provider === "ses") return <p className="sm mid">{t("inbound.endpoints.secretHints.ses")}</p>;
  return (
    <PasswordField
      name="secret"
      label={t("inbound.endpoints.secret")}
      hint={t(`inbound.endpoints.secretHints.${provider}`)}
      optional={provider !== "mailgun" && provider !== "sendgrid"}
      size="md"
      maxLength={1_000}
      autoComplete="new-password"
    />
  );
}

export function RotateEndpoint({ endpoint, onMade, onClose }: Made & { endpoint: InboundEndpoint }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, name } = endpoint;
  return (
    <FormDialog
      title={t("inbound.endpoints.rotateTitle", { name })}
      lead={t("inbound.endpoints.rotateLead")}
      action={t("inbound.endpoints.rotate")}
      onClose={onClose}
      submit={async (values) => {
        const secret = values.exactText("secret");
        const body = secret === "" ? {} : { secret };
        onMade(await call("POST /v1/inbound/endpoints/{id}/rotate", { path: { id }, body }));
        await queries.invalidateQueries({ queryKey: ["inbound"] });
      }}
    >
      <SecretField provider={endpoint.provider} />
    </FormDialog>
  );
}

type ShownProps = { made: InboundEndpointWithUrl; onClose: () => void };

/** The address, the one time that it can be shown. It closes only once the person says that it is kept. */
export function UrlShownOnce({ made: { provider, url }, onClose }: ShownProps) {
  const { t } = useTranslation();
  const [isKept, setKept] = useState(false);
  return (
    <Dialog
      mustAnswer
      title={t("inbound.endpoints.readyTitle", { provider: t(`inbound.endpoints.providers.${provider}`) })}
      lead={t("inbound.endpoints.readyLead")}
      onClose={onClose}
      footer={
        <Button kind="primary" disabled={!isKept} onClick={onClose}>
          {t("do.done")}
        </Button>
      }
    >
      <div className="row well secret">
        <span className="mono grow break">{url}</span>
        <CopyButton text={url} size="sm" />
      </div>
      <Checkbox label={t("inbound.endpoints.kept")} checked={isKept} onChange={() => setKept(!isKept)} />
    </Dialog>
  );
}

export function DeleteEndpoint({ endpoint, onClose }: { endpoint: InboundEndpoint; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { id, name } = endpoint;
  return (
    <ConfirmDialog
      title={t("inbound.endpoints.delete.title", { name })}
      lead={t("inbound.endpoints.delete.lead")}
      action={t("inbound.endpoints.delete.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/inbound/endpoints/{id}", { path: { id } });
        await queries.invalidateQueries({ queryKey: ["inbound"] });
        notify(t("inbound.endpoints.delete.done", { name }));
      }}
    />
  );
}
