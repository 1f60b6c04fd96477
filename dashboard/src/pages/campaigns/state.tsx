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

const ICONS: Record<Status, LucideIcon> = {
  draft: CircleDashed,
  scheduled: Clock,
  sending: Send,
  paused: CirclePause,
  sent: CircleCheck,
  canceled: CircleSlash,
  failed: CircleX,
};

/** The state of a campaign: an icon, which has the colour, and a word. */
export function CampaignState({ status }: { status: Status }) {
  const { t } = useTranslation();
  return (
    <span className={`state campaign-${status}`}>
      <Icon of={ICONS[status]} />
      <span className="state-word">{t(`campaigns.state.${status}`)}</span>
    </span>
  );
}
