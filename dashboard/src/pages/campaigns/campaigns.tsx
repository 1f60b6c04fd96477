/** The campaigns: what state each is in, whom it went to and what came back. The address holds tab, filter, sort and place. */
import "../../i18n/later/campaigns/campaigns.ts";
import "./list/list.css";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { query } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { lazyPart } from "../../lazy-page.ts";
import { SearchBox } from "../../shell/search-box.tsx";
import { CampaignTable } from "./list/campaign-table.tsx";
import { FilterChips } from "./list/filter-chips.tsx";
import { NoCampaigns } from "./list/no-campaigns.tsx";
import { StateTabs, useCampaignCounts } from "./list/state-tabs.tsx";
import { type CampaignsSearch, filterOf, hasFilter, TABS, USUAL_SORT } from "./search.ts";

const NewCampaign = lazyPart(() => import("./list/new-campaign.tsx"));
const UndoBar = lazyPart(async () => ({ default: (await import("./sending/undo-bar.tsx")).UndoBar }));

const route = getRouteApi("/signed-in/campaigns");
const LOOK_AGAIN_MS = 1_000;

function rowsQuery({ tab, sort = USUAL_SORT, cursor, ...search }: CampaignsSearch) {
  const place = { ...(tab && { status: TABS[tab] }), ...(cursor && { cursor }) };
  return query("GET /v1/campaigns", {
    query: { ...filterOf(search), ...place, sort, include_stats: true },
  });
}

export function Campaigns() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const rows = useQuery({
    ...rowsQuery(search),
    placeholderData: keepPreviousData,
    // While one is being sent its numbers move, and no event tells of each mail.
    refetchInterval: ({ state }) =>
      state.data?.data.some(({ status }) => status === "sending") ? LOOK_AGAIN_MS : false,
  });
  const { data: counts } = useCampaignCounts(search);
  // The next to leave can still be taken back here, in its last minute.
  const next = rows.data?.data
    .filter(({ status, send_at: at }) => status === "scheduled" && at !== null)
    .sort((one, other) => Date.parse(one.send_at ?? "") - Date.parse(other.send_at ?? ""))[0];
  const isFresh = counts?.total === 0 && !hasFilter(search);
  // A change of filter or order starts again at the first page.
  const change = (next: CampaignsSearch) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...next }) });
  const begin = () => void navigate({ search: (before) => ({ ...before, new: true }) });
  const end = () => void navigate({ search: (before) => ({ ...before, new: undefined }), replace: true });
  return (
    <>
      <PageHead
        title={t("nav.campaigns")}
        actions={
          <Button kind="primary" icon={Plus} shortcut="C" needs="campaigns:write" onClick={begin}>
            {t("campaigns.new")}
          </Button>
        }
      />
      {!isFresh && (
        <>
          <StateTabs search={search} />
          <div className="table-tools">
            <SearchBox
              key={search.q}
              value={search.q}
              label={t("campaigns.search")}
              placeholder={t("campaigns.searchHint")}
              maxLength={200}
              onSearch={(q) => change({ q })}
            />
            <FilterChips search={search} onChange={change} />
          </div>
        </>
      )}
      <Listing
        result={rows}
        unreadable={t("campaigns.allUnreadable")}
        empty={
          <NoCampaigns
            search={search}
            onNew={begin}
            onClear={() => void navigate({ search: { tab: search.tab } })}
          />
        }
      >
        {(found, page) => (
          <>
            <CampaignTable
              rows={found}
              sort={search.sort ?? USUAL_SORT}
              onSort={(sort) => change({ sort })}
            />
            <Pager
              cursor={search.cursor}
              nextCursor={page.next_cursor}
              prefetch={(cursor) => void queries.prefetchQuery(rowsQuery({ ...search, cursor }))}
            />
          </>
        )}
      </Listing>
      <Suspense>{search.new && <NewCampaign list={search.list} onClose={end} />}</Suspense>
      <Suspense>{next && <UndoBar key={next.id} campaign={next} />}</Suspense>
    </>
  );
}
