/** Puts a step in between. */
import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import { Menu } from "../../../kit/overlays/menu.tsx";
import { STEP_TYPES } from "../graph/draft.ts";
import type { Gap } from "../graph/outline.ts";
import { useEditing } from "./editing.ts";
import { STEP_ICONS } from "./step-kinds.ts";
import { useStepActs } from "./use-step-acts.ts";

/** On the canvas there is room for a sign alone. */
export function AddStep({ gap, label, isSmall }: { gap: Gap; label: string; isSmall?: boolean }) {
  const { t } = useTranslation();
  const { isLocked } = useEditing();
  const { add } = useStepActs();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (isLocked) return null;
  return (
    <>
      <button
        ref={button}
        type="button"
        className={isSmall ? "canvas-add" : "step-add"}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon of={Plus} size="sm" />
        {!isSmall && <span className="step-add-word">{t("automations.outline.addHere")}</span>}
      </button>
      {isOpen && (
        <Menu
          anchor={button}
          onClose={() => setOpen(false)}
          items={STEP_TYPES.map((type) => ({
            label: t(`step.kinds.${type}`),
            icon: STEP_ICONS[type],
            run: () => add(gap, type),
          }))}
        />
      )}
    </>
  );
}
