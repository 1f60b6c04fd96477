/** What is typed or chosen beside a rule's field and op, each in the control that suits it. */
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { query } from "../../api/queries.ts";
import type { Option } from "../../kit/field.tsx";
import { useLists, useTags } from "../subscribers/reference-data.ts";
import { CampaignChooser } from "./campaign-chooser.tsx";
import { ChipsInput } from "./chips-input.tsx";
import { type Kind, type Shape, STATUSES } from "./subjects.ts";

type Props = {
  kind: Kind;
  shape: Shape;
  value: unknown;
  /** What lists and campaigns are called, by id. */
  names: Readonly<Record<string, string>>;
  isBad: boolean;
  onChange: (value: unknown) => void;
  /** A campaign was chosen, and this is what it is called. */
  onNamed: (id: string, name: string) => void;
};

export function ValueInput(props: Props) {
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
    case "between":
      return <Between {...props} />;
    case "texts":
      return <ChipsInput values={(value ?? []) as string[]} onChange={onChange} isBad={isBad} />;
    case "statuses":
      return <Statuses values={(value ?? []) as string[]} onChange={onChange} />;
    case "boolean":
    case "status":
    case "list":
      return <Choice {...props} />;
    case "tag":
      return <TagInput {...props} />;
    case "campaign":
      return <CampaignInput {...props} id={value} onChange={onChange} />;
    case "link":
      return <LinkInput {...props} />;
    default:
      return <One kind={kind} value={value} isBad={isBad} onChange={onChange} label={t("builder.value")} />;
  }
}

type OneProps = Pick<Props, "value" | "isBad" | "onChange"> & { label: string };

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

function Between({ kind, value, isBad, onChange }: Props) {
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

function Choice({ shape, value, names, isBad, onChange }: Props) {
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

function Statuses({ values, onChange }: { values: readonly string[]; onChange: Props["onChange"] }) {
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

function TagInput({ value, isBad, onChange }: Props) {
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

function CampaignInput({ id, names, isBad, onChange, onNamed }: Props & { id: unknown }) {
  const known = typeof id === "string" ? id : undefined;
  return (
    <CampaignChooser
      id={known}
      name={known && names[known]}
      isBad={isBad}
      onChoose={(campaign) => {
        onNamed(campaign.id, campaign.name);
        onChange(campaign.id);
      }}
    />
  );
}

/** The links are those that the campaign's mail has; before it was launched, nobody knows them, and one is typed. */
function LinkInput(props: Props) {
  const { t } = useTranslation();
  const { value, isBad, onChange } = props;
  const { campaign_id: id, url } = (value ?? {}) as { campaign_id?: string; url?: string };
  const links = useQuery({
    ...query("GET /v1/campaigns/{id}/stats/links", { path: { id: id ?? "" } }),
    enabled: id !== undefined,
    retry: false,
  });
  const known = links.data?.data.map((one) => one.url) ?? [];
  const common = {
    className: "input input-sm rule-link",
    "data-control": true,
    "aria-label": t("builder.link"),
    "aria-invalid": isBad || undefined,
    "data-invalid": isBad || undefined,
    value: url ?? "",
  };
  const change = (next: string) => onChange({ campaign_id: id, url: next || undefined });
  return (
    <>
      <CampaignInput {...props} id={id} onChange={(next) => onChange({ campaign_id: next })} />
      {known.length > 0 ? (
        <select {...common} onChange={(event) => change(event.target.value)}>
          <option value="">{t("builder.chooseLink")}</option>
          {[...new Set([...(url ? [url] : []), ...known])].map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...common}
          placeholder={t("builder.linkHint")}
          onChange={(event) => change(event.target.value)}
        />
      )}
    </>
  );
}
