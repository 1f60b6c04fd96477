import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Checkbox } from "../../kit/forms/field.tsx";
import { Popup } from "../../kit/overlays/popup.tsx";
import { setPreferences } from "../../shell/preferences.ts";
import type { Column } from "./columns.tsx";

type Props = {
  anchor: RefObject<HTMLButtonElement | null>;
  all: readonly Column[];
  shown: readonly Column[];
  onClose: () => void;
};

/** The columns to tick; the choice is kept in this browser. */
export default function ColumnPop({ anchor, all, shown, onClose }: Props) {
  const { t } = useTranslation();
  const ids = shown.map(({ id }) => id);
  const toggle = (id: string) =>
    setPreferences({ columns: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id] });
  return (
    <Popup anchor={anchor} label={t("table.columns")} className="choice-pop" align="end" onClose={onClose}>
      {all.map(({ id, label }) => (
        <Checkbox key={id} label={label} checked={ids.includes(id)} onChange={() => toggle(id)} />
      ))}
    </Popup>
  );
}
