import { CircleCheck, CircleX, Clock, type LucideIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { MailTestSummary } from "../../../api/openapi.ts";
import { LANGUAGE } from "../../../i18n/i18n.ts";
import { Icon } from "../../../kit/icon.tsx";

const LOOKS: Readonly<Record<MailTestSummary["status"], { icon: LucideIcon; className: string }>> = {
  waiting: { icon: Clock, className: "badge info" },
  done: { icon: CircleCheck, className: "badge accent" },
  failed: { icon: CircleX, className: "badge danger" },
  expired: { icon: CircleX, className: "badge warn" },
};

export function StateBadge({ status }: Pick<MailTestSummary, "status">) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[status];
  return (
    <span className={className}>
      <Icon of={icon} size="sm" />
      {t(`mailTests.states.${status}`)}
    </span>
  );
}

const points = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
export const formatPoints = (value: number) => points.format(value);

export function Score({ score }: { score: number | null }) {
  const { t } = useTranslation();
  return score === null ? "" : t("mailTests.scoreOf", { score: formatPoints(score) });
}
