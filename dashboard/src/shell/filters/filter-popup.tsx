import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../kit/button.tsx";
import { SelectField } from "../../kit/forms/field.tsx";
import { Form } from "../../kit/forms/form.tsx";
import { Popup } from "../../kit/overlays/popup.tsx";
import type { PopupPlace } from "./filters.tsx";

type Props<Kind extends string> = PopupPlace & {
  /** What can be filtered by; the first is chosen when it opens. */
  kinds: readonly [Kind, ...Kind[]];
  labelOf: (kind: Kind) => string;
  /** The field in which a value of this kind is chosen; its name is `value`. */
  fieldOf: (kind: Kind) => ReactNode;
  /** Returns false where nothing was chosen yet, and the pop-up stays. */
  add: (kind: Kind, value: string) => boolean;
};

/** Adds a filter: by what, and which. */
export function FilterPopup<Kind extends string>(props: Props<Kind>) {
  const { anchor, onClose, kinds, labelOf, fieldOf, add } = props;
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>(kinds[0]);
  return (
    <Popup anchor={anchor} label={t("filter.add")} className="filter-pop" align="start" onClose={onClose}>
      <Form
        key={kind}
        submit={async (values) => {
          if (add(kind, values.text("value"))) onClose();
        }}
      >
        <SelectField
          name="kind"
          label={t("filter.by")}
          value={kind}
          onChange={(event) => setKind(event.target.value as Kind)}
          options={kinds.map((value) => ({ value, label: labelOf(value) }))}
        />
        {fieldOf(kind)}
        <Button kind="primary" type="submit" block>
          {t("filter.apply")}
        </Button>
      </Form>
    </Popup>
  );
}
