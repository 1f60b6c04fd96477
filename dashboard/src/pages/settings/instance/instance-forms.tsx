import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { chooseAccount } from "../../../api/account.ts";
import { call } from "../../../api/client.ts";
import type { InstanceAccount } from "../../../api/openapi.ts";
import { editedQuery } from "../../../api/queries.ts";
import { SelectField, TextArea, TextField } from "../../../kit/forms/field.tsx";
import { typedNumber } from "../../../kit/forms/typed-number.ts";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import type { ShownLink } from "../people/link-shown.tsx";

type Closing = { readonly onClose: () => void };
type OfAccount = Closing & { readonly account: InstanceAccount };

function useRefresh() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ["instance"] });
}

const WEEK_MS = 7 * 24 * 3_600_000;

export function OpenAccount({ onClose, onMade }: Closing & { readonly onMade: (link: ShownLink) => void }) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("instance.open")}
      lead={t("instance.openLead")}
      action={t("instance.open")}
      onClose={onClose}
      submit={async (values) => {
        const email = values.text("owner_email");
        const owner_name = values.text("owner_name");
        const body = { name: values.text("name"), owner_email: email, ...(owner_name && { owner_name }) };
        const made = await call("POST /v1/instance/accounts", { body });
        await refresh();
        notify(t("instance.opened", { name: made.name }));
        const expiresAt = new Date(Date.parse(made.created_at) + WEEK_MS).toISOString();
        onMade({ email, url: made.owner_link ?? "", expiresAt, isMailed: false });
      }}
    >
      <TextField name="name" label={t("instance.name")} maxLength={100} autoComplete="off" />
      <TextField
        name="owner_email"
        label={t("instance.ownerEmail")}
        type="email"
        maxLength={254}
        autoComplete="off"
      />
      <TextField
        name="owner_name"
        label={t("instance.ownerName")}
        maxLength={100}
        optional
        autoComplete="off"
      />
    </FormDialog>
  );
}

export function Suspend({ account: { id, name }, onClose }: OfAccount) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("instance.suspendTitle", { name })}
      lead={t("instance.suspendLead")}
      action={t("instance.suspend")}
      onClose={onClose}
      submit={async (values) => {
        const body = { reason: values.text("reason") };
        await call("POST /v1/instance/accounts/{id}/suspend", { path: { id }, body });
        onClose();
        await refresh();
        notify(t("instance.suspended", { name }));
      }}
    >
      <TextArea name="reason" label={t("instance.reason")} hint={t("instance.reasonHint")} maxLength={500} />
    </FormDialog>
  );
}

export function Reinstate({ account: { id, name }, onClose }: OfAccount) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <ConfirmDialog
      title={t("instance.reinstateTitle", { name })}
      lead={t("instance.reinstateLead")}
      action={t("instance.reinstate")}
      onClose={onClose}
      confirm={async () => {
        await call("POST /v1/instance/accounts/{id}/reinstate", { path: { id } });
        await refresh();
        notify(t("instance.reinstated", { name }));
      }}
    />
  );
}

/** Its standing has stopped it: too much of its mail bounced or was complained about. */
export function Release({ account: { id, name }, onClose }: OfAccount) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("instance.releaseTitle", { name })}
      lead={t("instance.releaseLead")}
      action={t("instance.release")}
      onClose={onClose}
      submit={async (values) => {
        const body = { reason: values.text("reason") };
        await call("POST /v1/instance/accounts/{id}/release", { path: { id }, body });
        onClose();
        await refresh();
        notify(t("instance.released", { name }));
      }}
    >
      <TextArea name="reason" label={t("instance.reason")} maxLength={500} />
    </FormDialog>
  );
}

const DAY_MS = 24 * 3_600_000;
const GRACE_DAYS = [3, 7, 14, 30, 90];

/** It owes something and may send all the same, until a day; then what it still owes stops it again. */
export function PutOff({ account: { id, name, debt }, onClose }: OfAccount) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  return (
    <FormDialog
      title={t("instance.putOffTitle", { name })}
      lead={t("instance.putOffLead")}
      action={t("instance.putOff")}
      onClose={onClose}
      submit={async (values) => {
        const days = Number(values.text("days"));
        const until = days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString();
        const body = { until, reason: values.text("reason") };
        await call("POST /v1/instance/accounts/{id}/grace", { path: { id }, body });
        onClose();
        await refresh();
        notify(t(until ? "instance.isPutOff" : "instance.graceEnded", { name }));
      }}
    >
      <SelectField
        name="days"
        label={t("instance.graceDays")}
        defaultValue="7"
        options={[
          ...GRACE_DAYS.map((count) => ({
            value: String(count),
            label: t("instance.graceDaysOf", { count }),
          })),
          ...(debt?.grace_until ? [{ value: "0", label: t("instance.graceNone") }] : []),
        ]}
      />
      <TextArea name="reason" label={t("instance.reason")} maxLength={500} />
    </FormDialog>
  );
}

/** The name of an account, and how many mails a day and subscribers it may have. */
export function EditLimits({ account: { id, name }, onClose }: OfAccount) {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const path = { id };
  const { data: found } = useQuery(editedQuery("GET /v1/instance/accounts/{id}", { path }));
  if (!found) return null;
  return (
    <FormDialog
      title={t("instance.limitsTitle", { name })}
      lead={t("instance.limitsLead")}
      action={t("do.save")}
      onClose={onClose}
      submit={async (values) => {
        const body = {
          name: values.text("name"),
          daily_mail_limit: typedNumber(values, "daily_mail_limit"),
          subscriber_limit: typedNumber(values, "subscriber_limit"),
        };
        await call("PATCH /v1/instance/accounts/{id}", { path, body, ifMatch: found.etag });
        onClose();
        await refresh();
        notify(t("instance.limited", { name: body.name }));
      }}
    >
      <TextField
        name="name"
        label={t("instance.name")}
        maxLength={100}
        defaultValue={found.body.name}
        autoComplete="off"
      />
      {(["daily_mail_limit", "subscriber_limit"] as const).map((limit) => (
        <TextField
          key={limit}
          name={limit}
          label={t(`instance.${limit}`)}
          hint={t(`instance.${limit}_hint`)}
          inputMode="numeric"
          optional
          defaultValue={found.body[limit] ?? ""}
          autoComplete="off"
        />
      ))}
    </FormDialog>
  );
}

const MINUTES = [15, 30, 60];

/** The page starts anew with the other account, so that nothing of this one stays in its memory. */
export function LookIn({ account: { id, name }, onClose }: OfAccount) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t("instance.lookInTitle", { name })}
      lead={t("instance.lookInLead")}
      action={t("instance.lookIn")}
      onClose={onClose}
      submit={async (values) => {
        const body = { reason: values.text("reason"), minutes: Number(values.text("minutes")) };
        await call("POST /v1/instance/accounts/{id}/look_in", { path: { id }, body });
        chooseAccount(id, true);
        window.location.assign("/");
      }}
    >
      <TextArea name="reason" label={t("instance.reason")} hint={t("instance.reasonHint")} maxLength={500} />
      <SelectField
        name="minutes"
        label={t("instance.minutes")}
        defaultValue="30"
        options={MINUTES.map((count) => ({
          value: String(count),
          label: t("instance.minutesOf", { count }),
        }))}
      />
    </FormDialog>
  );
}
