/** One campaign that has left its draft: its head, its parts as tabs, and the part that the address names. */
import "../../../i18n/later/campaigns/campaigns.ts";
import "../../../i18n/later/campaigns/sending.ts";
import "./campaign.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Navigate, Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { linksQuery } from "../report/link-rows.ts";
import { statusIn } from "../sending/refusal.tsx";
import { UndoBar } from "../sending/undo-bar.tsx";
import { HeadActions } from "./head-actions.tsx";
import { StateLine } from "./state-line.tsx";
import { statsQuery, useCampaign } from "./use-campaign.ts";
import { type PageActions, usePageActions } from "./use-page-actions.ts";

const route = getRouteApi("/signed-in/campaigns/$id");

export function CampaignPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const { data: campaign, error, isFetching, refetch } = useCampaign(id);
  const crumb = { label: t("nav.campaigns"), to: "/campaigns" as const };
  if (error && (!campaign || ("status" in error && error.status === 404)))
    return (
      <>
        <PageHead title={t("campaigns.one")} crumb={crumb} />
        <Failure title={t("campaigns.unreadable")} error={error} retry={() => void refetch()} />
      </>
    );
  // What is known of a draft may be old, such as from before somebody sent it.
  if (!campaign || (campaign.status === "draft" && isFetching)) return <SkeletonLines />;
  if (campaign.status === "draft") return <Navigate to="/campaigns/$id/edit" params={{ id }} replace />;
  return <Page campaign={campaign} />;
}

function Page({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const actions = usePageActions(campaign);
  return (
    <>
      <PageHead
        title={campaign.name}
        crumb={{ label: t("nav.campaigns"), to: "/campaigns" }}
        sub={<StateLine campaign={campaign} />}
        actions={<HeadActions campaign={campaign} actions={actions} />}
      />
      <Refused actions={actions} campaign={campaign} />
      {campaign.started_at !== null && <Tabs id={campaign.id} />}
      <Outlet />
      <UndoBar campaign={campaign} />
    </>
  );
}

/** What was refused because somebody else was faster is shown as it is now, and needs no more than that. */
function Refused({ actions: { error }, campaign }: { actions: PageActions; campaign: Campaign }) {
  if (!error || error.code === "send_at_elapsed" || statusIn(error) === campaign.status) return null;
  return (
    <div className="body campaign-problem">
      <ProblemNote error={error} />
    </div>
  );
}

function Tabs({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data: stats } = useQuery(statsQuery(id));
  const { data: links } = useQuery(linksQuery(id));
  return (
    <nav className="tabs" aria-label={t("campaigns.tabs.label")}>
      <Link to="/campaigns/$id" params={{ id }} activeOptions={{ exact: true }}>
        {t("campaigns.tabs.overview")}
      </Link>
      <Link to="/campaigns/$id/links" params={{ id }}>
        {t("campaigns.tabs.links")} <Count of={links?.data.length} />
      </Link>
      <Link to="/campaigns/$id/recipients" params={{ id }}>
        {t("campaigns.tabs.recipients")} <Count of={stats?.recipients} />
      </Link>
      <Link to="/campaigns/$id/domains" params={{ id }}>
        {t("campaigns.tabs.domains")}
      </Link>
      <Link to="/campaigns/$id/mail" params={{ id }}>
        {t("campaigns.tabs.mail")}
      </Link>
    </nav>
  );
}

function Count({ of: count }: { of: number | undefined }) {
  return count === undefined ? null : <span className="n">{formatNumber(count)}</span>;
}
