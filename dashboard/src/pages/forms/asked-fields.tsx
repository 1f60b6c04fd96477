/** What a form asks for: in which order, under which label, and what must be filled in. */
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../kit/button.tsx";
import { FAULT_PLACE } from "../../kit/forms/field.tsx";
import { useFieldChoices, useFieldName } from "./field-names.ts";
import { type AskedField, FIELDS_INPUT } from "./form-body.ts";

/** The address is always asked for, and always required. */
const ADDRESS = "email";

type Props = { fields: readonly AskedField[]; onChange: () => void };

export function AskedFields({ fields, onChange }: Props) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(fields);
  const choices = useFieldChoices().filter((name) => !asked.some((field) => field.name === name));
  const nameOf = useFieldName();
  const change = (next: readonly AskedField[]) => {
    setAsked(next);
    onChange();
  };
  return (
    <fieldset className="stack" {...{ [FAULT_PLACE]: FIELDS_INPUT }}>
      <legend className="flabel">{t("forms.asked.title")}</legend>
      <input type="hidden" name={FIELDS_INPUT} value={JSON.stringify(asked)} />
      <ol className="asked-fields">
        {asked.map((field, at) => (
          <AskedRow
            key={field.name}
            field={field}
            onField={(next) => change(asked.with(at, next))}
            {...(at > 0 && { onUp: () => change(swapped(asked, at - 1)) })}
            {...(at < asked.length - 1 && { onDown: () => change(swapped(asked, at)) })}
            onRemove={() => change(asked.toSpliced(at, 1))}
          />
        ))}
      </ol>
      {choices.length > 0 && (
        <label className="stack tight asked-add">
          <span className="sm">{t("forms.asked.add")}</span>
          <select
            className="input"
            value=""
            onChange={({ target }) => {
              change([...asked, { name: target.value, label: null, required: false }]);
            }}
          >
            <option value="" disabled>
              {t("forms.asked.choose")}
            </option>
            {choices.map((name) => (
              <option key={name} value={name}>
                {nameOf(name)}
              </option>
            ))}
          </select>
          <span className="xs dim">{t("forms.asked.addHint")}</span>
        </label>
      )}
    </fieldset>
  );
}

/** The list with these two neighbours in the other order. */
function swapped(asked: readonly AskedField[], first: number): readonly AskedField[] {
  const [one, other] = asked.slice(first, first + 2);
  return one && other ? asked.toSpliced(first, 2, other, one) : asked;
}

type RowProps = {
  field: AskedField;
  onField: (field: AskedField) => void;
  onUp?: () => void;
  onDown?: () => void;
  onRemove: () => void;
};

function AskedRow({ field, onField, onUp, onDown, onRemove }: RowProps) {
  const { t } = useTranslation();
  const name = useFieldName()(field.name);
  const isAddress = field.name === ADDRESS;
  return (
    <li className="asked-field">
      <input
        className="input grow"
        aria-label={t("forms.asked.label", { field: name })}
        placeholder={name}
        maxLength={200}
        autoComplete="off"
        dir="auto"
        value={field.label ?? ""}
        onChange={({ target }) => onField({ ...field, label: target.value || null })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={isAddress || field.required}
          disabled={isAddress}
          onChange={({ target }) => onField({ ...field, required: target.checked })}
        />
        <span>{t("forms.asked.required")}</span>
      </label>
      <span className="row">
        <Button
          size="sm"
          kind="quiet"
          icon={ArrowUp}
          aria-label={t("forms.asked.up", { field: name })}
          disabled={!onUp}
          onClick={onUp}
        />
        <Button
          size="sm"
          kind="quiet"
          icon={ArrowDown}
          aria-label={t("forms.asked.down", { field: name })}
          disabled={!onDown}
          onClick={onDown}
        />
        <Button
          size="sm"
          kind="quiet"
          icon={X}
          aria-label={t("forms.asked.remove", { field: name })}
          disabled={isAddress}
          onClick={onRemove}
        />
      </span>
    </li>
  );
}
