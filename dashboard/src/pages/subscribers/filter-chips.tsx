/** Filters as chips, each a part of the address, and the pop-up that adds one. */
import { Plus, X } from "lucide-react";
import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDay } from "../../i18n/format.ts";
import { Icon } from "../../kit/icon.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { SaveAsSegment, useSegmentName } from "../segments/filter-links.tsx";
import { useLists } from "./reference-data.ts";
import type { Search } from "./search.ts";

export function FilterChips({ search, onChange }: { search: Search; onChange: (change: Search) => void }) {
  const { t } = useTranslation();
  const lists = useLists();
  const { list, segment, tag: tags = [], held, after, before } = search;
  return (
    <>
      {list && (
        <Chip name={t("filter.list")} onRemove={() => onChange({ list: undefined })}>
          {lists.find(({ id }) => id === list)?.name ?? list}
        </Chip>
      )}
      {segment && <SegmentChip id={segment} onRemove={() => onChange({ segment: undefined })} />}
      {tags.map((tag) => {
        const rest = tags.filter((one) => one !== tag);
        return (
          <Chip
            key={tag}
            name={t("filter.tag")}
            onRemove={() => onChange({ tag: rest.length > 0 ? rest : undefined })}
          >
            {tag}
          </Chip>
        );
      })}
      {held && (
        <Chip name={t("filter.held")} onRemove={() => onChange({ held: undefined })}>
          {t(`filter.heldFor.${held}`)}
        </Chip>
      )}
      {after && (
        <Chip name={t("filter.after")} onRemove={() => onChange({ after: undefined })}>
          {formatDay(after)}
        </Chip>
      )}
      {before && (
        <Chip name={t("filter.before")} onRemove={() => onChange({ before: undefined })}>
          {formatDay(before)}
        </Chip>
      )}
      <AddFilter search={search} onChange={onChange} />
      {!held && <SaveAsSegment search={search} />}
    </>
  );
}

function SegmentChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <Chip name={t("filter.segment")} onRemove={onRemove}>
      {useSegmentName(id)}
    </Chip>
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

function AddFilter({ search, onChange }: { search: Search; onChange: (change: Search) => void }) {
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
        {isOpen && (
          <FilterPop anchor={button} search={search} onChange={onChange} onClose={() => setOpen(false)} />
        )}
      </Suspense>
    </>
  );
}
