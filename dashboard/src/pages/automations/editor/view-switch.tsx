/** The steps as an outline or on a canvas: what the address says, what was chosen last, and on a narrow window always the outline. */
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { setPreferences, usePreferences } from "../../../shell/preferences.ts";

export type View = "canvas" | "outline";

const WIDE = "(min-width: 900px)";

function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const wide = matchMedia(WIDE);
      wide.addEventListener("change", listener);
      return () => wide.removeEventListener("change", listener);
    },
    () => matchMedia(WIDE).matches,
  );
}

/** The answer is undefined for the switch where there is nothing to choose. */
export function useView(
  asked: View | undefined,
  ask: (view: View) => void,
): readonly [View, ((view: View) => void) | undefined] {
  const { automationView } = usePreferences();
  if (!useIsWide()) return ["outline", undefined];
  const choose = (view: View) => {
    setPreferences({ automationView: view });
    ask(view);
  };
  return [asked ?? automationView, choose];
}

export function ViewSwitch({ view, onChange }: { view: View; onChange: ((view: View) => void) | undefined }) {
  const { t } = useTranslation();
  if (!onChange) return null;
  return (
    <fieldset className="seg view-switch">
      <legend className="sr">{t("canvas.view")}</legend>
      {(["canvas", "outline"] as const).map((one) => (
        <button key={one} type="button" aria-pressed={view === one} onClick={() => onChange(one)}>
          {t(`canvas.${one}`)}
        </button>
      ))}
    </fieldset>
  );
}
