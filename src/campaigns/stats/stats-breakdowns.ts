/** A campaign's numbers by recipient domain, and by the hour or the day. */
import { type Static, Type } from "typebox";
import type { DomainCounts } from "../../delivery/delivery.ts";
import { Nullable, oneOf, PublicId, Timestamp, TimeZone } from "../../platform/http/schemas.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";
import {
  addSums,
  NO_SUMS,
  rate,
  SeenRate,
  type Sums,
  seenRates,
  shapeTraffics,
  Traffic,
} from "../../tracking/tracking.ts";
import { bucketStarts, type Interval, MOST_BUCKETS } from "./buckets.ts";
import type { DomainEngagement, QuarterStats } from "./engagement.ts";

const Bounces = Type.Object({
  hard: Type.Integer(),
  soft: Type.Integer(),
  block: Type.Integer(),
  total: Type.Integer(),
});

const ofDomain = {
  recipients: Type.Integer(),
  queued: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  deferred: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
  skipped: Type.Integer(),
  bounces: Bounces,
  complaints: Type.Integer({
    description: "Those that the provider told of. Most tell nothing, so that 0 may mean either.",
  }),
  opens: Traffic,
  clicks: Traffic,
  rates: Type.Object({
    delivery: Type.Number(),
    bounce: Type.Number(),
    complaint: Type.Number(),
    open: SeenRate,
    click: SeenRate,
    click_to_open: SeenRate,
  }),
};

export const CampaignDomains = Type.Object(
  {
    object: Type.Literal("campaign_domains"),
    campaign_id: PublicId("cmp"),
    as_of: Timestamp,
    data: Type.Array(
      Type.Object({
        domain: Type.String({ description: "In ASCII: bücher.example is xn--bcher-kva.example." }),
        provider: Nullable(
          Type.String({
            description:
              "Whose mailboxes its addresses are, as far as that is known; null for a server of its own.",
            examples: ["google"],
          }),
        ),
        ...ofDomain,
      }),
      { description: "Those with the most recipients, the largest first." },
    ),
    providers: Type.Array(
      Type.Object({
        provider: Type.String({ examples: ["google"] }),
        name: Type.String({ examples: ["Gmail and Google Workspace"] }),
        domains: Type.Integer({ description: "How many of the 200 largest domains are its." }),
        ...ofDomain,
      }),
      {
        description:
          "The same mail by mailbox provider, the largest first, however many domains are told apart. Domains of no known provider are in none.",
      },
    ),
    other: Type.Object(ofDomain, {
      description:
        "All other domains together, and recipients whose subscriber was deleted before it was counted.",
    }),
  },
  {
    title: "CampaignDomains",
    description:
      "`data` and `other` sum up to the campaign's statistics: what became of its mail as of `as_of`; opens, clicks, complaints and, once all " +
      "was sent, bounces that came later as mail as of the request, because they go on long after the last mail was sent.",
  },
);

const NOTHING = {
  recipients: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
  hard: 0,
  soft: 0,
  block: 0,
  returned: 0,
  complaints: 0,
};
type Counts = Omit<DomainCounts, "domain">;

type CountedDomains = {
  readonly asOf: Date;
  readonly domains: readonly DomainCounts[];
  readonly engagement: DomainEngagement;
  /** By domain, where it is known. */
  readonly providers: ReadonlyMap<string, { readonly key: string; readonly name: string }>;
};

/** Shows the `limit` largest domains by themselves, and the sum of the others. */
export function shapeDomains(
  campaignId: string,
  { asOf, domains, engagement: { totals, byDomain, mode }, providers }: CountedDomains,
  limit: number,
): Static<typeof CampaignDomains> {
  const named = domains.filter(({ domain }) => domain !== "");
  const largestFirst = named.toSorted(
    (one, other) => other.recipients - one.recipients || (one.domain < other.domain ? -1 : 1),
  );
  const others = [...largestFirst.slice(limit), ...domains.filter(({ domain }) => domain === "")];
  const shown = largestFirst.slice(0, limit);
  const sumsOf = ({ domain }: DomainCounts) => byDomain.get(domain) ?? NO_SUMS;
  const sumsOfOthers = shown.reduce((left, one) => addSums(left, sumsOf(one), -1), totals);
  return {
    object: "campaign_domains",
    campaign_id: campaignId,
    as_of: asOf.toISOString(),
    data: shown.map((one) => ({
      domain: one.domain,
      provider: providers.get(one.domain)?.key ?? null,
      ...shapeCounts(one, sumsOf(one), mode),
    })),
    providers: shapeProviders(),
    other: shapeCounts(others.reduce<Counts>(add, NOTHING), sumsOfOthers, mode),
  };

  function shapeProviders() {
    const known = largestFirst.filter(({ domain }) => providers.has(domain));
    const groups = [...Map.groupBy(known, ({ domain }) => providers.get(domain)?.key ?? "")];
    return groups
      .map(([provider, own]) => ({
        provider,
        name: providers.get(own[0]?.domain ?? "")?.name ?? provider,
        domains: own.length,
        ...shapeCounts(
          own.reduce<Counts>(add, NOTHING),
          own.reduce((sums, one) => addSums(sums, sumsOf(one)), NO_SUMS),
          mode,
        ),
      }))
      .sort((one, other) => other.recipients - one.recipients || (one.provider < other.provider ? -1 : 1));
  }
}

