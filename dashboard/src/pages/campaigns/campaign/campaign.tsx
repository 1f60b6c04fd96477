/** One campaign that has left its draft: its head, its parts as tabs, and the part that the address names. */
import "../../../i18n/later/campaigns.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { query } from "../../../api/queries.ts";
import { PageHead } from "../../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";

const route = getRouteApi("/signed-in/campaigns/$id");

export function CampaignPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const { data: campaign, error, refetch } = useQuery(query("GET /v1/campaigns/{id}", { path: { id } }));
  const crumb = { label: t("nav.campaigns"), to: "/campaigns" as const };
  if (error)
    return (
      <>
        <PageHead title={t("campaigns.one")} crumb={crumb} />
        <Failure title={t("campaigns.unreadable")} error={error} retry={() => void refetch()} />
      </>
    );
  if (!campaign) return <SkeletonLines />;
  return (
    <>
      <PageHead title={campaign.name} crumb={crumb} />
      <nav className="tabs" aria-label={t("campaigns.tabs.label")}>
        <Link to="/campaigns/$id" params={{ id }} activeOptions={{ exact: true }}>
          {t("campaigns.tabs.overview")}
        </Link>
        <Link to="/campaigns/$id/links" params={{ id }}>
          {t("campaigns.tabs.links")}
        </Link>
        <Link to="/campaigns/$id/recipients" params={{ id }}>
          {t("campaigns.tabs.recipients")}
        </Link>
        <Link to="/campaigns/$id/domains" params={{ id }}>
          {t("campaigns.tabs.domains")}
        </Link>
        <Link to="/campaigns/$id/mail" params={{ id }}>
          {t("campaigns.tabs.mail")}
        </Link>
      </nav>
      <Outlet />
    </>
  );
}
