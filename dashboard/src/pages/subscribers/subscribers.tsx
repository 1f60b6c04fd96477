/** The table of subscribers. Its address holds filter, sort and place, so that it can be shared and "back" works. */
import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Upload, UserPlus } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { useRegisterActions } from "../../shell/actions.ts";
import { usePreferences } from "../../shell/preferences.ts";
import { SearchBox } from "../../shell/search-box.tsx";
import { MovePeople } from "../imports/move-people.tsx";
import { ColumnChoice } from "./column-choice.tsx";
import { allColumns, chosenColumns } from "./columns.tsx";
import { FilterChips } from "./filter-chips.tsx";
import { useFields, useLists } from "./reference-data.ts";
import { RunningChanges } from "./running-changes.tsx";
import { filterOf, hasFilter, type Search } from "./search.ts";
import { useSelection } from "./selection.ts";
import { StatusTabs, useCounts } from "./status-tabs.tsx";
import { SubscriberTable } from "./subscriber-table.tsx";

const BulkBar = lazyPart(() => import("./bulk-bar.tsx"));
const AddSubscriber = lazyPart(() => import("./add-subscriber.tsx"));

const route = getRouteApi("/signed-in/subscribers");

/** A page of rows: those of one address, or those that the filter leaves. */
function rowsQuery({ email, cursor, ...search }: Search) {
  const place = cursor ? { cursor } : {};
  const filter = filterOf(search);
  return queryOptions({
    queryKey: ["subscribers", "rows", email, filter, cursor],
    queryFn: ({ signal }) =>
      email
        ? call("GET /v1/subscribers/search", { query: { email, ...place }, signal })
        : call("GET /v1/subscribers", { query: { ...filter, ...place }, signal }),
  });
}

export function Subscribers() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const lists = useLists();
  const fields = useFields();
  const { columns } = usePreferences();
  const [isAdding, setAdding] = useState(false);
  const rows = useQuery({ ...rowsQuery(search), placeholderData: keepPreviousData });

  // A change of filter or order starts again at the first page.
  const change = (next: Search) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...next }) });
  useRegisterActions([
    {
      id: "add-subscriber",
      label: t("subscribers.add"),
      icon: UserPlus,
      keys: "n",
      run: () => setAdding(true),
    },
  ]);
  const { cursor: _cursor, sort: _sort, email, ...filters } = search;
  const selection = useSelection(JSON.stringify({ email, ...filters }), rows.data?.data ?? []);
  const isSelecting = selection.isAll || selection.ids.size > 0;
  const { counts, areCounting, total } = useCounts(
    search,
    rows.data !== undefined && !rows.isPlaceholderData,
  );
  const all = allColumns((key) => t(`columns.${key}`), lists, fields);
  const shown = chosenColumns(all, columns);
  return (
    <>
      <PageHead
        title={t("nav.subscribers")}
        actions={
          <>
            <MovePeople search={search} />
            <Button kind="primary" icon={UserPlus} onClick={() => setAdding(true)}>
              {t("subscribers.add")}
            </Button>
          </>
        }
      />
      {!email && <StatusTabs search={search} counts={counts} areCounting={areCounting} onChange={change} />}
      <div className="table-tools">
        <SearchBox
          key={email}
          value={email}
          label={t("subscribers.search")}
          placeholder={t("subscribers.searchHint")}
          maxLength={254}
          onSearch={(email) => change({ email })}
        />
        {!email && <FilterChips search={search} onChange={change} />}
        <span className="grow" />
        <ColumnChoice all={all} shown={shown} />
      </div>
      <Total total={email ? undefined : total} />
      <RunningChanges />
      <Listing
        result={rows}
        unreadable={t("subscribers.unreadable")}
        empty={
          <NoSubscribers
            search={search}
            onAdd={() => setAdding(true)}
            onClear={() => void navigate({ search: {} })}
          />
        }
      >
        {(found, page) => (
          <>
            <SubscriberTable
              rows={found}
              columns={shown}
              sort={search.sort ?? "-created_at"}
              onSort={(sort) => change({ sort })}
              selection={selection}
            />
            <Pager
              cursor={search.cursor}
              nextCursor={page.next_cursor}
              prefetch={(cursor) => void queries.prefetchQuery(rowsQuery({ ...search, cursor }))}
            />
          </>
        )}
      </Listing>
      <Suspense>
        {isSelecting && (
          <BulkBar selection={selection} filter={email ? undefined : filterOf(filters)} total={total} />
        )}
      </Suspense>
      <Suspense>{isAdding && <AddSubscriber list={search.list} onClose={() => setAdding(false)} />}</Suspense>
    </>
  );
}

/** The number comes apart from the rows, because counting a million takes longer than showing fifty. */
function Total({ total }: { total: number | undefined }) {
  const { t } = useTranslation();
  return (
    <p className="table-total sm" aria-live="polite">
      {total !== undefined && (
        <>
          <b className="strong num">{formatNumber(total)}</b> {t("subscribers.match", { count: total })}
        </>
      )}
    </p>
  );
}

function NoSubscribers({
  search,
  onAdd,
  onClear,
}: {
  search: Search;
  onAdd: () => void;
  onClear: () => void;
}) {
  const { t } = useTranslation();
  if (hasFilter(search)) {
    return (
      <Empty title={t("subscribers.noneMatch")} text={t("subscribers.noneMatchText")}>
        <Button onClick={onClear}>{t("filter.clear")}</Button>
      </Empty>
    );
  }
  return (
    <Empty title={t("subscribers.none")} text={t("subscribers.noneText")}>
      <Button kind="primary" icon={UserPlus} onClick={onAdd}>
        {t("subscribers.addFirst")}
      </Button>
      <Link className="btn" to="/imports/new">
        <Icon of={Upload} />
        {t("imports.new")}
      </Link>
    </Empty>
  );
}
