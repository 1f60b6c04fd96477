/** The opens and clicks of a campaign: of all its mail, and of each of its links. */
import { type Static, Type } from "typebox";
import { listSourceRevisions, type QuarterCounts, readQuarters } from "../../delivery/delivery.ts";
import { readLinkUrls, readTrackingModes, type TrackingMode } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { Nullable, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { readLinkSums, readQuarterSums, readTotals, type Sums } from "../../tracking/tracking.ts";

/** What every number of recipients says about the modes of tracking. */
export const UNIQUE_IN_MODES =
  "null where nobody was tracked in person (`tracking` aggregate or off); where it was consented, of those who agreed.";

export const CampaignLinks = Type.Object(
  {
    object: Type.Literal("campaign_links"),
    campaign_id: PublicId("cmp"),
    as_of: Timestamp,
    data: Type.Array(
      Type.Object({
        url: Type.String(),
        position: Type.Integer({ description: "Where it first stands in the mail: 1 for the first link." }),
        total: Type.Integer({ description: "Clicks by people and machines." }),
        unique: Nullable(
          Type.Integer({
            description: `Recipients who clicked it, machines in their name included. ${UNIQUE_IN_MODES}`,
          }),
        ),
        human: Nullable(
          Type.Integer({ description: `Recipients who clicked it in person. ${UNIQUE_IN_MODES}` }),
        ),
        machine: Type.Integer({ description: "Clicks by machines." }),
      }),
      { description: "In the order in which they stand in the mail; each address once." },
    ),
  },
  { title: "CampaignLinks" },
);
type LinkStats = Static<typeof CampaignLinks>["data"][number];

export type Engagement = {
  /** How its mail was tracked: the mode that says least, if it had several; null before it was launched. */
  readonly mode: TrackingMode | null;
  readonly totals: Awaited<ReturnType<typeof readTotals>>;
  readonly links: readonly LinkStats[];
};

/** A campaign that was edited after a failure has several sources, each with links of its own: an address is counted once. */
export async function readEngagement({ sql, accountId }: Ctx, campaignId: string): Promise<Engagement> {
  const sources = await listSourceRevisions(sql, accountId, campaignId);
  const ids = sources.map(({ id }) => id);
  const [totals, modes] = await Promise.all([
    readTotals(sql, accountId, ids),
    readTrackingModes(
      sql,
      sources.map(({ revisionId }) => ({ accountId, revisionId })),
    ),
  ]);
  const mode = LEAST_FIRST.find((one) => [...modes.values()].includes(one)) ?? null;
  const byUrl = new Map<string, CountedLink>();
  for (const { id, revisionId } of sources) {
    const [urls, sums] = await Promise.all([
      readLinkUrls(sql, accountId, revisionId),
      readLinkSums(sql, accountId, id),
    ]);
    for (const [number, url] of urls.entries()) {
      if (url !== null) byUrl.set(url, addLink(byUrl.get(url), number, url, sums.get(number)));
    }
  }
  const links = [...byUrl.values()].map((link) =>
    seesPeople(mode) ? link : { ...link, unique: null, human: null },
  );
  return { mode, totals, links };
}

const LEAST_FIRST: readonly TrackingMode[] = ["off", "aggregate", "consented", "individual"];

/** Whether the numbers of recipients mean something. Before a launch they are zero. */
export function seesPeople(mode: TrackingMode | null): boolean {
  return mode !== "aggregate" && mode !== "off";
}

type CountedLink = LinkStats & { readonly unique: number; readonly human: number };

function addLink(
  known: CountedLink | undefined,
  number: number,
  url: string,
  sums: Sums | undefined,
): CountedLink {
  const { clicks = 0, clickers = 0, humanClicks = 0, humanClickers = 0 } = sums ?? {};
  return {
    url,
    position: known?.position ?? number + 1,
    total: (known?.total ?? 0) + clicks,
    unique: (known?.unique ?? 0) + clickers,
    human: (known?.human ?? 0) + humanClickers,
    machine: (known?.machine ?? 0) + clicks - humanClicks,
  };
}

export type QuarterStats = QuarterCounts & { readonly opens: number; readonly clicks: number };

const NOTHING_SENT = {
  sent: 0,
  failed: 0,
  unknown: 0,
  skipped: 0,
  hard: 0,
  soft: 0,
  block: 0,
  unsubscribes: 0,
};

/** What became of a campaign's mail, and what came back, by the quarter of an hour; opens and clicks are those of people. */
export async function readAllQuarters({ sql, accountId }: Ctx, campaignId: string): Promise<QuarterStats[]> {
  const sources = await listSourceRevisions(sql, accountId, campaignId);
  const [sent, seen] = await Promise.all([
    readQuarters(sql, accountId, campaignId),
    readQuarterSums(
      sql,
      accountId,
      sources.map(({ id }) => id),
    ),
  ]);
  const byTime = new Map<number, QuarterStats>();
  for (const quarter of sent) byTime.set(quarter.at.getTime(), { ...quarter, opens: 0, clicks: 0 });
  for (const { at, sums } of seen) {
    const known = byTime.get(at.getTime()) ?? { ...NOTHING_SENT, at };
    byTime.set(at.getTime(), { ...known, opens: sums.humanOpens, clicks: sums.humanClicks });
  }
  return [...byTime.values()].sort((one, other) => one.at.getTime() - other.at.getTime());
}
