/** With what a template is filled in while it is looked at: its samples, or values as JSON. */
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { samplesOf, type Variable } from "../content/typed-value.ts";

export type Values = {
  /** What is typed; undefined where the samples are taken. */
  readonly json: string | undefined;
  /** Whether a missing value is refused, as mail does. */
  readonly isStrict: boolean;
};

type Read =
  | { readonly values: Readonly<Record<string, unknown>> }
  | { readonly fault: "notJson" | "notObject"; readonly why: string };

export function readValues(json: string): Read {
  try {
    const values: unknown = JSON.parse(json.trim() || "{}");
    const isObject = typeof values === "object" && values !== null && !Array.isArray(values);
    return isObject ? { values: values as Record<string, unknown> } : { fault: "notObject", why: "" };
  } catch (error) {
    return { fault: "notJson", why: error instanceof Error ? error.message : String(error) };
  }
}

type Props = { variables: readonly Variable[]; values: Values; onChange: (values: Values) => void };

export function ValuesChoice({ variables, values, onChange }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const { json, isStrict } = values;
  const read = json === undefined ? undefined : readValues(json);
  const fault = read && "fault" in read ? t(`templates.values.${read.fault}`, { why: read.why }) : undefined;
  return (
    <div className="template-values">
      <div className="row wrap">
        <span className="sm dim" aria-hidden="true">
          {t("templates.values.title")}
        </span>
        <fieldset className="seg" aria-label={t("templates.values.title")}>
          <button
            type="button"
            aria-pressed={json === undefined}
            onClick={() => onChange({ ...values, json: undefined })}
          >
            {t("templates.values.samples")}
          </button>
          <button
            type="button"
            aria-pressed={json !== undefined}
            onClick={() =>
              onChange({ ...values, json: json ?? JSON.stringify(samplesOf(variables), null, 2) })
            }
          >
            {t("templates.values.json")}
          </button>
        </fieldset>
      </div>
      {json !== undefined && (
        <>
          <textarea
            className="input mono template-json"
            aria-label={t("templates.values.jsonLabel")}
            aria-invalid={fault ? true : undefined}
            aria-describedby={fault ? id : undefined}
            data-invalid={fault ? "" : undefined}
            rows={7}
            spellCheck={false}
            value={json}
            onChange={(event) => onChange({ ...values, json: event.target.value })}
          />
          {fault && (
            <p className="err" id={id} role="status">
              {fault}
            </p>
          )}
        </>
      )}
      <label className="check">
        <input
          type="checkbox"
          checked={isStrict}
          onChange={(event) => onChange({ ...values, isStrict: event.target.checked })}
        />
        <span>{t("templates.values.strict")}</span>
      </label>
    </div>
  );
}
