import "../../../i18n/later/campaigns.ts";
import { useTranslation } from "react-i18next";

export function Overview() {
  const { t } = useTranslation();
  return <p>{t("campaigns.title")}</p>;
}
