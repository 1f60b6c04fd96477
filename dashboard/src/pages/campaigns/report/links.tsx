import "../../../i18n/later/report.ts";
import { useTranslation } from "react-i18next";

export function ReportLinks() {
  const { t } = useTranslation();
  return <p>{t("report.title")}</p>;
}
