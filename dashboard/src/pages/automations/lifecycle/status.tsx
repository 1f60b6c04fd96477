import { useTranslation } from "react-i18next";
import type { AutomationSummary } from "../../../api/openapi.ts";

const LOOKS = { draft: "", live: " accent", paused: " warn", draining: " warn", archived: "" } as const;

export function Status({ status }: { status: AutomationSummary["status"] }) {
  const { t } = useTranslation();
  return <span className={`badge${LOOKS[status]}`}>{t(`lifecycle.status.${status}`)}</span>;
}
