/** The secret of an endpoint: shown once, and replaced. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Webhook, WebhookWithSecret } from "../../api/openapi.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Checkbox, SelectField } from "../../kit/forms/field.tsx";
import { Dialog, FormDialog } from "../../kit/overlays/dialog.tsx";
import { useRefresh } from "./endpoint-form.tsx";

/** The secret, the one time that it can be shown. It closes only once the person says that it is kept. */
export function SecretShownOnce({
  made: { url, secret },
  title,
  onClose,
}: {
  made: Pick<WebhookWithSecret, "url" | "secret">;
  /** Where it isn't that of an endpoint. */
  title?: string;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [isKept, setKept] = useState(false);
  return (
    <Dialog
      mustAnswer
      title={title ?? t("webhooks.secret.title")}
      lead={t("webhooks.secret.lead")}
      onClose={onClose}
      footer={
        <Button kind="primary" disabled={!isKept} onClick={onClose}>
          {t("do.done")}
        </Button>
      }
    >
      <p className="sm mono dim break">{url}</p>
      <div className="row well secret">
        <span className="mono grow break">{secret}</span>
        <CopyButton text={secret ?? ""} size="sm" />
      </div>
      <Checkbox label={t("webhooks.secret.kept")} checked={isKept} onChange={() => setKept(!isKept)} />
    </Dialog>
  );
}

const GRACES = { none: 0, hour: 3_600, day: 86_400, week: 604_800 } as const;
const NAMES = ["none", "hour", "day", "week"] as const;

type RotateProps = { webhook: Webhook; onMade: (made: WebhookWithSecret) => void; onClose: () => void };

export function RotateSecret({ webhook: { id }, onMade, onClose }: RotateProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("webhooks.secret.rotateTitle")}
      lead={t("webhooks.secret.rotateLead")}
      action={t("webhooks.secret.rotate")}
      onClose={onClose}
      submit={async (values) => {
        const grace = NAMES.find((one) => one === values.text("grace_seconds")) ?? "day";
        const body = { grace_seconds: GRACES[grace] };
        onMade(await call("POST /v1/webhooks/{id}/rotate_secret", { path: { id }, body }));
        await refresh();
      }}
    >
      <SelectField
        name="grace_seconds"
        label={t("webhooks.secret.grace")}
        defaultValue="day"
        options={NAMES.map((one) => ({ value: one, label: t(`webhooks.secret.graces.${one}`) }))}
      />
    </FormDialog>
  );
}
