import { useTranslation } from "react-i18next";

const ENDS = [
  "completed",
  "goal",
  "exit",
  "unsubscribed",
  "bounced",
  "suppressed",
  "removed",
  "canceled",
  "deleted",
  "too_many_visits",
] as const;

/** As what a run ended, in words. What this page doesn't know is named as the service names it. */
export function useSayEnd(): (as: string | null) => string {
  const { t } = useTranslation();
  return (as) => {
    const known = ENDS.find((one) => one === as);
    return known ? t(`runs.ends.${known}`) : t("runs.ends.other", { reason: as ?? "" });
  };
}
