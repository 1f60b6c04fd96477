/** Which event a rule is about, within which days, how often, and with which property. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ValueProps } from "./value-props.ts";

type Value = {
  readonly name?: string;
  readonly days?: unknown;
  readonly count?: unknown;
  readonly where?: Readonly<Record<string, unknown>>;
};

export function EventInput({ value, isBad, onChange }: Pick<ValueProps, "value" | "isBad" | "onChange">) {
  const { t } = useTranslation();
  const event = (typeof value === "object" && value !== null ? value : {}) as Value;
  const [[property, wanted] = ["", ""], ...others] = Object.entries(event.where ?? {});
  const [typed, setTyped] = useState({ property, value: String(wanted) });
  const change = (patch: Value) => onChange(withoutEmpty({ ...event, ...patch }));
  /** A property without a name is no condition yet; the API's further ones stay as they are. */
  const changeProperty = (next: typeof typed) => {
    setTyped(next);
    const first = next.property === "" ? [] : [[next.property, readTyped(next.value)] as const];
    const where = Object.fromEntries([...first, ...others]);
    change({ where: Object.keys(where).length > 0 ? where : undefined } as Value);
  };
  const bad = { "aria-invalid": isBad || undefined, "data-invalid": isBad || undefined };
  const common = { "data-control": true, autoComplete: "off" as const };
  return (
    <>
      <input
        {...common}
        {...bad}
        className="input input-sm rule-input"
        aria-label={t("builder.eventName")}
        placeholder={t("builder.eventNameHint")}
        maxLength={100}
        value={event.name ?? ""}
        onChange={({ target }) => change({ name: target.value })}
      />
      <span className="row">
        <span className="sm mid">{t("builder.ops.in_last_days")}</span>
        <Amount label={t("builder.eventDays")} value={event.days} onChange={(days) => change({ days })} />
        <span className="sm mid">{t("builder.days")}</span>
      </span>
      <span className="row">
        <span className="sm mid">{t("builder.atLeast")}</span>
        <Amount label={t("builder.eventTimes")} value={event.count} onChange={(count) => change({ count })} />
        <span className="sm mid">{t("builder.times")}</span>
      </span>
      <input
        {...common}
        className="input input-sm rule-input"
        aria-label={t("builder.eventProperty")}
        placeholder={t("builder.eventProperty")}
        maxLength={100}
        value={typed.property}
        onChange={({ target }) => changeProperty({ ...typed, property: target.value })}
      />
      {typed.property !== "" && (
        <input
          {...common}
          className="input input-sm rule-input"
          aria-label={t("builder.eventValue")}
          placeholder={t("builder.eventValue")}
          maxLength={500}
          value={typed.value}
          onChange={({ target }) => changeProperty({ ...typed, value: target.value })}
        />
      )}
    </>
  );
}

type AmountProps = { label: string; value: unknown; onChange: (value: unknown) => void };

/** What isn't a number yet is kept as it was typed, and the answer says what is wrong with it. */
function Amount({ label, value, onChange }: AmountProps) {
  const [text, setText] = useState(String(value ?? ""));
  return (
    <input
      className="input input-sm rule-number"
      data-control
      inputMode="numeric"
      aria-label={label}
      maxLength={4}
      autoComplete="off"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const typed = target.value.trim();
        onChange(typed === "" ? undefined : Number.isFinite(Number(typed)) ? Number(typed) : typed);
      }}
    />
  );
}

/** Programs tell numbers, yes and no as such, and what looks like one is meant as one. */
function readTyped(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && String(Number(text)) === text.trim() ? Number(text) : text;
}

function withoutEmpty(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined && one !== ""));
}
