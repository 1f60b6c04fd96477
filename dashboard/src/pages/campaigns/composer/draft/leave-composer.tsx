import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { LeaveQuestion } from "../../../../kit/forms/leave-guard.tsx";
import type { Drafting, DraftState } from "./use-draft.ts";

type Props = {
  drafting: Pick<Drafting, "keep" | "isUnsaved"> & { readonly state: Pick<DraftState, "kind"> };
  /** Tells the draft what was typed last. */
  flush: () => void;
  save: () => Promise<boolean>;
};

/** Whoever leaves has saved: what is unsaved is sent first, and where that fails it is asked. */
export function LeaveComposer({ drafting, flush, save }: Props) {
  const { t } = useTranslation();
  const { keep, isUnsaved, state } = drafting;
  const isOver = state.kind === "locked" || state.kind === "deleted";
  const saving = useRef(save);
  saving.current = save;
  useEffect(() => {
    // A tab that is closed, or put to sleep on a telephone, may not come back.
    const onHide = () => {
      if (document.visibilityState !== "hidden") return;
      flush();
      if (!isUnsaved()) return;
      keep();
      void saving.current();
    };
    document.addEventListener("visibilitychange", onHide);
    window.addEventListener("pagehide", onHide);
    return () => {
      document.removeEventListener("visibilitychange", onHide);
      window.removeEventListener("pagehide", onHide);
    };
  }, [isUnsaved, keep, flush]);
  return (
    <LeaveQuestion
      shouldAsk={async (current, next) => {
        if (isOver || current.pathname === next.pathname) return false;
        return !(await save());
      }}
      isNeeded={() => {
        flush();
        return !isOver && isUnsaved();
      }}
      title={t("composer.leave.title")}
      lead={t("composer.leave.lead")}
    />
  );
}
