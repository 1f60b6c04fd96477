/** What is posted because somebody asks for it: a test, and what happened before. */
import { CircleCheck, CircleX } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Webhook, WebhookDelivery } from "../../api/openapi.ts";
import { formatDuration } from "../../i18n/format.ts";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import { Icon } from "../../kit/icon.tsx";
import { FormDialog } from "../../kit/overlays/dialog.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useRefresh } from "./endpoint-form.tsx";
import { typesWanted } from "./event-choice.ts";
import { useAnswerWord } from "./state.tsx";

type TestProps = { webhook: Webhook; onOpenDelivery: (id: string) => void; onClose: () => void };

export function SendTest({ webhook: { id, events }, onOpenDelivery, onClose }: TestProps) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const [sent, setSent] = useState<WebhookDelivery>();
  return (
    <FormDialog
      title={t("webhooks.test.open")}
      lead={t("webhooks.test.lead")}
      action={t("webhooks.test.action")}
      onClose={onClose}
      submit={async (values) => {
        setSent(undefined);
        const body = { type: values.text("type") };
        setSent(await call("POST /v1/webhooks/{id}/test", { path: { id }, body }));
        await refresh();
      }}
    >
      <SelectField
        name="type"
        label={t("webhooks.test.type")}
        options={typesWanted(events).map((type) => ({ value: type, label: type }))}
      />
      <div role="status">{sent && <TestResult sent={sent} onOpen={() => onOpenDelivery(sent.id)} />}</div>
    </FormDialog>
  );
}

function TestResult({ sent: { status, attempts }, onOpen }: { sent: WebhookDelivery; onOpen: () => void }) {
  const { t } = useTranslation();
  const wordOf = useAnswerWord();
  const attempt = attempts.at(-1);
  const isGood = status === "delivered";
  const said = { answer: wordOf(attempt), duration: formatDuration(attempt?.duration_ms ?? 0) };
  return (
    <div className={isGood ? "note accent" : "note danger"}>
      <Icon of={isGood ? CircleCheck : CircleX} />
      <div>
        <p>
          {isGood && t("webhooks.test.good", said)}
          {!isGood && attempt?.status != null && t("webhooks.test.bad", said)}
          {!isGood && attempt?.status == null && t("webhooks.test.none", { why: said.answer })}
        </p>
        <button type="button" className="text-button" onClick={onOpen}>
          {t("webhooks.test.look")}
        </button>
      </div>
    </div>
  );
}

const HOUR_MS = 3_600_000;

/** A time as the field for it wants it: without a zone, for it is the reader's own. */
function fieldText(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** What is no time is sent as it is, for the service to say so. */
function timeOf(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at.toISOString();
}

export function ReplayEvents({
  webhook: { id, events },
  onClose,
}: {
  webhook: Webhook;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("webhooks.replay.title")}
      lead={t("webhooks.replay.lead")}
      action={t("webhooks.replay.action")}
      onClose={onClose}
      submit={async (values) => {
        const until = values.text("until");
        const type = values.text("types");
        const body = {
          since: timeOf(values.text("since")),
          ...(until !== "" && { until: timeOf(until) }),
          ...(type !== "" && { types: [type] }),
        };
        await call("POST /v1/webhooks/{id}/replay", { path: { id }, body });
        onClose();
        await refresh();
        notify(t("webhooks.replay.started"));
      }}
    >
      <TextField
        name="since"
        label={t("webhooks.replay.since")}
        hint={t("webhooks.replay.sinceHint")}
        type="datetime-local"
        defaultValue={fieldText(new Date(Date.now() - HOUR_MS))}
      />
      <TextField
        name="until"
        label={t("webhooks.replay.until")}
        hint={t("webhooks.replay.untilHint")}
        type="datetime-local"
        optional
      />
      <SelectField
        name="types"
        label={t("webhooks.replay.types")}
        options={[
          { value: "", label: t("webhooks.replay.allTypes") },
          ...typesWanted(events).map((type) => ({ value: type, label: type })),
        ]}
      />
    </FormDialog>
  );
}
