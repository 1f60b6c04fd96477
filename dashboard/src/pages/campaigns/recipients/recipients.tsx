import "../../../i18n/later/recipients.ts";
import { useTranslation } from "react-i18next";

export function CampaignRecipients() {
  const { t } = useTranslation();
  return <p>{t("recipients.title")}</p>;
}
