import "../i18n/later/holds.ts";
import { OctagonPause } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Account } from "../api/openapi.ts";
import { formatTime } from "../i18n/format.ts";
import { Icon } from "../kit/icon.tsx";

/** The line at the top while the account may not send, for each thing that keeps it from that. */
export default function HeldLine({ holds }: Pick<Account, "holds">) {
  const { t } = useTranslation();
  return holds.map(({ kind, reason, since }) => (
    <div key={kind} className="note danger line" role="status">
      <Icon of={OctagonPause} />
      <span className="grow break">
        <b>{t(`holds.${kind}`)}</b> {t(`holds.${kind}More`)}{" "}
        {reason && <span dir="auto">{t("holds.reason", { reason })} </span>}
        {t("holds.since", { time: formatTime(since) })}
      </span>
    </div>
  ));
}
