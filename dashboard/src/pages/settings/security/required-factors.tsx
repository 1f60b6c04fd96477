import { useQuery } from "@tanstack/react-query";
import { ShieldAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { sessionQuery } from "../../../api/queries.ts";
import { Checkbox } from "../../../kit/forms/field.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { AccountForm } from "../account-form.tsx";

/** Tells whether the account wants a second factor, and the person has none. */
function useFactorDue() {
  const { data: session } = useQuery(sessionQuery);
  const account = session?.memberships.find(({ account_id }) => account_id === session.account_id);
  const hasNone = session?.factors.length === 0 && !session.by_single_sign_on;
  const isDue = hasNone && (account?.require_two_factor ?? false);
  return { session, account, isDue };
}

/** Says why nothing else of the account is shown. */
export function FactorDue() {
  const { t } = useTranslation();
  const { account, isDue } = useFactorDue();
  if (!isDue) return null;
  return (
    <div className="note warn" role="status">
      <Icon of={ShieldAlert} />
      <span>{t("required.due", { account: account?.account_name ?? "" })}</span>
    </div>
  );
}

/** The switch, for those who may change the account. */
export function RequiredFactors() {
  const { t } = useTranslation();
  const { session, isDue } = useFactorDue();
  const mayChange = session?.scopes.some((scope) => scope === "full" || scope === "account:write") ?? false;
  if (!mayChange || isDue) return null;
  const label = t("required.label");
  return (
    <>
      <hr className="rule" />
      <AccountForm
        title={t("required.title")}
        lead={t("required.lead")}
        labels={{ require_two_factor: label }}
        patchOf={(values) => ({ require_two_factor: values.isChecked("require_two_factor") })}
      >
        {(account) => (
          <Checkbox
            name="require_two_factor"
            label={label}
            hint={t("required.hint")}
            defaultChecked={account.require_two_factor}
          />
        )}
      </AccountForm>
    </>
  );
}
