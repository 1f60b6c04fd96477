/** A campaign on the road: how far it is, how fast, whom it hasn't reached and why, and what a pause would do. */
import "../../../i18n/later/campaigns/sending.ts";
import "./live.css";
import { useQuery } from "@tanstack/react-query";
import type { Campaign } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { SkeletonLines } from "../../../kit/states.tsx";
import { statsQuery } from "../campaign/use-campaign.ts";
import { AlreadyThere, IfYouPause, WhyPaused } from "./asides.tsx";
import { ByProvider } from "./by-provider.tsx";
import { Hero } from "./hero.tsx";
import { Speed } from "./speed.tsx";
import { WhyNot } from "./why-not.tsx";

/** The stream says when something has moved; this is in case it says nothing. */
const STATS_EVERY_MS = 5_000;
const DETAILS_EVERY_MS = 5_000;
/** The most that the service tells apart. */
const DOMAINS = 200;

export function Live({ campaign }: { campaign: Campaign }) {
  const { id, status } = campaign;
  const isMoving = status === "sending";
  const every = (ms: number) => ({ refetchInterval: isMoving ? ms : (false as const) });
  const { data: stats } = useQuery({ ...statsQuery(id), ...every(STATS_EVERY_MS) });
  const { data: domains } = useQuery({
    ...query("GET /v1/campaigns/{id}/stats/domains", { path: { id }, query: { limit: DOMAINS } }),
    ...every(DETAILS_EVERY_MS),
  });
  const { data: errors } = useQuery({
    ...query("GET /v1/campaigns/{id}/stats/errors", { path: { id } }),
    ...every(DETAILS_EVERY_MS),
  });
  if (!stats) return <SkeletonLines />;
  return (
    <>
      {status === "paused" && (
        <div className="body live-note">
          <WhyPaused campaign={campaign} stats={stats} />
        </div>
      )}
      <Hero campaign={campaign} stats={stats} />
      <div className="live-parts">
        <div className="live-main">
          <Speed stats={stats} />
          {domains && <ByProvider domains={domains} errors={errors} isMoving={isMoving} />}
        </div>
        <aside className="live-side">
          {errors && <WhyNot id={id} errors={errors} />}
          <AlreadyThere stats={stats} />
          {isMoving && <IfYouPause stats={stats} />}
        </aside>
      </div>
    </>
  );
}
