/** Fields of the small windows. What is typed goes into the mail as soon as it is right, and until then the field says what is wrong. */
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Checkbox, TextField } from "../../../../../../kit/forms/field.tsx";
import { COLOUR, isLink, linkFrom } from "../../document/rules.ts";

type TextProps = {
  name: string;
  label: string;
  value: string;
  hint?: string;
  /** What is wrong with it, if anything. */
  check?: (text: string) => string | undefined;
  set: (text: string) => void;
  autoFocus?: boolean;
};

export function CheckedField({ name, label, value, hint, check, set, ...rest }: TextProps) {
  const [typed, setTyped] = useState(value);
  // Undoing, and other blocks, change it from outside; what is wrong stays to be mended.
  useEffect(() => {
    setTyped((before) => (check?.(before) === undefined ? value : before));
  }, [value, check]);
  const fault = check?.(typed);
  return (
    <TextField
      name={name}
      label={label}
      {...(hint !== undefined && { hint })}
      autoComplete="off"
      value={typed}
      fault={fault}
      onChange={(event) => {
        const text = event.target.value;
        setTyped(text);
        if (check?.(text) === undefined) set(text);
      }}
      {...rest}
    />
  );
}

type NumberProps = {
  name: string;
  label: string;
  value: number | null;
  least: number;
  most: number;
  /** Whether it may be empty. */
  isOptional?: boolean;
  set: (value: number | null) => void;
};

export function NumberField({ name, label, value, least, most, isOptional = false, set }: NumberProps) {
  const { t } = useTranslation();
  const isRight = (text: string) => {
    if (text.trim() === "") return isOptional;
    const number = Number(text);
    return Number.isInteger(number) && number >= least && number <= most;
  };
  const words = isOptional ? "blocksEditor.settings.widthFault" : "blocksEditor.settings.numberFault";
  return (
    <CheckedField
      name={name}
      label={label}
      value={value === null ? "" : String(value)}
      check={(text) => (isRight(text) ? undefined : t(words, { least, most }))}
      set={(text) => set(text.trim() === "" ? null : Number(text))}
    />
  );
}

type LinkProps = {
  label: string;
  value: string | null;
  isOptional?: boolean;
  set: (link: string | null) => void;
  name?: string;
};

export function LinkField({ label, value, isOptional = false, set, name = "link" }: LinkProps) {
  const { t } = useTranslation();
  const isRight = (text: string) => (text.trim() === "" ? isOptional : isLink(linkFrom(text)));
  return (
    <CheckedField
      name={name}
      label={label}
      value={value ?? ""}
      check={(text) => (isRight(text) ? undefined : t("blocksEditor.ask.linkFault"))}
      set={(text) => set(linkFrom(text) || null)}
    />
  );
}

type ColourProps = {
  label: string;
  value: string | null;
  /** What it is where none is chosen. */
  preset: string;
  set: (colour: string | null) => void;
};

/** A colour that may be left as it is. */
export function ColourField({ label, value, preset, set }: ColourProps) {
  const { t } = useTranslation();
  return (
    <div className="colour-field">
      <Checkbox
        label={label}
        checked={value !== null}
        onChange={(event) => set(event.target.checked ? preset : null)}
      />
      {value !== null && (
        <input
          type="color"
          aria-label={`${label}: ${t("blocksEditor.settings.own")}`}
          value={COLOUR.test(value) ? value : preset}
          onChange={(event) => set(event.target.value)}
        />
      )}
    </div>
  );
}
