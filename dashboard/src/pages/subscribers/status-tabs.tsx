import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { SubscriberCounts } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { filterOf, type Search, STATUSES } from "./search.ts";

/** How many have each status. They are asked for once the rows are there, because counting may take longer than showing fifty. */
export function useCounts(search: Search, areRowsThere: boolean) {
  const { cursor: _cursor, sort: _sort, status: _status, email, ...filter } = search;
  const { data, isPlaceholderData, isError } = useQuery({
    ...query("GET /v1/subscribers/counts", { query: filterOf(filter) }),
    placeholderData: keepPreviousData,
    enabled: email === undefined && areRowsThere,
  });
  // The tabs keep the numbers of the filter before until the new ones come; nobody may act on those.
  const total = isPlaceholderData ? undefined : data?.[search.status ?? "total"];
  return { counts: data, total, areCounting: data === undefined && !isError };
}

type TabsProps = {
  search: Search;
  counts: SubscriberCounts | undefined;
  /** Until the first numbers are there, the tabs have their place and can't be seen, because the numbers would move them. */
  areCounting: boolean;
  onChange: (change: Search) => void;
};

/** A tab for each status, with its number. A tab is a part of the address, as the filters are. */
export function StatusTabs({ search, counts, areCounting, onChange }: TabsProps) {
  const { t } = useTranslation();
  const router = useRouter();
  return (
    <nav className="tabs" aria-label={t("tabs.label")} aria-busy={areCounting}>
      {[undefined, ...STATUSES].map((status) => {
        const to = { to: "/subscribers", search: { ...search, status, cursor: undefined } } as const;
        return (
          <a
            key={status ?? "all"}
            href={router.buildLocation(to).href}
            aria-current={status === search.status ? "page" : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              onChange({ status });
            }}
          >
            {status ? t(`status.${status}`) : t("tabs.all")}{" "}
            <span className="n">{counts && formatNumber(counts[status ?? "total"])}</span>
          </a>
        );
      })}
    </nav>
  );
}
