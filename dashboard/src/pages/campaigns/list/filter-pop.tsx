import { type RefObject, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { Form, type Values } from "../../../kit/forms/form.tsx";
import { Popup } from "../../../kit/popup.tsx";
import { useLists } from "../../subscribers/reference-data.ts";
import { type CampaignsSearch, TIMES } from "../search.ts";

const KINDS = ["list", ...TIMES, "archived"] as const;
type Kind = (typeof KINDS)[number];

type Props = {
  anchor: RefObject<HTMLButtonElement | null>;
  onChange: (change: CampaignsSearch) => void;
  onClose: () => void;
};

/** Adds a filter: by what, and which. */
export default function FilterPop({ anchor, onChange, onClose }: Props) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>("list");
  const apply = async (values: Values) => {
    const value = values.text("value");
    if (kind === "archived") onChange({ archived: true });
    else if (value === "") return;
    else onChange({ [kind]: value });
    onClose();
  };
  const labelOf = (one: Kind) => {
    if (one === "list") return t("filter.list");
    return one === "archived" ? t("campaigns.archived") : t(`campaigns.time.${one}`);
  };
  return (
    <Popup anchor={anchor} label={t("filter.add")} className="filter-pop" align="start" onClose={onClose}>
      <Form submit={apply} key={kind}>
        <SelectField
          name="kind"
          label={t("filter.by")}
          value={kind}
          onChange={(event) => setKind(event.target.value as Kind)}
          options={KINDS.map((value) => ({ value, label: labelOf(value) }))}
        />
        <ValueField kind={kind} />
        <Button kind="primary" type="submit" block>
          {t("filter.apply")}
        </Button>
      </Form>
    </Popup>
  );
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
