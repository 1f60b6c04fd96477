/** Filters as chips, each a part of the address, and the pop-up that adds one. */
import { Plus, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDay } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { useLists } from "../../subscribers/reference-data.ts";
import { type CampaignsSearch, TIMES } from "../search.ts";

type Props = { search: CampaignsSearch; onChange: (change: CampaignsSearch) => void };

export function FilterChips({ search, onChange }: Props) {
  const { t } = useTranslation();
  const lists = useLists();
  const { list, archived } = search;
  return (
    <>
      {list && (
        <Chip name={t("filter.list")} onRemove={() => onChange({ list: undefined })}>
          {lists.find(({ id }) => id === list)?.name ?? list}
        </Chip>
      )}
      {TIMES.map((name) => {
        const day = search[name];
        return (
          day && (
            <Chip
              key={name}
              name={t(`campaigns.time.${name}`)}
              onRemove={() => onChange({ [name]: undefined })}
            >
              {formatDay(day)}
            </Chip>
          )
        );
      })}
      {archived && (
        <Chip name={t("campaigns.archived")} onRemove={() => onChange({ archived: undefined })}>
          {t("campaigns.archivedOnly")}
        </Chip>
      )}
      <AddFilter onChange={onChange} />
    </>
  );
}

function Chip({ name, children, onRemove }: { name: string; children: ReactNode; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <span className="chip">
      <span className="k">{name}</span>
      <span className="v trunc">{children}</span>
      <button type="button" className="x" aria-label={t("filter.remove", { name })} onClick={onRemove}>
        <Icon of={X} size="sm" />
      </button>
    </span>
  );
}

const FilterPop = lazy(() => import("./filter-pop.tsx"));

function AddFilter({ onChange }: Pick<Props, "onChange">) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useRegisterActions([
    { id: "filter", label: t("filter.add"), icon: Plus, keys: "f", run: () => setOpen(true) },
  ]);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="chip add"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <span>
          <Icon of={Plus} size="sm" />
          {t("filter.add")}
          <span className="kbd" aria-hidden="true">
            F
          </span>
        </span>
      </button>
      <Suspense>
        {isOpen && <FilterPop anchor={button} onChange={onChange} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
