import { useTranslation } from "react-i18next";
import { Checkbox } from "../../kit/forms/field.tsx";
import { type Preferences, setPreferences, usePreferences } from "../../shell/preferences.ts";

const THEMES: readonly Preferences["theme"][] = ["system", "light", "dark"];
const DENSITIES: readonly Preferences["density"][] = ["comfortable", "compact"];

/** How it looks in this browser. */
export function AppearanceSettings() {
  const { t } = useTranslation();
  const { theme, density, singleKeys } = usePreferences();
  return (
    <section className="stack-6">
      <div>
        <h2>{t("settings.appearance")}</h2>
        <p className="sm dim">{t("settings.appearanceLead")}</p>
      </div>
      <Choice
        legend={t("settings.theme")}
        value={theme}
        options={THEMES}
        label={(one) => t(`settings.themes.${one}`)}
        onChoose={(one) => setPreferences({ theme: one })}
      />
      <Choice
        legend={t("settings.density")}
        value={density}
        options={DENSITIES}
        label={(one) => t(`settings.densities.${one}`)}
        onChoose={(one) => setPreferences({ density: one })}
      />
      <Checkbox
        label={t("settings.singleKeys")}
        hint={t("settings.singleKeysHint")}
        checked={singleKeys}
        onChange={() => setPreferences({ singleKeys: !singleKeys })}
      />
    </section>
  );
}

type ChoiceProps<T extends string> = {
  legend: string;
  value: T;
  options: readonly T[];
  label: (option: T) => string;
  onChoose: (option: T) => void;
};

function Choice<T extends string>({ legend, value, options, label, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset className="stack">
      <legend className="flabel">{legend}</legend>
      <div className="seg">
        {options.map((option) => (
          <button key={option} type="button" aria-pressed={option === value} onClick={() => onChoose(option)}>
            {label(option)}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
