/** The fields that say who mail is from: the account's own, in settings and at the first start, and those of a list. */
import { useTranslation } from "react-i18next";
import type { Account } from "../../api/openapi.ts";
import { TextArea, TextField } from "../../kit/forms/field.tsx";

type Sender = Pick<Account, "from_name" | "from_email" | "reply_to" | "postal_address">;
type Props = {
  of: Sender | undefined;
  /** True where there can be no mail without an address. */
  isAddressNeeded?: boolean;
};

export function FromFields({ of: sender, isAddressNeeded = false }: Props) {
  const { t } = useTranslation();
  return (
    <div className="two">
      <TextField
        name="from_name"
        label={t("sender.fromName")}
        maxLength={200}
        optional
        defaultValue={sender?.from_name ?? ""}
      />
      <TextField
        name="from_email"
        label={t("sender.fromEmail")}
        type="email"
        maxLength={254}
        optional={!isAddressNeeded}
        defaultValue={sender?.from_email ?? ""}
      />
    </div>
  );
}

export function ReplyToField({ of: sender }: Pick<Props, "of">) {
  const { t } = useTranslation();
  return (
    <TextField
      name="reply_to"
      label={t("sender.replyTo")}
      type="email"
      maxLength={254}
      optional
      defaultValue={sender?.reply_to ?? ""}
    />
  );
}

export function PostalAddressField({ of: sender, hint }: Pick<Props, "of"> & { hint?: string }) {
  const { t } = useTranslation();
  return (
    <TextArea
      name="postal_address"
      label={t("sender.postalAddress")}
      {...(hint !== undefined && { hint })}
      maxLength={500}
      optional
      defaultValue={sender?.postal_address ?? ""}
    />
  );
}
