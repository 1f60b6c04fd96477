import { useTranslation } from "react-i18next";
import { TextField } from "../../../kit/forms/field.tsx";
import { FilterPopup } from "../../../shell/filters/filter-popup.tsx";
import type { PopupPlace } from "../../../shell/filters/filters.tsx";
import { type EmailsSearch, TEXTS, TIMES } from "../search.ts";

const KINDS = [...TEXTS, "metadata", ...TIMES] as const;
type Kind = (typeof KINDS)[number];

type Props = PopupPlace & {
  metadata: Readonly<Record<string, string>>;
  onChange: (change: EmailsSearch) => void;
};

export default function FilterPop({ metadata, onChange, ...place }: Props) {
  const { t } = useTranslation();
  const add = (kind: Kind, given: string) => {
    const value = given.trim();
    if (value === "") return false;
    if (kind !== "metadata") {
      onChange({ [kind]: value });
      return true;
    }
    const [, name, word] = /^([^\]=]{1,40})=(.+)$/.exec(value) ?? [];
    if (name === undefined || word === undefined) return false;
    onChange({ metadata: { ...metadata, [name.trim()]: word.trim() } });
    return true;
  };
  return (
    <FilterPopup
      {...place}
      kinds={KINDS}
      labelOf={(kind) => t(`emails.filters.${kind}`)}
      fieldOf={(kind) => <ValueField kind={kind} />}
      add={add}
    />
  );
}

function ValueField({ kind }: { kind: Kind }) {
  const { t } = useTranslation();
  const label = t("filter.value");
  if (kind === "created_after" || kind === "created_before")
    return <TextField name="value" label={label} type="datetime-local" />;
  return (
    <TextField
      name="value"
      label={label}
      autoComplete="off"
      spellCheck={false}
      maxLength={kind === "tag" ? 50 : 600}
      hint={t(`emails.filterHints.${kind}`)}
    />
  );
}
