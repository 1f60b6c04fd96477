import { CircleCheck, Flag, Hourglass, type LucideIcon, Undo2, UserMinus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../kit/icon.tsx";
import type { Status } from "./search.ts";

const ICONS: Record<Status, LucideIcon> = {
  active: CircleCheck,
  pending: Hourglass,
  unsubscribed: UserMinus,
  bounced: Undo2,
  complained: Flag,
};

/** A state is always an icon and a word; the colour is on the icon only. */
export function StatusMark({ status }: { status: Status }) {
  const { t } = useTranslation();
  return (
    <span className={`state sub-${status}`}>
      <Icon of={ICONS[status]} />
      <span className="state-word">{t(`status.${status}`)}</span>
    </span>
  );
}
