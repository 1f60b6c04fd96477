import type { RefObject } from "react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../kit/button.tsx";
import { SelectField, TextField } from "../../kit/forms/field.tsx";
import { Form, type Values } from "../../kit/forms/form.tsx";
import { Popup } from "../../kit/popup.tsx";
import { useLists, useTags } from "./reference-data.ts";
import type { Search } from "./search.ts";

const KINDS = ["list", "tag", "after", "before"] as const;
type Kind = (typeof KINDS)[number];

type Props = {
  anchor: RefObject<HTMLButtonElement | null>;
  search: Search;
  onChange: (change: Search) => void;
  onClose: () => void;
};

/** Adds a filter: by what, and which. */
export default function FilterPop({ anchor, search, onChange, onClose }: Props) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>("list");
  const apply = async (values: Values) => {
    const value = values.text("value");
    if (value === "") return;
    if (kind === "tag") onChange({ tag: [...new Set([...(search.tag ?? []), value])] });
    else onChange({ [kind]: value });
    onClose();
  };
  return (
    <Popup anchor={anchor} label={t("filter.add")} className="filter-pop" align="start" onClose={onClose}>
      <Form submit={apply} key={kind}>
        <SelectField
          name="kind"
          label={t("filter.by")}
          value={kind}
          onChange={(event) => setKind(event.target.value as Kind)}
          options={KINDS.map((value) => ({ value, label: t(`filter.${value}`) }))}
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
