/** Where the focus is among the steps, and the keys of the page. */
import { Redo2, Save, Undo2 } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useRegisterActions } from "../../../shell/actions.ts";
import type { History } from "./use-history.ts";

const MENU_CLOSES_MS = 80;

/** Puts the focus onto a step that may yet have to be drawn. */
export function useFocus(): (id: string) => void {
  const wanted = useRef<string>(undefined);
  const [count, setCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number stands for what is to be focused.
  useEffect(() => {
    const { current: id } = wanted;
    if (id === undefined) return;
    wanted.current = undefined;
    headOf(id)?.focus();
    // A menu that closes gives the focus back to its button, unless that is the step's own.
    const timer = setTimeout(() => {
      const head = headOf(id);
      if (!head?.closest("[data-step]")?.contains(document.activeElement)) head?.focus();
    }, MENU_CLOSES_MS);
    return () => clearTimeout(timer);
  }, [count]);
  return useCallback((id) => {
    wanted.current = id;
    setCount((before) => before + 1);
  }, []);
}

const headOf = (id: string) =>
  document.querySelector<HTMLElement>(`[data-step="${CSS.escape(id)}"] > .step-row > .step-head`);

export function useKeys(history: History, save: () => void): void {
  const { t } = useTranslation();
  const step = (by: 1 | -1) => () => {
    const heads = [...document.querySelectorAll<HTMLElement>(".step-head")];
    const at = heads.indexOf(document.activeElement as HTMLElement);
    heads[Math.max(0, Math.min(heads.length - 1, at + by))]?.focus();
  };
  useRegisterActions([
    { id: "automation-save", label: t("automations.one.saveNow"), icon: Save, keys: "mod+s", run: save },
    {
      id: "automation-undo",
      label: t("automations.one.undo"),
      icon: Undo2,
      keys: "u",
      run: () => history.undo?.(),
    },
    { id: "automation-redo", label: t("automations.one.redo"), icon: Redo2, run: () => history.redo?.() },
    { id: "automation-next", label: t("automations.outline.nextStep"), keys: "j", run: step(1) },
    { id: "automation-last", label: t("automations.outline.lastStep"), keys: "k", run: step(-1) },
  ]);
}
