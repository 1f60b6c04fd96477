import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Account } from "../../../api/openapi.ts";
import { AccountForm } from "./account-form.tsx";

type Mode = NonNullable<Account["tracking"]>;
const MODES: readonly Mode[] = ["individual", "consented", "aggregate", "off"];

/** Asks whose opens and clicks are recorded. Nothing is chosen beforehand: it is for the owner to say. */
export function TrackingStep() {
  const { t } = useTranslation();
  const [isMissing, setMissing] = useState(false);
  return (
    <AccountForm
      action={t("first.trackingSave")}
      patchOf={(values) => {
        const chosen = MODES.find((mode) => mode === values.text("tracking"));
        setMissing(chosen === undefined);
        return chosen && { tracking: chosen };
      }}
    >
      {() => (
        <fieldset className="stack">
          <legend className="sm mid">{t("first.trackingLead")}</legend>
          {MODES.map((mode) => (
            <label key={mode} className="check mode-choice">
              <input type="radio" name="tracking" value={mode} onChange={() => setMissing(false)} />
              <span>
                <span className="med">{t(`first.mode.${mode}`)}</span>
                <span className="hint">{t(`first.modeText.${mode}`)}</span>
              </span>
            </label>
          ))}
          {isMissing && (
            <p className="err" role="alert">
              {t("first.trackingNone")}
            </p>
          )}
        </fieldset>
      )}
    </AccountForm>
  );
}
