import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { NewFactor } from "../../../api/openapi.ts";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { TextField } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { ProofField, proofOf } from "../../../shell/identity/proof-field.tsx";
import { QrCode } from "./qr-code.tsx";

/** Shows the secret of an app, once, and takes the first code that the app makes of it. */
export function AddApp({
  made,
  onClose,
  onAdded,
}: {
  made: NewFactor;
  onClose: () => void;
  onAdded: (codes: readonly string[] | null) => Promise<void>;
}) {
  const { t } = useTranslation();
  const path = { id: made.id };
  return (
    <FormDialog
      mustAnswer
      title={t("factors.appTitle")}
      lead={t("factors.appLead")}
      action={t("factors.activate")}
      onClose={onClose}
      submit={async (values) => {
        const name = values.text("name");
        if (name !== made.name) await call("PATCH /v1/factors/{id}", { path, body: { name } });
        const { code = "" } = proofOf("code", values);
        const added = await call("POST /v1/factors/{id}/activate", { path, body: { code } });
        await onAdded(added.recovery_codes);
      }}
    >
      <QrCode text={made.uri ?? ""} label={t("factors.qr")} />
      <div className="stack tight">
        <span className="flabel">{t("factors.secret")}</span>
        <div className="row well secret">
          <span className="mono grow break">{made.secret}</span>
          <CopyButton text={made.secret ?? ""} size="sm" />
        </div>
      </div>
      <TextField name="name" label={t("factors.name")} maxLength={100} defaultValue={made.name} />
      <ProofField way="code" />
    </FormDialog>
  );
}
