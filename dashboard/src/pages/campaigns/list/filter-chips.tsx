import { useTranslation } from "react-i18next";
import { formatDay } from "../../../i18n/format.ts";
import { lazyPart } from "../../../lazy-page.ts";
import { AddFilter, FilterChip } from "../../../shell/filters/filters.tsx";
import { useLists } from "../../subscribers/reference-data.ts";
import { type CampaignsSearch, TIMES } from "../search.ts";

const FilterPop = lazyPart(() => import("./filter-pop.tsx"));

type Props = { search: CampaignsSearch; onChange: (change: CampaignsSearch) => void };

export function FilterChips({ search, onChange }: Props) {
  const { t } = useTranslation();
  const lists = useLists();
  const { list, archived } = search;
  return (
    <>
      {list && (
        <FilterChip name={t("filter.list")} onRemove={() => onChange({ list: undefined })}>
          {lists.find(({ id }) => id === list)?.name ?? list}
        </FilterChip>
      )}
      {TIMES.map((name) => {
        const day = search[name];
        return (
          day && (
            <FilterChip
              key={name}
              name={t(`campaigns.time.${name}`)}
              onRemove={() => onChange({ [name]: undefined })}
            >
              {formatDay(day)}
            </FilterChip>
          )
        );
      })}
      {archived && (
        <FilterChip name={t("campaigns.archived")} onRemove={() => onChange({ archived: undefined })}>
          {t("campaigns.archivedOnly")}
        </FilterChip>
      )}
      <AddFilter>{(place) => <FilterPop {...place} onChange={onChange} />}</AddFilter>
    </>
  );
}
