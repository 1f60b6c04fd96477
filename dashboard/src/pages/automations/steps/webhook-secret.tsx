/** Whether what the automation's webhook steps post is signed, and how it comes to be. */
import "../../../i18n/later/webhooks.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, ShieldAlert, ShieldCheck } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { query } from "../../../api/queries.ts";
import { formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { useAct } from "../../../kit/use-act.ts";
import { SecretShownOnce } from "../../webhooks/secret-dialogs.tsx";
import { useEditing } from "../editor/editing.ts";

export default function WebhookSecret({ url }: { url: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { automationId: id, isLocked } = useEditing();
  const path = { id };
  const { data: automation } = useQuery(query("GET /v1/automations/{id}", { path }));
  const [isAsked, setAsked] = useState(false);
  const [secret, setSecret] = useState<string>();
  const make = async () => {
    const made = await call("POST /v1/automations/{id}/rotate_webhook_secret", { path });
    setSecret(made.secret ?? "");
    await queries.invalidateQueries({ queryKey: ["automations"] });
  };
  const first = useAct(make);
  if (!automation) return null;
  const signing = automation.webhook_signing;
  return (
    <>
      <div className="row sm top">
        <Icon of={signing ? ShieldCheck : ShieldAlert} />
        <span className="grow">
          {t(signing ? "step.signing.signed" : "step.signing.unsigned")}
          {signing?.previous_until && (
            <> {t("webhooks.secret.both", { time: formatTime(signing.previous_until) })}.</>
          )}
        </span>
      </div>
      {!isLocked && (
        <div>
          <Button
            size="sm"
            icon={KeyRound}
            needs="webhooks:write"
            busy={first.isBusy}
            onClick={() => (signing ? setAsked(true) : first.run())}
          >
            {t(signing ? "webhooks.secret.rotate" : "step.signing.make")}
          </Button>
        </div>
      )}
      {isAsked && (
        <ConfirmDialog
          title={t("webhooks.secret.rotateTitle")}
          lead={t("step.signing.rotateLead")}
          action={t("webhooks.secret.rotate")}
          confirm={make}
          onClose={() => setAsked(false)}
        />
      )}
      {secret !== undefined && (
        <SecretShownOnce
          title={t("step.signing.title")}
          made={{ url, secret }}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
