/** The bar that floats at the foot while somebody is selected: what can be done with them. */
import { Ellipsis, ListPlus, type LucideIcon, Pencil, Tag, Tags, Trash2, UserMinus, X } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { useRegisterActions } from "../../shell/actions.ts";
import type { BulkFilter, Deed } from "./bulk-dialogs.tsx";
import type { Selection } from "./selection.ts";

/** The service takes so many ids in one change; more are said by a filter. */
const MOST_NAMED = 1_000;

const BulkDialog = lazyPart(() => import("./bulk-dialogs.tsx"));

type BarProps = {
  selection: Selection;
  /** Undefined where the rows are those of one address, which no filter says. */
  filter: BulkFilter | undefined;
  /** How many the filter leaves; undefined until they are counted. */
  total: number | undefined;
};

export default function BulkBar({ selection, filter, total }: BarProps) {
  const { t } = useTranslation();
  const [deed, setDeed] = useState<Deed>();
  useRegisterActions([
    { id: "select-clear", label: t("select.clear"), icon: X, keys: "Escape", run: selection.clear },
  ]);
  const count = selection.isAll ? (total ?? 0) : selection.ids.size;
  const number = formatNumber(count);
  const item = (name: Deed, icon: LucideIcon) => ({
    label: t(`bulk.${name}`),
    icon,
    run: () => setDeed(name),
  });
  const isTooMany = !selection.isAll && selection.ids.size > MOST_NAMED;
  const more = [item("untag", Tags), item("copy", ListPlus)];
  return (
    <section className="bulk" aria-label={t("select.bar")}>
      <b className="num" aria-live="polite">
        {t("select.count", { count, number })}
      </b>
      {!selection.isAll && filter && total !== undefined && total > selection.ids.size && (
        <Button kind="quiet" size="sm" onClick={selection.selectAll}>
          {t("select.all", { number: formatNumber(total) })}
        </Button>
      )}
      {isTooMany ? (
        <span role="status">{t("select.tooMany", { number: formatNumber(MOST_NAMED) })}</span>
      ) : (
        <>
          <Button kind="quiet" size="sm" icon={Tag} onClick={() => setDeed("tag")}>
            {t("bulk.tag")}
          </Button>
          <Button kind="quiet" size="sm" icon={Pencil} onClick={() => setDeed("setField")}>
            {t("bulk.setField")}
          </Button>
          <Button kind="quiet" size="sm" icon={UserMinus} onClick={() => setDeed("unsubscribe")}>
            {t("bulk.unsubscribe")}
          </Button>
          <Button kind="quiet" size="sm" icon={Trash2} data-danger onClick={() => setDeed("delete")}>
            {t("bulk.delete")}
          </Button>
          <Menu
            side="top"
            items={more}
            trigger={<Button kind="quiet" size="sm" icon={Ellipsis} aria-label={t("bulk.more")} />}
          />
        </>
      )}
      <Button kind="quiet" size="sm" icon={X} aria-label={t("select.clear")} onClick={selection.clear} />
      <Suspense>
        {deed && (
          <BulkDialog
            deed={deed}
            count={count}
            whom={selection.isAll && filter ? { filter } : { ids: [...selection.ids] }}
            onStarted={selection.clear}
            onClose={() => setDeed(undefined)}
          />
        )}
      </Suspense>
    </section>
  );
}
