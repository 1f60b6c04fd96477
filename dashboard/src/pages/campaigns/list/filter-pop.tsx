import { useTranslation } from "react-i18next";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { FilterPopup } from "../../../shell/filters/filter-popup.tsx";
import type { PopupPlace } from "../../../shell/filters/filters.tsx";
import { useLists } from "../../subscribers/reference-data.ts";
import { type CampaignsSearch, TIMES } from "../search.ts";

const KINDS = ["list", ...TIMES, "archived"] as const;
type Kind = (typeof KINDS)[number];

type Props = PopupPlace & { onChange: (change: CampaignsSearch) => void };

export default function FilterPop({ onChange, ...place }: Props) {
  const { t } = useTranslation();
  const add = (kind: Kind, value: string) => {
    if (kind === "archived") onChange({ archived: true });
    else if (value === "") return false;
    else onChange({ [kind]: value });
    return true;
  };
  const labelOf = (kind: Kind) => {
    if (kind === "list") return t("filter.list");
    return kind === "archived" ? t("campaigns.archived") : t(`campaigns.time.${kind}`);
  };
  const fieldOf = (kind: Kind) => <ValueField kind={kind} />;
  return <FilterPopup {...place} kinds={KINDS} labelOf={labelOf} fieldOf={fieldOf} add={add} />;
}

function ValueField({ kind }: { kind: Kind }) {
  const { t } = useTranslation();
  const lists = useLists();
  const label = t("filter.value");
  if (kind === "archived") return <p className="hint">{t("campaigns.archivedText")}</p>;
  if (kind !== "list") return <TextField name="value" label={label} type="date" />;
  const options = lists.map(({ id, name }) => ({ value: id, label: name }));
  return <SelectField name="value" label={label} options={options} />;
}
