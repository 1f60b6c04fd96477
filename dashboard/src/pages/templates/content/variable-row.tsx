import { CircleAlert, X } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { isSameValue } from "../../../drafts/draft-fields.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { readTyped, textOfValue, VARIABLE_TYPES, type Variable, type VariableType } from "./typed-value.ts";

type Props = {
  nth: number;
  variable: Variable;
  faults: Readonly<Record<string, string>>;
  onChange: (variable: Variable) => void;
  onRemove: () => void;
};

export function VariableRow({ nth, variable, faults, onChange, onRemove }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const { name, type, required } = variable;
  const said = [
    faults[name],
    ...["name", "type", "sample", "default"].map((field) => faults[`${nth}.${field}`]),
  ];
  const fault = said.filter((one) => one !== undefined).join(" ");
  const describedBy = fault ? id : undefined;
  const changeType = (next: VariableType) =>
    onChange({
      ...variable,
      type: next,
      sample: readTyped(next, textOfValue(variable.sample)),
      default: readTyped(next, textOfValue(variable.default)),
    });
  return (
    <>
      <tr className={fault ? "has-fault" : undefined}>
        <td data-label={t("templates.variables.name")}>
          <input
            className="input mono"
            aria-label={t("templates.variables.nameOf", { number: nth + 1 })}
            aria-invalid={faults[`${nth}.name`] ? true : undefined}
            aria-describedby={describedBy}
            data-invalid={faults[`${nth}.name`] ? "" : undefined}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => onChange({ ...variable, name: event.target.value })}
          />
        </td>
        <td data-label={t("templates.variables.type")}>
          <select
            className="input"
            aria-label={t("templates.variables.typeOf", { name })}
            value={type}
            onChange={(event) => changeType(event.target.value as VariableType)}
          >
            {VARIABLE_TYPES.map((one) => (
              <option key={one} value={one}>
                {t(`templates.variables.types.${one}`)}
              </option>
            ))}
          </select>
        </td>
        <td data-label={t("templates.variables.required")}>
          <label className="check-target">
            <input
              type="checkbox"
              aria-label={t("templates.variables.requiredOf", { name })}
              checked={required}
              onChange={(event) => onChange({ ...variable, required: event.target.checked })}
            />
          </label>
        </td>
        {(["sample", "default"] as const).map((field) => (
          <td key={field} data-label={t(`templates.variables.${field}`)}>
            <ValueInput
              type={type}
              label={t(`templates.variables.${field}Of`, { name })}
              value={variable[field]}
              isFaulty={faults[`${nth}.${field}`] !== undefined}
              describedBy={describedBy}
              onChange={(value) => onChange({ ...variable, [field]: value })}
            />
          </td>
        ))}
        <td className="r">
          <Button
            kind="quiet"
            size="sm"
            icon={X}
            aria-label={t("templates.variables.remove", { name })}
            onClick={onRemove}
          />
        </td>
      </tr>
      {fault && (
        <tr className="variable-fault">
          <td colSpan={6}>
            <span className="err" id={id}>
              <Icon of={CircleAlert} size="sm" />
              <span>{fault}</span>
            </span>
          </td>
        </tr>
      )}
    </>
  );
}

type ValueProps = {
  type: VariableType;
  label: string;
  value: unknown;
  isFaulty: boolean;
  describedBy: string | undefined;
  onChange: (value: unknown) => void;
};

/** What is typed stays as it is typed for as long as it means the same: `1.` is on its way to `1.5`. */
function ValueInput({ type, label, value, isFaulty, describedBy, onChange }: ValueProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState(() => textOfValue(value));
  const text = isSameValue(readTyped(type, typed), value) ? typed : textOfValue(value);
  const shared = {
    "aria-label": label,
    "aria-invalid": isFaulty ? true : undefined,
    "aria-describedby": describedBy,
    "data-invalid": isFaulty ? "" : undefined,
  } as const;
  const change = (next: string) => {
    setTyped(next);
    onChange(readTyped(type, next));
  };
  if (type === "boolean")
    return (
      <select className="input" {...shared} value={text} onChange={(event) => change(event.target.value)}>
        <option value="">{t("templates.variables.noValue")}</option>
        <option value="true">{t("templates.variables.yes")}</option>
        <option value="false">{t("templates.variables.no")}</option>
      </select>
    );
  const isJson = type === "list" || type === "object";
  return (
    <input
      className={isJson ? "input mono" : "input"}
      {...shared}
      placeholder={t(`templates.variables.hints.${type}`)}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  );
}
