import { useTranslation } from "react-i18next";
import { formatClock, formatDay } from "../../../i18n/format.ts";
import { lazyPart } from "../../../lazy-page.ts";
import { AddFilter, FilterChip } from "../../../shell/filters/filters.tsx";
import { type EmailsSearch, TEXTS, TIMES } from "../search.ts";

const FilterPop = lazyPart(() => import("./filter-pop.tsx"));

type Props = { search: EmailsSearch; onChange: (change: EmailsSearch) => void };

export function FilterChips({ search, onChange }: Props) {
  const { t } = useTranslation();
  const { metadata = {} } = search;
  const without = (name: string) => {
    const { [name]: _removed, ...rest } = metadata;
    return Object.keys(rest).length > 0 ? rest : undefined;
  };
  return (
    <>
      {TEXTS.map((name) => {
        const value = search[name];
        return (
          value && (
            <FilterChip
              key={name}
              name={t(`emails.filters.${name}`)}
              onRemove={() => onChange({ [name]: undefined })}
            >
              <bdi>{value}</bdi>
            </FilterChip>
          )
        );
      })}
      {Object.entries(metadata).map(([name, value]) => (
        <FilterChip key={name} name={name} onRemove={() => onChange({ metadata: without(name) })}>
          <bdi>{value}</bdi>
        </FilterChip>
      ))}
      {TIMES.map((name) => {
        const at = search[name];
        return (
          at && (
            <FilterChip
              key={name}
              name={t(`emails.filters.${name}`)}
              onRemove={() => onChange({ [name]: undefined })}
            >
              {at.includes("T")
                ? t("emails.dayAndTime", { day: formatDay(at), time: formatClock(at) })
                : formatDay(at)}
            </FilterChip>
          )
        );
      })}
      <AddFilter>{(place) => <FilterPop {...place} metadata={metadata} onChange={onChange} />}</AddFilter>
    </>
  );
}
