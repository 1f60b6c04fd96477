/** What became of a campaign's mail, in numbers. */
import { type Static, Type } from "typebox";
import type { SourceCounts } from "../../delivery/delivery.ts";
import { PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { toPublicId } from "../../platform/ids.ts";
import { mailNumbers, shapeMailNumbers } from "../../tracking/tracking.ts";
import { STATUSES, type Status } from "../status.ts";
import type { Engagement } from "./engagement.ts";

export { readClickMarks } from "./click-marks.ts";
export { readEngagement, readManyEngagements } from "./engagement.ts";

export const CampaignStats = Type.Object(
  {
    object: Type.Literal("campaign_stats"),
    campaign_id: PublicId("cmp"),
    status: Type.Unsafe<Status>({ type: "string", enum: [...STATUSES] }),
    as_of: Timestamp,
    ...mailNumbers,
    top_links: Type.Array(Type.Object({ url: Type.String(), clicks: Type.Integer() })),
  },
  {
    title: "CampaignStats",
    description:
      "`recipients` = `queued` + `sent` + `failed` + `unknown` + `skipped.total`, always. `unsubscribes` are recipients who left " +
      "because of it, each once, also if they came back or were deleted since.",
  },
);
type CampaignStats = Static<typeof CampaignStats>;

/** A page of campaigns has these numbers of each: all but its links, which are read one campaign at a time. */
export const CampaignNumbers = Type.Object(mailNumbers);

const TOP_LINKS = 5;

export function shapeStats(
  campaign: { readonly id: string; readonly status: Status },
  source: SourceCounts,
  engagement: Engagement,
  asOf: Date,
): CampaignStats {
  return {
    object: "campaign_stats",
    campaign_id: toPublicId("cmp", campaign.id),
    status: campaign.status,
    as_of: asOf.toISOString(),
    ...shapeMailNumbers(source, engagement),
    top_links: engagement.links
      .filter(({ total }) => total > 0)
      .toSorted((one, other) => other.total - one.total)
      .slice(0, TOP_LINKS)
      .map(({ url, total }) => ({ url, clicks: total })),
  };
}
