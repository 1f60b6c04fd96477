/** How mails made of blocks look, unless one says otherwise. */
import "../../../i18n/later/writing/mail-style.ts";
import "./mail-style.css";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Account } from "../../../api/openapi.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { AccountForm } from "../account-form.tsx";
import { Sample } from "./sample.tsx";
import { BUTTON_COLOURS, COLOURS, colourOf, FONTS, styleOf, type Typed, typedOf } from "./style.ts";

const nameOf = (field: keyof Typed) => `blocks_style.${field}`;
const FIELDS = Object.keys(typedOf(null)) as (keyof Typed)[];

export function MailStyleSettings() {
  const { t } = useTranslation();
  const labels = {
    font: t("mailStyle.font"),
    heading_font: t("mailStyle.headingFont"),
    font_size: t("mailStyle.fontSize"),
    width: t("mailStyle.width"),
    button_radius: t("mailStyle.buttonRadius"),
    ...Object.fromEntries([...COLOURS, ...BUTTON_COLOURS].map((name) => [name, t(`mailStyle.${name}`)])),
  };
  return (
    <AccountForm
      title={t("mailStyle.title")}
      lead={t("mailStyle.lead")}
      labels={Object.fromEntries(
        Object.entries(labels).map(([name, label]) => [`blocks_style.${name}`, label]),
      )}
      patchOf={(values) => ({
        blocks_style: styleOf(
          Object.fromEntries(FIELDS.map((field) => [field, values.text(nameOf(field))])) as Typed,
        ),
      })}
    >
      {(account, touch) => <StyleFields account={account} touch={touch} />}
    </AccountForm>
  );
}

function StyleFields({ account, touch }: { account: Account; touch: () => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(() => typedOf(account.blocks_style));
  const set = (field: keyof Typed) => (event: { target: { value: string } }) =>
    setTyped({ ...typed, [field]: event.target.value });
  const fonts = FONTS.map((font) => ({ value: font, label: t(`mailStyle.names.${font}`) }));
  const usual = { value: "", label: t("mailStyle.usual", { name: t("mailStyle.names.sans") }) };
  const clear = () => {
    setTyped(typedOf(null));
    touch();
  };
  return (
    <>
      <Sample typed={typed} />
      <fieldset className="stack">
        <legend className="style-legend strong">{t("mailStyle.fonts")}</legend>
        <div className="two">
          <SelectField
            name={nameOf("font")}
            label={t("mailStyle.font")}
            options={[usual, ...fonts]}
            value={typed.font}
            onChange={set("font")}
          />
          <SelectField
            name={nameOf("heading_font")}
            label={t("mailStyle.headingFont")}
            options={[{ value: "", label: t("mailStyle.asText") }, ...fonts]}
            value={typed.heading_font}
            onChange={set("heading_font")}
          />
        </div>
        <div className="two">
          <NumberField
            field="font_size"
            label={t("mailStyle.fontSize")}
            hint={t("mailStyle.fontSizeHint")}
            typed={typed}
            set={set}
          />
          <NumberField
            field="width"
            label={t("mailStyle.width")}
            hint={t("mailStyle.widthHint")}
            typed={typed}
            set={set}
          />
        </div>
      </fieldset>
      <fieldset className="stack">
        <legend className="style-legend strong">{t("mailStyle.colours")}</legend>
        <p className="xs dim">{t("mailStyle.coloursHint")}</p>
        <div className="two">
          {COLOURS.map((field) => (
            <ColourField key={field} field={field} typed={typed} set={set} />
          ))}
        </div>
      </fieldset>
      <fieldset className="stack">
        <legend className="style-legend strong">{t("mailStyle.buttons")}</legend>
        <div className="two">
          {BUTTON_COLOURS.map((field) => (
            <ColourField key={field} field={field} typed={typed} set={set} />
          ))}
          <NumberField
            field="button_radius"
            label={t("mailStyle.buttonRadius")}
            hint={t("mailStyle.buttonRadiusHint")}
            typed={typed}
            set={set}
          />
        </div>
      </fieldset>
      {styleOf(typed) && (
        <div>
          <Button kind="quiet" size="sm" onClick={clear}>
            {t("mailStyle.clear")}
          </Button>
        </div>
      )}
    </>
  );
}

type Setter = (field: keyof Typed) => (event: { target: { value: string } }) => void;

type NumberProps = { field: keyof Typed; label: string; hint: string; typed: Typed; set: Setter };

function NumberField({ field, label, hint, typed, set }: NumberProps) {
  return (
    <TextField
      name={nameOf(field)}
      label={label}
      hint={hint}
      inputMode="numeric"
      autoComplete="off"
      value={typed[field]}
      onChange={set(field)}
    />
  );
}

type ColourProps = {
  field: (typeof COLOURS)[number] | (typeof BUTTON_COLOURS)[number];
  typed: Typed;
  set: Setter;
};

function ColourField({ field, typed, set }: ColourProps) {
  const { t } = useTranslation();
  const label = t(`mailStyle.${field}`);
  return (
    <div className="row row-3 colour-row">
      <div className="grow">
        <TextField
          name={nameOf(field)}
          label={label}
          autoComplete="off"
          spellCheck={false}
          maxLength={7}
          placeholder={colourOf(typedOf(null), field)}
          value={typed[field]}
          onChange={set(field)}
        />
      </div>
      <input
        type="color"
        className="colour-pick"
        aria-label={t("mailStyle.pick", { what: label })}
        value={colourOf(typed, field).toLowerCase()}
        onChange={set(field)}
      />
    </div>
  );
}
