import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";

/** Nothing is shown where the operator has set no limit. */
export function LimitsPart() {
  const { t } = useTranslation();
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const { daily_mail_limit: mails = null, subscriber_limit: subscribers = null } = account ?? {};
  const contacts = account?.plan_limits.contacts ?? null;
  if (mails === null && subscribers === null && contacts === null) return null;
  return (
    <>
      <hr className="rule" />
      <section className="stack">
        <div>
          <h2>{t("accountData.limits.title")}</h2>
          <p className="sm dim">{t("accountData.limits.lead")}</p>
        </div>
        {mails !== null && <p>{t("accountData.limits.mails", { number: formatNumber(mails) })}</p>}
        {subscribers !== null && (
          <p>{t("accountData.limits.subscribers", { number: formatNumber(subscribers) })}</p>
        )}
        {contacts !== null && <p>{t("accountData.limits.contacts", { number: formatNumber(contacts) })}</p>}
      </section>
    </>
  );
}
