/** Waits: for a span, until a day or an hour, or for something to happen. */
import { useTranslation } from "react-i18next";
import { SelectField } from "../../../kit/forms/field.tsx";
import { jsonIn, listIn } from "../graph/draft.ts";
import { RuleField } from "./rule-field.tsx";
import { FieldChoice, HourField, NumberField, SpanField, WeekdaysField } from "./small-fields.tsx";
import type { PartProps } from "./step-props.ts";
import { TriggerList } from "./trigger-fields.tsx";
import { partAt } from "./use-part.ts";

const KINDS = ["waitFor", "waitUntil", "waitHour"] as const;
type Kind = (typeof KINDS)[number];

export function WaitFields({ part }: { part: PartProps }) {
  const { t } = useTranslation();
  const { value, set, faultOf, name } = part;
  const kind: Kind =
    value["until"] !== undefined ? "waitUntil" : value["for"] !== undefined ? "waitFor" : "waitHour";
  const until = partAt(part, "until", jsonIn(value["until"]), (next) => ({ until: next }));
  return (
    <>
      <SelectField
        name={`${name}-kind`}
        label={t("step.fields.waitKind")}
        value={kind}
        options={KINDS.map((one) => ({ value: one, label: t(`step.fields.${one}`) }))}
        onChange={({ target }) => {
          const next = target.value as Kind;
          set({
            for: next === "waitFor" ? "P1D" : undefined,
            until: next === "waitUntil" ? { offset_days: 0 } : undefined,
            at: value["at"] ?? (next === "waitFor" ? undefined : "09:00"),
          });
        }}
      />
      {kind === "waitFor" && (
        <SpanField
          name={`${name}-for`}
          label={t("step.span.amount")}
          value={value["for"]}
          fault={faultOf("for")}
          // A wait that is typed anew stays one for a span.
          onChange={(span) => set({ for: span ?? "" }, "for")}
        />
      )}
      {kind === "waitUntil" && (
        <div className="two">
          <FieldChoice
            name={`${name}-until`}
            label={t("step.fields.dateField")}
            value={until.value["field"]}
            fault={until.faultOf("field")}
            isDate
            onChange={(field) => until.set({ field })}
          />
          <NumberField
            name={`${name}-offset`}
            label={t("step.fields.offset")}
            hint={t("step.fields.offsetHint")}
            value={until.value["offset_days"]}
            fault={until.faultOf("offset_days")}
            onChange={(offset_days) => until.set({ offset_days }, "offset")}
          />
        </div>
      )}
      <HourField
        name={`${name}-at`}
        label={t("step.fields.at")}
        hint={t("step.fields.atHint")}
        value={value["at"]}
        fault={faultOf("at")}
        onChange={(at) => set({ at }, "at")}
      />
      <WeekdaysField
        label={t("step.fields.weekdays")}
        hint={t("step.fields.weekdaysHint")}
        value={value["weekdays"]}
        onChange={(weekdays) => set({ weekdays })}
      />
    </>
  );
}

export function WaitForFields({ part, id }: { part: PartProps; id: string }) {
  const { t } = useTranslation();
  const { value, set, faultOf, name } = part;
  const isRule = value["on"] === undefined && "rule" in value;
  return (
    <>
      <SelectField
        name={`${name}-kind`}
        label={t("step.fields.listen")}
        value={isRule ? "rule" : "event"}
        options={[
          { value: "event", label: t("step.fields.byEvent") },
          { value: "rule", label: t("step.fields.byRule") },
        ]}
        onChange={({ target }) =>
          set(
            target.value === "rule"
              ? { on: undefined, rule: null }
              : { on: [{ type: "event" }], rule: undefined },
          )
        }
      />
      {!isRule && <TriggerList outer={part} triggers={listIn(value["on"])} of="wait" />}
      {(isRule || value["rule"] !== undefined) && (
        <RuleField
          label={t("step.fields.rule")}
          value={value["rule"]}
          place={`step:${id}`}
          part="rule"
          onChange={(rule) => set({ rule: rule ?? null }, "rule")}
        />
      )}
      <SpanField
        name={`${name}-timeout`}
        label={t("step.fields.timeout")}
        value={value["timeout"]}
        fault={faultOf("timeout")}
        onChange={(timeout) => set({ timeout: timeout ?? "" }, "timeout")}
      />
    </>
  );
}
