import "../../../i18n/later/composer.ts";
import { useTranslation } from "react-i18next";

export function Composer() {
  const { t } = useTranslation();
  return <p>{t("composer.title")}</p>;
}
