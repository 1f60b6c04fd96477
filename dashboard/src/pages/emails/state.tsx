import {
  CircleCheck,
  CircleHelp,
  CircleSlash,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  OctagonAlert,
  Send,
  Undo2,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../kit/icon.tsx";
import type { EmailStatus } from "./search.ts";

const LOOKS: Readonly<Record<EmailStatus, { icon: LucideIcon; colour: string }>> = {
  scheduled: { icon: Clock, colour: "var(--state-scheduled)" },
  queued: { icon: Send, colour: "var(--state-sending)" },
  sent: { icon: CircleCheck, colour: "var(--accent)" },
  deferred: { icon: Hourglass, colour: "var(--warn)" },
  bounced: { icon: Undo2, colour: "var(--danger)" },
  complained: { icon: OctagonAlert, colour: "var(--danger)" },
  failed: { icon: CircleX, colour: "var(--danger)" },
  unknown: { icon: CircleHelp, colour: "var(--warn)" },
  skipped: { icon: CircleSlash, colour: "var(--ink-3)" },
  canceled: { icon: CircleSlash, colour: "var(--state-cancelled)" },
};

/** How a mail or one of its recipients stands: an icon, which has the colour, and a word. */
export function EmailState({ status }: { status: EmailStatus }) {
  const { t } = useTranslation();
  const { icon, colour } = LOOKS[status];
  return (
    <span className="state" style={{ color: colour }}>
      <Icon of={icon} />
      <span className="state-word">{t(`emails.states.${status}`)}</span>
    </span>
  );
}
