import { CircleCheck, CircleSlash, CircleX, Clock, type LucideIcon, RefreshCw, Undo2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Import } from "../../api/openapi.ts";
import { Icon } from "../../kit/icon.tsx";

const LOOKS: Record<Import["status"], { icon: LucideIcon; colour: string }> = {
  pending: { icon: Clock, colour: "dim" },
  running: { icon: RefreshCw, colour: "c-accent" },
  completed: { icon: CircleCheck, colour: "c-accent" },
  failed: { icon: CircleX, colour: "c-danger" },
  canceled: { icon: CircleSlash, colour: "dim" },
  undoing: { icon: Undo2, colour: "c-warn" },
  undone: { icon: Undo2, colour: "dim" },
};

export function ImportState({ of: { status } }: { of: Pick<Import, "status"> }) {
  const { t } = useTranslation();
  const { icon, colour } = LOOKS[status];
  return (
    <span className={`state ${colour}`}>
      <Icon of={icon} />
      <span className="state-word">{t(`imports.states.${status}`)}</span>
    </span>
  );
}
