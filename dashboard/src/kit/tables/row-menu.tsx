import { Ellipsis } from "lucide-react";
import { useTranslation } from "react-i18next";
import { type Scope, useMay } from "../../api/may.ts";
import { Button } from "../button.tsx";
import { Menu, type MenuItem } from "../overlays/menu.tsx";

type Props = {
  name: string;
  items: readonly MenuItem[];
  /** The scope for those that name none themselves. */
  needs?: Scope;
};

/** What can be done to one row of a table by whoever looks at it. `name` tells screen readers which row it is. */
export function RowMenu({ name, items, needs }: Props) {
  const { t } = useTranslation();
  const may = useMay();
  const label = t("do.moreOf", { name });
  const shown = items.filter((item) => may(item.needs ?? needs));
  if (shown.length === 0) return null;
  return (
    <Menu trigger={<Button kind="quiet" size="sm" icon={Ellipsis} aria-label={label} />} items={shown} />
  );
}