function add(one: Counts, other: Counts): Counts {
  const keys = Object.keys(NOTHING) as (keyof typeof NOTHING)[];
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as Counts;
}

function shapeCounts(
  { recipients, sent, deferred, failed, unknown, skipped, returned, complaints, ...kinds }: Counts,
  engagement: Sums,
  mode: DomainEngagement["mode"],
) {
  const { hard, soft, block } = kinds;
  const delivered = Math.max(0, sent - returned);
  const bounces = { hard, soft, block, total: hard + soft + block };
  return {
    recipients,
    queued: recipients - sent - failed - unknown - skipped,
    sent,
    delivered,
    deferred,
    failed,
    unknown,
    skipped,
    bounces,
    complaints,
    ...shapeTraffics(mode, engagement),
    rates: {
      delivery: rate(delivered, sent + failed),
      bounce: rate(bounces.total, sent + failed),
      complaint: rate(complaints, delivered),
      ...seenRates(mode, engagement, delivered),
    },
  };
}

const Bucket = Type.Object({
  start: Timestamp,
  end: Timestamp,
  sent: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
  skipped: Type.Integer(),
  bounces: Bounces,
  unsubscribes: Type.Integer(),
  opens: Type.Integer({
    description:
      "Opens by people, as the pixel tells of them. One that only a click tells of is in the statistics and not here.",
  }),
  clicks: Type.Integer({ description: "Clicks by people." }),
  machine_opens: Type.Integer({ description: "Opens by machines, which are in no rate." }),
  machine_clicks: Type.Integer({ description: "Clicks by machines." }),
});
type Bucket = Static<typeof Bucket>;

export const CampaignTimeseries = Type.Object(
  {
    object: Type.Literal("campaign_timeseries"),
    campaign_id: PublicId("cmp"),
    interval: oneOf(["hour", "day"]),
    time_zone: TimeZone,
    as_of: Timestamp,
    data: Type.Array(Bucket, {
      description: "One after the other without a gap, those in which nothing happened too.",
    }),
    has_more: Type.Boolean({
      description: `Something happened later than the last of the ${MOST_BUCKETS} buckets: ask on with \`from\`.`,
    }),
  },
  { title: "CampaignTimeseries" },
);

export type Range = {
  readonly interval: Interval;
  readonly timeZone: string;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
};

/** Spans from the first thing that happened to the last, unless the request says otherwise. Where nothing happened it is undefined. */
export function fillBuckets(quarters: readonly QuarterStats[], range: Range) {
  const from = range.from ?? quarters[0]?.at;
  const to = range.to ?? quarters.at(-1)?.at;
  if (!from || !to || to < from) return { data: [], hasMore: false };
  const starts = bucketStarts(range.interval, range.timeZone, { from, to });
  const end = starts.at(-1) as Date;
  if (range.to && end <= range.to) throw tooMany(range.interval);
  const buckets = starts.slice(1).map((next, at) => emptyBucket(starts[at] as Date, next));
  let at = 0;
  for (const quarter of quarters) {
    if (quarter.at < (starts[0] as Date) || quarter.at >= end) continue;
    while (quarter.at >= (starts[at + 1] as Date)) at++;
    addTo(buckets[at] as Bucket, quarter);
  }
  return { data: buckets, hasMore: range.to === undefined && quarters.some((one) => one.at >= end) };
}

function tooMany(interval: Interval): AppError {
  const detail = `there are over ${MOST_BUCKETS} ${interval}s between from and to`;
  return new AppError(invalidQuery, detail, { faults: [{ parameter: "to", code: "too_many", detail }] });
}

function emptyBucket(start: Date, end: Date): Bucket {
  return {
    start: start.toISOString(),
    end: end.toISOString(),
    sent: 0,
    failed: 0,
    unknown: 0,
    skipped: 0,
    bounces: { hard: 0, soft: 0, block: 0, total: 0 },
    unsubscribes: 0,
    opens: 0,
    clicks: 0,
    machine_opens: 0,
    machine_clicks: 0,
  };
}

const COUNTED = [
  "sent",
  "failed",
  "unknown",
  "skipped",
  "unsubscribes",
  "opens",
  "clicks",
  "machine_opens",
  "machine_clicks",
] as const;

function addTo(bucket: Bucket, quarter: QuarterStats): void {
  for (const what of COUNTED) bucket[what] += quarter[what];
  for (const kind of ["hard", "soft", "block"] as const) {
    bucket.bounces[kind] += quarter[kind];
    bucket.bounces.total += quarter[kind];
  }
}
