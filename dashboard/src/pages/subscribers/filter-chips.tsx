import { useTranslation } from "react-i18next";
import { formatDay } from "../../i18n/format.ts";
import { lazyPart } from "../../lazy-page.ts";
import { AddFilter, FilterChip } from "../../shell/filters/filters.tsx";
import { SaveAsSegment, useSegmentName } from "../segments/filter-links.tsx";
import { useLists } from "./reference-data.ts";
import type { Search } from "./search.ts";

const FilterPop = lazyPart(() => import("./filter-pop.tsx"));

export function FilterChips({ search, onChange }: { search: Search; onChange: (change: Search) => void }) {
  const { t } = useTranslation();
  const lists = useLists();
  const { list, segment, tag: tags = [], held, after, before } = search;
  return (
    <>
      {list && (
        <FilterChip name={t("filter.list")} onRemove={() => onChange({ list: undefined })}>
          {lists.find(({ id }) => id === list)?.name ?? list}
        </FilterChip>
      )}
      {segment && <SegmentChip id={segment} onRemove={() => onChange({ segment: undefined })} />}
      {tags.map((tag) => {
        const rest = tags.filter((one) => one !== tag);
        return (
          <FilterChip
            key={tag}
            name={t("filter.tag")}
            onRemove={() => onChange({ tag: rest.length > 0 ? rest : undefined })}
          >
            {tag}
          </FilterChip>
        );
      })}
      {held && (
        <FilterChip name={t("filter.held")} onRemove={() => onChange({ held: undefined })}>
          {t(`filter.heldFor.${held}`)}
        </FilterChip>
      )}
      {after && (
        <FilterChip name={t("filter.after")} onRemove={() => onChange({ after: undefined })}>
          {formatDay(after)}
        </FilterChip>
      )}
      {before && (
        <FilterChip name={t("filter.before")} onRemove={() => onChange({ before: undefined })}>
          {formatDay(before)}
        </FilterChip>
      )}
      <AddFilter>{(place) => <FilterPop {...place} search={search} onChange={onChange} />}</AddFilter>
      {!held && <SaveAsSegment search={search} />}
    </>
  );
}

function SegmentChip({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <FilterChip name={t("filter.segment")} onRemove={onRemove}>
      {useSegmentName(id)}
    </FilterChip>
  );
}
