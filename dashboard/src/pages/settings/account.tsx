/** The account's own settings, and who its mail is from. Both change the same object, each its part of it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Account, AccountPatch } from "../../api/openapi.ts";
import { queryWithEtag } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { SelectField, TextArea, TextField } from "../../kit/field.tsx";
import { Form, type Values } from "../../kit/form.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { timeZoneOptions } from "../../kit/time-zones.ts";
import { notify } from "../../kit/toasts.tsx";

type PartProps = {
  title: string;
  lead: string;
  patchOf: (values: Values) => AccountPatch;
  children: (account: Account) => ReactNode;
};

function AccountPart({ title, lead, patchOf, children }: PartProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const account = useQuery(queryWithEtag("GET /v1/account", {}));
  if (account.error && !account.data) {
    return (
      <Failure title={t("settings.unreadable")} error={account.error} retry={() => void account.refetch()} />
    );
  }
  if (!account.data) return <SkeletonLines lines={4} />;
  const { body, etag } = account.data;
  const save = async (values: Values) => {
    await call("PATCH /v1/account", { body: patchOf(values), ifMatch: etag });
    await queries.invalidateQueries({ queryKey: ["account"] });
    notify(t("settings.saved"));
  };
  return (
    <section className="stack-4">
      <div>
        <h2>{title}</h2>
        <p className="sm dim">{lead}</p>
      </div>
      <Form
        submit={save}
        onRefused={(error) => {
          // The next try is made on the newest version; what was typed stays in the form.
          if (error.status === 412) void account.refetch();
          return false;
        }}
      >
        {({ busy, note }) => (
          <>
            {children(body)}
            {note}
            <div className="row">
              <Button kind="primary" type="submit" busy={busy}>
                {t("do.save")}
              </Button>
            </div>
          </>
        )}
      </Form>
    </section>
  );
}

export function AccountSettings() {
  const { t } = useTranslation();
  return (
    <AccountPart
      title={t("settings.account")}
      lead={t("settings.accountLead")}
      patchOf={(values) => ({ name: values.text("name"), time_zone: values.text("time_zone") })}
    >
      {(account) => (
        <>
          <TextField
            name="name"
            label={t("settings.name")}
            maxLength={100}
            defaultValue={account.name}
            autoComplete="organization"
          />
          <SelectField
            name="time_zone"
            label={t("settings.timeZone")}
            hint={t("settings.timeZoneHint")}
            options={timeZoneOptions(account.time_zone)}
            defaultValue={account.time_zone}
          />
        </>
      )}
    </AccountPart>
  );
}

export function SenderSettings() {
  const { t } = useTranslation();
  return (
    <AccountPart
      title={t("settings.sender")}
      lead={t("settings.senderLead")}
      patchOf={(values) => ({
        from_name: values.textOrNull("from_name"),
        from_email: values.textOrNull("from_email"),
        reply_to: values.textOrNull("reply_to"),
        postal_address: values.textOrNull("postal_address"),
      })}
    >
      {(account) => (
        <>
          <div className="two">
            <TextField
              name="from_name"
              label={t("sender.fromName")}
              maxLength={200}
              optional
              defaultValue={account.from_name ?? ""}
            />
            <TextField
              name="from_email"
              label={t("sender.fromEmail")}
              type="email"
              maxLength={254}
              optional
              defaultValue={account.from_email ?? ""}
            />
          </div>
          <TextField
            name="reply_to"
            label={t("sender.replyTo")}
            type="email"
            maxLength={254}
            optional
            defaultValue={account.reply_to ?? ""}
          />
          <TextArea
            name="postal_address"
            label={t("sender.postalAddress")}
            hint={t("sender.postalAddressHint")}
            maxLength={500}
            optional
            defaultValue={account.postal_address ?? ""}
          />
        </>
      )}
    </AccountPart>
  );
}
