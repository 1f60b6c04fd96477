import { useTranslation } from "react-i18next";
import { FromFields, PostalAddressField } from "../../settings/sender-fields.tsx";
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
          <FromFields of={{ ...account, from_name: account.from_name ?? account.name }} isAddressNeeded />
          <PostalAddressField of={account} hint={t("sender.postalAddressHint")} />
        </>
      )}
    </AccountForm>
  );
}
