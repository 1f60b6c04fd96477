/** What a campaign's page shows first: when it leaves, how it goes while it is on the road, or what came of it. */
import "../../../i18n/later/campaigns/sending.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import type { Campaign } from "../../../api/openapi.ts";
import { SkeletonLines } from "../../../kit/states.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { Scheduled } from "./scheduled.tsx";
import { campaignQuery } from "./use-campaign.ts";
import { WhyFailed } from "./why-failed.tsx";

const Live = lazyPart(async () => ({ default: (await import("../live/live.tsx")).Live }));
const Report = lazyPart(async () => ({ default: (await import("../report/report.tsx")).Report }));

const route = getRouteApi("/signed-in/campaigns/$id");

export function Overview() {
  const { id } = route.useParams();
  const { data: campaign } = useQuery(campaignQuery(id));
  if (!campaign || campaign.status === "draft") return null;
  return (
    <Suspense fallback={<SkeletonLines />}>
      <Part campaign={campaign} />
    </Suspense>
  );
}

function Part({ campaign }: { campaign: Campaign }) {
  const { status, paused_from: from, started_at: started } = campaign;
  if (status === "scheduled" || from === "scheduled") return <Scheduled campaign={campaign} />;
  if (status === "sending" || status === "paused") return <Live campaign={campaign} />;
  return (
    <>
      {status === "failed" && <WhyFailed campaign={campaign} />}
      {started && <Report campaign={campaign} />}
    </>
  );
}
