import { useTranslation } from "react-i18next";
import { TextArea, TextField } from "../../../kit/forms/field.tsx";
import { AccountForm } from "./account-form.tsx";

export function SenderStep() {
  const { t } = useTranslation();
  return (
    <AccountForm
      action={t("first.senderSave")}
      patchOf={(values) => ({
        from_name: values.textOrNull("from_name"),
        // An empty address is sent as it is, so that the answer says what is wrong with it.
        from_email: values.text("from_email"),
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
              defaultValue={account.from_name ?? account.name}
            />
            <TextField
              name="from_email"
              label={t("sender.fromEmail")}
              type="email"
              maxLength={254}
              defaultValue={account.from_email ?? ""}
            />
          </div>
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
    </AccountForm>
  );
}
