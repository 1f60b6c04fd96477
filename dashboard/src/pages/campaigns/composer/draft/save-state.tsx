import { Check, CloudOff, LoaderCircle, type LucideIcon, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { formatClock, formatTime } from "../../../../i18n/format.ts";
import { Icon } from "../../../../kit/icon.tsx";
import type { DraftState } from "./use-draft.ts";

const ICONS: Readonly<Record<DraftState["kind"], LucideIcon>> = {
  saved: Check,
  unsaved: LoaderCircle,
  saving: LoaderCircle,
  waiting: CloudOff,
  refused: TriangleAlert,
  conflict: TriangleAlert,
  locked: TriangleAlert,
  deleted: TriangleAlert,
};

/** Whether what is typed is saved. It stands by the title, and is said aloud where it went wrong. */
export function SaveState({ kind, savedAt }: { kind: DraftState["kind"]; savedAt: string }) {
  const { t } = useTranslation();
  const isFine = kind === "saved" || kind === "unsaved" || kind === "saving";
  const text =
    kind === "saved"
      ? t("composer.state.saved", { time: formatTime(savedAt) })
      : t(`composer.state.${kind === "unsaved" ? "saving" : kind}`);
  return (
    <span
      className={isFine ? "save-state sm dim" : "save-state sm c-warn"}
      title={kind === "saved" ? formatClock(savedAt) : undefined}
    >
      <Icon of={ICONS[kind]} size="sm" />
      <span className={isFine ? "hide-s" : "save-word"}>{text}</span>
      <span className="sr" role="status">
        {isFine ? "" : text}
      </span>
    </span>
  );
}
