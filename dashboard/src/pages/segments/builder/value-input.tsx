/** What is typed or chosen beside a rule's field and op, each in the control that suits it. */
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Option } from "../../../kit/forms/field.tsx";
import { useLists, useTags } from "../../subscribers/reference-data.ts";
import { DORMANCIES, type Kind, STATUSES } from "../rules/subjects.ts";
import { ChipsInput } from "./chips-input.tsx";
import { EventInput } from "./event-input.tsx";
import { CampaignInput, LinkInput } from "./mail-input.tsx";
import type { ValueProps } from "./value-props.ts";

export function ValueInput(props: ValueProps) {
  const { t } = useTranslation();
  const { kind, shape, value, isBad, onChange } = props;
  switch (shape) {
    case "none":
      return null;
    case "days":
    case "campaigns":
      return (
        <span className="row">
          <NumberInput value={value} isBad={isBad} onChange={onChange} label={t("builder.value")} isShort />
          <span className="sm mid">{t(`builder.${shape}`)}</span>
        </span>
      );
    case "mails":
      return <MailCount value={value} isBad={isBad} onChange={onChange} />;
    case "between":
      return <Between {...props} />;
    case "texts":
      return <ChipsInput values={(value ?? []) as string[]} onChange={onChange} isBad={isBad} />;
    case "statuses":
      return <Statuses values={(value ?? []) as string[]} onChange={onChange} />;
    case "boolean":
    case "status":
    case "list":
    case "dormancy":
      return <Choice {...props} />;
    case "tag":
      return <TagInput {...props} />;
    case "campaign":
      return <CampaignInput {...props} id={value} onChange={onChange} />;
    case "link":
      return <LinkInput {...props} />;
    case "event":
      return <EventInput value={value} isBad={isBad} onChange={onChange} />;
    default:
      return <One kind={kind} value={value} isBad={isBad} onChange={onChange} label={t("builder.value")} />;
  }
}

type OneProps = Pick<ValueProps, "value" | "isBad" | "onChange"> & { label: string };

function One({ kind, ...props }: OneProps & { kind: Kind }) {
  if (kind === "number") return <NumberInput {...props} />;
  const isDay = kind === "date" || kind === "time";
  const text = String(props.value ?? "");
  // A time that an API client wrote is more than a day, and stays as it was written.
  const type = isDay && text.length <= 10 ? "date" : "text";
  return (
    <input
      className="input input-sm rule-input"
      data-control
      type={type}
      aria-label={props.label}
      aria-invalid={props.isBad || undefined}
      data-invalid={props.isBad || undefined}
      value={text}
      maxLength={1_000}
      autoComplete="off"
      onChange={(event) => props.onChange(event.target.value || undefined)}
    />
  );
}

/** What isn't a number yet is kept as it was typed, and the answer says what is wrong with it. */
function NumberInput({ value, isBad, onChange, label, isShort }: OneProps & { isShort?: true }) {
  const [text, setText] = useState(String(value ?? ""));
  const change = (typed: string) => {
    setText(typed);
    const number = Number(typed.trim().replace(",", "."));
    if (typed.trim() === "") onChange(undefined);
    else onChange(Number.isFinite(number) ? number : typed);
  };
  return (
    <input
      className={isShort ? "input input-sm rule-number" : "input input-sm rule-input"}
      data-control
      inputMode="decimal"
      aria-label={label}
      aria-invalid={isBad || undefined}
      data-invalid={isBad || undefined}
      value={text}
      maxLength={30}
      autoComplete="off"
      onChange={(event) => change(event.target.value)}
    />
  );
}

/** So many campaigns in so many days. */
function MailCount({ value, isBad, onChange }: Pick<ValueProps, "value" | "isBad" | "onChange">) {
  const { t } = useTranslation();
  const { mails, days } = (value ?? {}) as { mails?: unknown; days?: unknown };
  return (
    <span className="row wrap">
      <NumberInput
        value={mails}
        isBad={isBad}
        label={t("builder.mailCount")}
        isShort
        onChange={(next) => onChange({ mails: next, days })}
      />
      <span className="sm mid">{t("builder.campaignsInLast")}</span>
      <NumberInput
        value={days}
        isBad={isBad}
        label={t("builder.dayCount")}
        isShort
        onChange={(next) => onChange({ mails, days: next })}
      />
      <span className="sm mid">{t("builder.days")}</span>
    </span>
  );
}

function Between({ kind, value, isBad, onChange }: ValueProps) {
  const { t } = useTranslation();
  const [low, high] = (Array.isArray(value) ? value : []) as unknown[];
  return (
    <>
      <One
        kind={kind}
        value={low}
        isBad={isBad}
        label={t("builder.from")}
        onChange={(next) => onChange([next, high])}
      />
      <span className="sm mid">–</span>
      <One
        kind={kind}
        value={high}
        isBad={isBad}
        label={t("builder.to")}
        onChange={(next) => onChange([low, next])}
      />
    </>
  );
}

function Choice({ shape, value, names, isBad, onChange }: ValueProps) {
  const { t } = useTranslation();
  const lists = useLists();
  const options: Option[] =
    shape === "boolean"
      ? [
          { value: "true", label: t("form.yes") },
          { value: "false", label: t("form.no") },
        ]
      : shape === "status"
        ? STATUSES.map((one) => ({ value: one, label: t(`status.${one as "active"}`) }))
        : shape === "dormancy"
          ? DORMANCIES.map((one) => ({ value: one, label: t(`sentence.dormancy.${one as "warned"}`) }))
          : lists.map(({ id, name }) => ({ value: id, label: name }));
  const text = value === undefined ? "" : String(value);
  if (!options.some((one) => one.value === text)) {
    const gone = shape === "list" ? (names[text] ?? t("segments.goneList")) : text;
    options.unshift({ value: text, label: text === "" ? t("builder.chooseList") : gone });
  }
  return (
    <select
      className="input input-sm rule-select"
      data-control
      aria-label={t("builder.value")}
      aria-invalid={isBad || undefined}
      data-invalid={isBad || undefined}
      value={text}
      onChange={({ target }) => onChange(shape === "boolean" ? target.value === "true" : target.value)}
    >
      {options.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
    </select>
  );
}

function Statuses({ values, onChange }: { values: readonly string[]; onChange: ValueProps["onChange"] }) {
  const { t } = useTranslation();
  return (
    <div className="seg">
      {STATUSES.map((status) => {
        const isOn = values.includes(status);
        return (
          <button
            key={status}
            type="button"
            data-control
            aria-pressed={isOn}
            onClick={() => onChange(isOn ? values.filter((one) => one !== status) : [...values, status])}
          >
            {t(`status.${status as "active"}`)}
          </button>
        );
      })}
    </div>
  );
}

function TagInput({ value, isBad, onChange }: ValueProps) {
  const { t } = useTranslation();
  const tags = useTags();
  const id = useId();
  return (
    <>
      <input
        className="input input-sm rule-input"
        data-control
        list={id}
        aria-label={t("builder.value")}
        aria-invalid={isBad || undefined}
        data-invalid={isBad || undefined}
        value={String(value ?? "")}
        maxLength={64}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value || undefined)}
      />
      <datalist id={id}>
        {tags.map((tag) => (
          <option key={tag.id} value={tag.name} />
        ))}
      </datalist>
    </>
  );
}
