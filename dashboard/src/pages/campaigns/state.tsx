import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  CircleX,
  Clock,
  type LucideIcon,
  Send,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CampaignSummary } from "../../api/openapi.ts";
import { Icon } from "../../kit/icon.tsx";

type Status = CampaignSummary["status"];

const LOOKS: Readonly<Record<Status, { icon: LucideIcon; colour: string }>> = {
  draft: { icon: CircleDashed, colour: "var(--state-draft)" },
  scheduled: { icon: Clock, colour: "var(--state-scheduled)" },
  sending: { icon: Send, colour: "var(--state-sending)" },
  paused: { icon: CirclePause, colour: "var(--state-paused)" },
  sent: { icon: CircleCheck, colour: "var(--state-sent)" },
  canceled: { icon: CircleSlash, colour: "var(--state-cancelled)" },
  failed: { icon: CircleX, colour: "var(--state-failed)" },
};

type Props = {
  status: Status;
  /** A word that says more than the state's own. */
  word?: string | undefined;
  /** True in a line of small text; there, what is being sent has a dot that pulses. */
  isSmall?: boolean;
};

/** The state of a campaign: an icon, which has the colour, and a word. */
export function CampaignState({ status, word, isSmall = false }: Props) {
  const { t } = useTranslation();
  const { icon, colour } = LOOKS[status];
  return (
    <span className="state" style={{ color: colour }}>
      {isSmall && status === "sending" ? (
        <span className="dot pulse" />
      ) : (
        <Icon of={icon} size={isSmall ? "sm" : "md"} />
      )}
      <span className="state-word">{word ?? t(`campaigns.state.${status}`)}</span>
    </span>
  );
}
