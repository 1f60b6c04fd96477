import type { ReactNode } from "react";

type Choice = { readonly value: string; readonly label: string; readonly hint: ReactNode };

type RadioGroupProps = {
  name: string;
  legend: string;
  choices: readonly Choice[];
  /** Empty where nothing is chosen yet. */
  defaultValue: string;
};

/** One of a few choices, each with what it means. */
export function RadioGroup({ name, legend, choices, defaultValue }: RadioGroupProps) {
  return (
    <fieldset className="stack choices">
      <legend className="flabel">{legend}</legend>
      {choices.map(({ value, label, hint }) => (
        <label key={value} className="check">
          <input type="radio" name={name} value={value} defaultChecked={value === defaultValue} />
          <span>
            <span className="med">{label}</span>
            <span className="hint">{hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
