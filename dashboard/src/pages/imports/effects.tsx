import { Info } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Import } from "../../api/openapi.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Icon } from "../../kit/icon.tsx";

/** How many come in as having left or bounced elsewhere: they are never mailed, and an undo leaves it so. */
export function Effects({ of: one }: { of: Import }) {
  const { t } = useTranslation();
  const { opted_out, suppressed } = one.effects;
  if (one.target === "suppressions" || opted_out + suppressed === 0) return null;
  const parts = [
    opted_out > 0 && t("imports.effects.optedOut", { count: opted_out, number: formatNumber(opted_out) }),
    suppressed > 0 &&
      t("imports.effects.suppressed", { count: suppressed, number: formatNumber(suppressed) }),
  ];
  return (
    <div className="note info">
      <Icon of={Info} />
      <span>
        <b>{parts.filter(Boolean).join(" ")}</b> {t("imports.effects.more")}
      </span>
    </div>
  );
}
