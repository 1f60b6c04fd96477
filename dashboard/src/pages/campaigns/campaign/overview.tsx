/** What a campaign's page shows first: how it goes while it is on the road, when it leaves before that, and what came of it afterwards. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Live } from "../live/live.tsx";
import { Report } from "../report/report.tsx";
import { Scheduled } from "./scheduled.tsx";
import { campaignQuery } from "./use-campaign.ts";
import { WhyFailed } from "./why-failed.tsx";

const route = getRouteApi("/signed-in/campaigns/$id");

export function Overview() {
  const { id } = route.useParams();
  const { data: campaign } = useQuery(campaignQuery(id));
  if (!campaign) return null;
  const { status, paused_from: from } = campaign;
  if (status === "scheduled" || from === "scheduled") return <Scheduled campaign={campaign} />;
  if (status === "sending" || status === "paused") return <Live campaign={campaign} />;
  return (
    <>
      {status === "failed" && <WhyFailed campaign={campaign} />}
      <Report campaign={campaign} />
    </>
  );
}
