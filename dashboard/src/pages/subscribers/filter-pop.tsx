import { useTranslation } from "react-i18next";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import { FilterPopup } from "../../shell/filters/filter-popup.tsx";
import type { PopupPlace } from "../../shell/filters/filters.tsx";
import { useLists, useTags } from "./reference-data.ts";
import type { Search } from "./search.ts";

const KINDS = ["list", "tag", "after", "before"] as const;
type Kind = (typeof KINDS)[number];

type Props = PopupPlace & { search: Search; onChange: (change: Search) => void };

export default function FilterPop({ search, onChange, ...place }: Props) {
  const { t } = useTranslation();
  const add = (kind: Kind, value: string) => {
    if (value === "") return false;
    if (kind === "tag") onChange({ tag: [...new Set([...(search.tag ?? []), value])] });
    else onChange({ [kind]: value });
    return true;
  };
  const fieldOf = (kind: Kind) => <ValueField kind={kind} />;
  const labelOf = (kind: Kind) => t(`filter.${kind}`);
  return <FilterPopup {...place} kinds={KINDS} labelOf={labelOf} fieldOf={fieldOf} add={add} />;
}

function ValueField({ kind }: { kind: Kind }) {
  const { t } = useTranslation();
  const lists = useLists();
  const tags = useTags();
  const label = t("filter.value");
  if (kind === "after" || kind === "before") return <TextField name="value" label={label} type="date" />;
  if (kind === "tag") {
    return (
      <>
        <TextField name="value" label={label} list="known-tags" autoComplete="off" maxLength={64} />
        <datalist id="known-tags">
          {tags.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
      </>
    );
  }
  const options = lists.map(({ id, name }) => ({ value: id, label: name }));
  return <SelectField name="value" label={label} options={options} />;
}
