/** The account's name and zone, what owners do to it as a whole, and who its mail is from. */
import { useTranslation } from "react-i18next";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import { timeZoneOptions } from "../../kit/time-zones.ts";
import { AccountData } from "./account-data/account-data.tsx";
import { AccountForm } from "./account-form.tsx";
import { FromFields, PostalAddressField, ReplyToField } from "./sender-fields.tsx";

export function AccountSettings() {
  const { t } = useTranslation();
  return (
    <>
      <AccountForm
        title={t("settings.account")}
        lead={t("settings.accountLead")}
        labels={{ name: t("settings.name"), time_zone: t("settings.timeZone") }}
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
      </AccountForm>
      <AccountData />
    </>
  );
}

export function SenderSettings() {
  const { t } = useTranslation();
  return (
    <AccountForm
      title={t("settings.sender")}
      lead={t("settings.senderLead")}
      labels={{
        from_name: t("sender.fromName"),
        from_email: t("sender.fromEmail"),
        reply_to: t("sender.replyTo"),
        postal_address: t("sender.postalAddress"),
      }}
      patchOf={(values) => ({
        from_name: values.textOrNull("from_name"),
        from_email: values.textOrNull("from_email"),
        reply_to: values.textOrNull("reply_to"),
        postal_address: values.textOrNull("postal_address"),
      })}
    >
      {(account) => (
        <>
          <FromFields of={account} />
          <ReplyToField of={account} />
          <PostalAddressField of={account} hint={t("sender.postalAddressHint")} />
        </>
      )}
    </AccountForm>
  );
}
