import { Ellipsis } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../button.tsx";
import { Menu, type MenuItem } from "../menu.tsx";

/** What can be done to one row of a table. `name` tells screen readers which row it is. */
export function RowMenu({ name, items }: { name: string; items: readonly MenuItem[] }) {
  const { t } = useTranslation();
  const label = t("do.moreOf", { name });
  return (
    <Menu trigger={<Button kind="quiet" size="sm" icon={Ellipsis} aria-label={label} />} items={items} />
  );
}
