/** What became of a campaign's mail, in numbers. */
import { type Static, Type } from "typebox";
import { TRACKING_MODES, type TrackingMode } from "../../accounts/accounts.ts";
import type { SourceCounts } from "../../delivery/delivery.ts";
import { Nullable, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Sums } from "../../tracking/tracking.ts";
import { STATUSES, type Status } from "../status.ts";
import { type Engagement, seesPeople, UNIQUE_IN_MODES } from "./engagement.ts";

export { readClickMarks } from "./click-marks.ts";
export { readEngagement, readManyEngagements } from "./engagement.ts";

export const counts = <const N extends string>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Integer()])) as Record<
    N,
    ReturnType<typeof Type.Integer>
  >;
export const bounceCounts = Type.Object(counts(["hard", "soft", "block", "total"] as const), {
  description:
    "hard: the address will never work, and is suppressed. soft: its mailbox or its server didn't take this mail. block: we or the message weren't wanted, which says nothing about the address.",
});
const rates = ["delivery", "bounce", "unsubscribe", "complaint"] as const;
const Recipients = Nullable(Type.Integer());
export const Traffic = Type.Object(
  {
    ...counts(["total", "machine_total"] as const),
    unique: Recipients,
    machine_unique: Recipients,
    human_unique: Recipients,
  },
  { description: `The unique ones are numbers of recipients: ${UNIQUE_IN_MODES}` },
);
export const SeenRate = Nullable(Type.Number());

const numbers = {
  ...counts(["recipients", "queued", "sent", "delivered", "deferred", "failed", "unknown"] as const),
  skipped: Type.Object(
    counts(["suppressed", "unsubscribed", "invalid", "canceled", "deleted", "total"] as const),
  ),
  bounces: bounceCounts,
  ...counts(["complaints", "unsubscribes"] as const),
  opens: Traffic,
  clicks: Traffic,
  tracking: Type.Unsafe<TrackingMode | null>({
    type: ["string", "null"],
    enum: [...TRACKING_MODES, null],
    description:
      "How its mail was tracked; null before the launch. If it was launched again in another mode, the one that says less.",
  }),
  rates: Type.Object(
    {
      ...(Object.fromEntries(rates.map((name) => [name, Type.Number()])) as Record<
        (typeof rates)[number],
        ReturnType<typeof Type.Number>
      >),
      open: SeenRate,
      click: SeenRate,
      click_to_open: SeenRate,
    },
    {
      description:
        "From 0 to 1; 0 where there is nothing to divide by. `open` and `click` are people over `delivered`, and null unless " +
        "`tracking` is individual: nobody can say how many of the delivered could have been seen. `click_to_open` is there " +
        "also where it is consented, among those who agreed.",
    },
  ),
  first_open_at: Nullable(Timestamp),
  last_open_at: Nullable(Timestamp),
  last_click_at: Nullable(Timestamp),
};

export const CampaignStats = Type.Object(
  {
    object: Type.Literal("campaign_stats"),
    campaign_id: PublicId("cmp"),
    status: Type.Unsafe<Status>({ type: "string", enum: [...STATUSES] }),
    as_of: Timestamp,
    ...numbers,
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
export const CampaignNumbers = Type.Object(numbers);
type CampaignNumbers = Static<typeof CampaignNumbers>;

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
    ...shapeNumbers(source, engagement),
    top_links: engagement.links
      .filter(({ total }) => total > 0)
      .toSorted((one, other) => other.total - one.total)
      .slice(0, TOP_LINKS)
      .map(({ url, total }) => ({ url, clicks: total })),
  };
}

export function shapeNumbers(
  source: SourceCounts,
  { totals, mode }: Omit<Engagement, "links">,
): CampaignNumbers {
  const { recipients, queued, sent, deferred, failed, unknown, skipped, bounces, unsubscribes, complaints } =
    source;
  const attempted = sent + failed;
  const delivered = Math.max(0, sent - source.returned);
  return {
    recipients,
    queued,
    sent,
    delivered,
    deferred,
    failed,
    unknown,
    skipped,
    bounces,
    complaints,
    unsubscribes,
    tracking: mode,
    ...shapeTraffics(mode, totals),
    rates: {
      delivery: rate(delivered, attempted),
      bounce: rate(bounces.total, attempted),
      ...seenRates(mode, totals, delivered),
      unsubscribe: rate(unsubscribes, delivered),
      complaint: rate(complaints, delivered),
    },
    first_open_at: totals.firstAt?.toISOString() ?? null,
    last_open_at: totals.lastAt?.toISOString() ?? null,
    last_click_at: totals.lastClickAt?.toISOString() ?? null,
  };
}

/** What is seen of some says nothing of all who were mailed. */
export function seenRates(mode: TrackingMode | null, sums: Sums, delivered: number) {
  const isEverybodySeen = mode === null || mode === "individual";
  return {
    open: isEverybodySeen ? rate(sums.humanOpeners, delivered) : null,
    click: isEverybodySeen ? rate(sums.humanClickers, delivered) : null,
    click_to_open: seesPeople(mode) ? rate(sums.humanClickers, sums.humanOpeners) : null,
  };
}

export function shapeTraffics(mode: TrackingMode | null, sums: Sums) {
  return {
    opens: shapeTraffic(mode, sums.opens, sums.humanOpens, sums.openers, sums.humanOpeners),
    clicks: shapeTraffic(mode, sums.clicks, sums.humanClicks, sums.clickers, sums.humanClickers),
  };
}

function shapeTraffic(
  mode: TrackingMode | null,
  total: number,
  human: number,
  unique: number,
  humanUnique: number,
) {
  const machineTotal = total - human;
  if (!seesPeople(mode))
    return { total, unique: null, machine_total: machineTotal, machine_unique: null, human_unique: null };
  return {
    total,
    unique,
    machine_total: machineTotal,
    machine_unique: unique - humanUnique,
    human_unique: humanUnique,
  };
}

export function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, part / whole);
}
