import "../../../i18n/later/report.ts";
import { useTranslation } from "react-i18next";

export function ReportDomains() {
  const { t } = useTranslation();
  return <p>{t("report.title")}</p>;
}
