import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { CampaignCounts } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { AddressLink } from "../../../kit/address-link.tsx";
import { type CampaignsSearch, filterOf, TAB_NAMES, TABS, type Tab } from "../search.ts";

function countOf(counts: CampaignCounts, tab: Tab | undefined): number {
  return tab ? TABS[tab].reduce((sum, status) => sum + counts[status], 0) : counts.total;
}

export function useCampaignCounts(search: CampaignsSearch) {
  return useQuery({
    ...query("GET /v1/campaigns/counts", { query: filterOf(search) }),
    placeholderData: keepPreviousData,
  });
}

/** A tab for each state, with its number. Until the first numbers are there, the tabs have their place and can't be seen. */
export function StateTabs({ search }: { search: CampaignsSearch }) {
  const { t } = useTranslation();
  const router = useRouter();
  const { data: counts, isError } = useCampaignCounts(search);
  return (
    <nav className="tabs" aria-label={t("campaigns.byState")} aria-busy={!counts && !isError}>
      {[undefined, ...TAB_NAMES].map((tab) => (
        <AddressLink
          key={tab ?? "all"}
          href={
            router.buildLocation({ to: "/campaigns", search: { ...search, tab, cursor: undefined } }).href
          }
          aria-current={tab === search.tab ? "page" : undefined}
        >
          {t(`campaigns.tab.${tab ?? "all"}`)}{" "}
          <span className="n">{counts && formatNumber(countOf(counts, tab))}</span>
        </AddressLink>
      ))}
    </nav>
  );
}
