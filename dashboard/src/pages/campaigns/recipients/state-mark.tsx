import {
  CircleCheck,
  CircleHelp,
  CircleSlash,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  Send,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import type { RecipientStatus } from "./search.ts";

const ICONS: Record<RecipientStatus, LucideIcon> = {
  ready: Clock,
  inflight: Send,
  sent: CircleCheck,
  deferred: Hourglass,
  failed: CircleX,
  unknown: CircleHelp,
  skipped: CircleSlash,
};

/** A state is always an icon and a word; the colour is on the icon only. */
export function StateMark({ status }: { status: RecipientStatus | null }) {
  const { t } = useTranslation();
  if (status === null) return <span className="dim">{t("recipients.states.none")}</span>;
  return (
    <span className={`state mail-${status}`}>
      <Icon of={ICONS[status]} />
      <span className="state-word">{t(`recipients.states.${status}`)}</span>
    </span>
  );
}
