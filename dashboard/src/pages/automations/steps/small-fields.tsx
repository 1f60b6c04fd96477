/** Fields that several steps have: spans, hours, days of the week, subscribers' fields and tags. */
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { ChipsInput } from "../../segments/builder/chips-input.tsx";
import { useFields } from "../../subscribers/reference-data.ts";
import { WEEKDAYS } from "../graph/describe.ts";
import { textIn } from "../graph/draft.ts";
import { readSpan, UNITS, type Unit, writeSpan } from "../graph/spans.ts";

type FieldProps<T> = {
  name: string;
  label: string;
  hint?: string;
  value: T;
  fault?: string | undefined;
  onChange: (value: T | undefined) => void;
};

/** A number with a unit. A span of several units, which the API may have, is shown as it is written. */
export function SpanField({ name, label, value, fault, onChange }: FieldProps<unknown>) {
  const { t } = useTranslation();
  const text = textIn(value);
  const span = readSpan(text);
  const [lastUnit, setUnit] = useState<Unit>(span?.unit ?? "days");
  const unit = span?.unit ?? lastUnit;
  const isExact = text !== "" && !span;
  return (
    <div className="span-field">
      <TextField
        name={name}
        label={label}
        inputMode={isExact ? "text" : "numeric"}
        autoComplete="off"
        maxLength={20}
        value={span ? String(span.amount) : text}
        fault={fault}
        onChange={({ target }) => {
          const typed = target.value.trim();
          onChange(/^\d+$/.test(typed) ? writeSpan({ amount: Number(typed), unit }) : typed || undefined);
        }}
      />
      <SelectField
        name={`${name}-unit`}
        label={t("step.span.unit")}
        value={isExact ? "exact" : unit}
        options={[...UNITS, ...(isExact ? (["exact"] as const) : [])].map((one) => ({
          value: one,
          label: t(`step.span.units.${one}`),
        }))}
        onChange={({ target }) => {
          if (target.value === "exact") return;
          const next = target.value as Unit;
          setUnit(next);
          onChange(writeSpan({ amount: span?.amount ?? 1, unit: next }));
        }}
      />
    </div>
  );
}

export function HourField({ name, label, hint, value, fault, onChange }: FieldProps<unknown>) {
  return (
    <TextField
      name={name}
      label={label}
      hint={hint}
      type="time"
      value={textIn(value)}
      fault={fault}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

export function WeekdaysField({ label, hint, value, onChange }: Omit<FieldProps<unknown>, "name">) {
  const { t } = useTranslation();
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset className="stack tight weekdays">
      <legend className="flabel">{label}</legend>
      <div className="row wrap">
        {WEEKDAYS.map((day) => (
          <label key={day} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(day)}
              onChange={({ target }) => {
                const next = WEEKDAYS.filter((one) => (one === day ? target.checked : chosen.includes(one)));
                onChange(next.length > 0 ? next : undefined);
              }}
            />
            <span className="sr">{t(`step.longDays.${day}`)}</span>
            <span aria-hidden="true">{t(`step.days.${day}`)}</span>
          </label>
        ))}
      </div>
      {hint && <span className="hint">{hint}</span>}
    </fieldset>
  );
}

const OWN = ["first_name", "last_name", "locale", "time_zone"] as const;

type ChoiceProps = Omit<FieldProps<unknown>, "onChange"> & {
  /** Only those that hold a date. */
  isDate?: boolean;
  onChange: (value: string | undefined) => void;
};

/** Chooses a field of subscribers. One that is gone stays chosen, and is a fault. */
export function FieldChoice({ name, label, hint, value, fault, isDate = false, onChange }: ChoiceProps) {
  const { t } = useTranslation();
  const fields = useFields().filter(({ type }) => !isDate || type === "date");
  const options = [
    { value: "", label: t("step.fields.chooseField") },
    ...(isDate ? [] : OWN.map((one) => ({ value: one, label: t(`builder.of.${one}`) }))),
    ...fields.map((one) => ({ value: `fields.${one.key}`, label: one.name })),
  ];
  const text = textIn(value);
  return (
    <SelectField
      name={name}
      label={label}
      hint={hint}
      fault={fault}
      value={text}
      options={
        options.some((one) => one.value === text) ? options : [...options, { value: text, label: text }]
      }
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

/** Tags, as chips. */
export function TagsField({ label, value, fault, onChange }: Omit<FieldProps<unknown>, "name">) {
  const id = useId();
  const tags = Array.isArray(value) ? value.map(String) : [];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend can't be laid out like a label.
    <div className="field" role="group" aria-labelledby={id}>
      <span className="flabel" id={id}>
        {label}
      </span>
      <ChipsInput
        values={tags}
        isBad={fault !== undefined}
        onChange={(next) => onChange(next.length > 0 ? next : undefined)}
      />
      {fault && <div className="err">{fault}</div>}
    </div>
  );
}

/** A number that is left empty is taken out; what isn't one yet is kept as it was typed, and the service says what is wrong. */
export function NumberField({ name, label, hint, value, fault, onChange }: FieldProps<unknown>) {
  const [text, setText] = useState(value === undefined ? "" : String(value));
  const shown =
    Number(text.replace(",", ".").replace("−", "-")) === value || typeof value === "string"
      ? text
      : String(value ?? "");
  return (
    <TextField
      name={name}
      label={label}
      hint={hint}
      inputMode="decimal"
      autoComplete="off"
      maxLength={10}
      value={value === undefined ? "" : shown}
      fault={fault}
      onChange={({ target }) => {
        setText(target.value);
        const typed = target.value.trim().replace(",", ".").replace("−", "-");
        const number = Number(typed);
        onChange(typed === "" ? undefined : Number.isFinite(number) ? number : target.value);
      }}
    />
  );
}
