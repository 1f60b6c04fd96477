/** An event that the customer's own program reports, and what its properties must be. */
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { jsonIn, textIn } from "../graph/draft.ts";
import type { PartProps } from "./step-props.ts";

const MOST = 10;
const KINDS = ["text", "number", "boolean"] as const;
type Kind = (typeof KINDS)[number];
type Row = { readonly key: string; readonly value: unknown };

const kindOf = (value: unknown): Kind =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "text";
const FRESH: Readonly<Record<Kind, unknown>> = { text: "", number: 0, boolean: true };

type Props = {
  part: PartProps;
  nameKey: "name" | "event";
  /** Where its properties are what they are, and not what they must be. */
  propertiesLabel?: string;
};

export function EventFields({ part, nameKey, propertiesLabel }: Props) {
  const { t } = useTranslation();
  const { value, set, faultOf, name } = part;
  // A property without a name yet can't stand in the draft, so that the rows are kept here.
  const [rows, setRows] = useState<readonly Row[]>(() =>
    Object.entries(jsonIn(value["where"])).map(([key, one]) => ({ key, value: one })),
  );
  const write = (next: readonly Row[]) => {
    setRows(next);
    const named = next.filter(({ key }) => key.trim() !== "");
    set(
      {
        where:
          named.length > 0 ? Object.fromEntries(named.map((row) => [row.key.trim(), row.value])) : undefined,
      },
      "where",
    );
  };
  const change = (at: number, patch: Partial<Row>) =>
    write(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  return (
    <div className="stack">
      <TextField
        name={`${name}-event`}
        label={t("step.trigger.event")}
        hint={t("step.trigger.eventHint")}
        value={textIn(value[nameKey])}
        fault={faultOf(nameKey)}
        maxLength={100}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => set({ [nameKey]: target.value }, "event")}
      />
      {rows.length > 0 && <span className="flabel">{propertiesLabel ?? t("step.trigger.where")}</span>}
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row keeps its place while its name is typed.
        <div key={at} className="draft-part">
          <div className="property grow">
            <TextField
              name={`${name}-property-${at}`}
              label={t("step.trigger.property")}
              value={row.key}
              maxLength={100}
              autoComplete="off"
              spellCheck={false}
              fault={row.key === "" ? undefined : faultOf(`where/${row.key}`)}
              onChange={({ target }) => change(at, { key: target.value })}
            />
            <SelectField
              name={`${name}-property-kind-${at}`}
              label={t("step.trigger.propertyType")}
              value={kindOf(row.value)}
              options={KINDS.map((one) => ({ value: one, label: t(`step.trigger.propertyTypes.${one}`) }))}
              onChange={({ target }) => change(at, { value: FRESH[target.value as Kind] })}
            />
            <PropertyValue
              name={`${name}-property-value-${at}`}
              value={row.value}
              onChange={(next) => change(at, { value: next })}
            />
          </div>
          <Button
            kind="quiet"
            size="sm"
            icon={X}
            aria-label={t("step.trigger.removeProperty", { name: row.key })}
            onClick={() => write(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {rows.length < MOST && (
        <div>
          <Button
            size="sm"
            kind="quiet"
            icon={Plus}
            onClick={() => setRows([...rows, { key: "", value: "" }])}
          >
            {t("step.trigger.addProperty")}
          </Button>
        </div>
      )}
    </div>
  );
}

type ValueProps = { name: string; value: unknown; onChange: (value: unknown) => void };

function PropertyValue({ name, value, onChange }: ValueProps) {
  const { t } = useTranslation();
  const label = t("step.trigger.propertyValue");
  if (typeof value === "boolean")
    return (
      <SelectField
        name={name}
        label={label}
        value={String(value)}
        options={[
          { value: "true", label: t("step.fields.yes") },
          { value: "false", label: t("step.fields.no") },
        ]}
        onChange={({ target }) => onChange(target.value === "true")}
      />
    );
  const isNumber = typeof value === "number";
  return (
    <TextField
      name={name}
      label={label}
      type={isNumber ? "number" : "text"}
      value={String(value ?? "")}
      maxLength={500}
      autoComplete="off"
      onChange={({ target }) => onChange(isNumber ? Number(target.value) : target.value)}
    />
  );
}
