/** The opens and clicks of a campaign: of all its mail, and of each of its links. */
import { type Static, Type } from "typebox";
import {
  listManySourceRevisions,
  listSourceRevisions,
  type QuarterCounts,
  readQuarters,
} from "../../delivery/delivery.ts";
import {
  type FrozenLink,
  readFrozenLinks,
  readFrozenWords,
  readTrackingModes,
  type TrackingMode,
} from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { Nullable, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import {
  type DomainSums,
  leastOf,
  type MailEngagement,
  NO_TOTALS,
  readDomainSums,
  readLinkSums,
  readModesOfGroups,
  readQuarterSums,
  readTotals,
  readTotalsOfGroups,
  readUrlSums,
  type Sums,
  seesPeople,
  UNIQUE_IN_MODES,
} from "../../tracking/tracking.ts";

const clicks = {
  position: Type.Integer({ description: "Where it stands in the mail: 1 for the first link." }),
  total: Type.Integer({ description: "Clicks by people and machines." }),
  unique: Nullable(
    Type.Integer({
      description: `Recipients who clicked it, machines in their name included. ${UNIQUE_IN_MODES}`,
    }),
  ),
  human: Nullable(Type.Integer({ description: `Recipients who clicked it in person. ${UNIQUE_IN_MODES}` })),
  machine: Type.Integer({ description: "Clicks by machines." }),
};

export const CampaignLinks = Type.Object(
  {
    object: Type.Literal("campaign_links"),
    campaign_id: PublicId("cmp"),
    as_of: Timestamp,
    data: Type.Array(
      Type.Object({
        url: Type.String({
          description:
            "As its author wrote it, without the campaign's UTM parameters; Liquid in it is rendered at the click.",
        }),
        text: Nullable(
          Type.String({
            description:
              "What it says in the mail, where it first says something: its text, or its picture's description. Liquid is a `…`.",
          }),
        ),
        ...clicks,
        positions: Type.Array(Type.Object({ text: Nullable(Type.String()), ...clicks }), {
          description:
            "Each place where it stands, by itself. Whoever clicked in two places is one recipient above.",
        }),
      }),
      { description: "In the order in which they stand in the mail; each address once." },
    ),
  },
  { title: "CampaignLinks" },
);
type LinkStats = Static<typeof CampaignLinks>["data"][number];

export type Engagement = MailEngagement & { readonly links: readonly LinkStats[] };

/** A campaign that was edited after a failure has several sources, each with links of its own: an address is counted once. */
export async function readEngagement(
  { sql, accountId }: Ctx,
  campaignId: string,
  withWords = false,
): Promise<Engagement> {
  const sources = await listSourceRevisions(sql, accountId, campaignId);
  const ids = sources.map(({ id }) => id);
  const [totals, mode] = await Promise.all([
    readTotals(sql, accountId, ids),
    readMode(sql, accountId, sources),
  ]);
  const byUrl = new Map<string, CountedLink>();
  for (const { id, revisionId } of sources) {
    const [{ links }, ofLinks, ofUrls, words] = await Promise.all([
      readFrozenLinks(sql, accountId, revisionId),
      readLinkSums(sql, accountId, id),
      readUrlSums(sql, accountId, id),
      withWords ? readFrozenWords(sql, accountId, revisionId) : NO_WORDS,
    ]);
    for (const one of listUrls(links, { ofLinks, ofUrls, words }))
      byUrl.set(one.url, addUp(byUrl.get(one.url), one));
  }
  const links = [...byUrl.values()].map((link) => (seesPeople(mode) ? link : withoutPeople(link)));
  return { mode, totals, links };
}

/** Reads the same of many campaigns, without their links, by as many statements as for one. One that was never launched is left out. */
export async function readManyEngagements(
  { sql, accountId }: Ctx,
  campaignIds: readonly string[],
): Promise<Map<string, MailEngagement>> {
  const sources = await listManySourceRevisions(sql, accountId, campaignIds);
  const groups = sources.map(({ id, ownerId, revisionId }) => ({ id, revisionId, group: ownerId }));
  const [totals, modes] = await Promise.all([
    readTotalsOfGroups(sql, accountId, groups),
    readModesOfGroups(sql, accountId, groups),
  ]);
  return new Map([...modes].map(([id, mode]) => [id, { mode, totals: totals.get(id) ?? NO_TOTALS }]));
}

/** The mode that says least of those that these sources were sent in; null where there is none. */
async function readMode(
  db: Queryable,
  accountId: string,
  sources: readonly { readonly revisionId: string }[],
): Promise<TrackingMode | null> {
  const revisions = sources.map(({ revisionId }) => ({ accountId, revisionId }));
  return leastOf([...(await readTrackingModes(db, revisions)).values()]);
}

function withoutPeople({ positions, ...link }: CountedLink): LinkStats {
  const hidden = { unique: null, human: null };
  return { ...link, ...hidden, positions: positions.map((one) => ({ ...one, ...hidden })) };
}

const NO_WORDS: ReadonlyMap<number, string> = new Map();

/** What is known of the links of a source by their numbers, and of addresses by the number of their first link. */
type OfNumbers = {
  readonly ofLinks: ReadonlyMap<number, Sums>;
  readonly ofUrls: ReadonlyMap<number, Sums>;
  readonly words: ReadonlyMap<number, string>;
};

/** Lists the addresses of a source in the order of the mail. No person sees the honeypot, so it isn't a link here. */
function listUrls(links: readonly FrozenLink[], { ofLinks, ofUrls, words }: OfNumbers): CountedLink[] {
  const byGroup = new Map<number, CountedLink>();
  let position = 0;
  for (const [number, link] of links.entries()) {
    if (link.kind === "honeypot") continue;
    position++;
    if (link.kind === "untracked") continue;
    const text = words.get(number) ?? null;
    const here = { position, text, ...toClicks(ofLinks.get(number)) };
    const known = byGroup.get(link.group);
    if (known) {
      known.positions.push(here);
      known.text ??= text;
    } else {
      const ofUrl = toClicks(ofUrls.get(link.group) ?? ofLinks.get(number));
      byGroup.set(link.group, { url: link.url, position, text, ...ofUrl, positions: [here] });
    }
  }
  return [...byGroup.values()];
}

function toClicks(sums: Sums | undefined) {
  const { clicks: total = 0, clickers = 0, humanClicks = 0, humanClickers = 0 } = sums ?? {};
  return { total, unique: clickers, human: humanClickers, machine: total - humanClicks };
}

function addUp(known: CountedLink | undefined, more: CountedLink): CountedLink {
  if (!known) return more;
  const places = new Map(known.positions.map((one) => [one.position, one]));
  for (const one of more.positions)
    places.set(one.position, addClicks(places.get(one.position) ?? NONE, one));
  const positions = [...places.values()].sort((one, other) => one.position - other.position);
  return { ...addClicks(known, more), url: known.url, positions };
}

type Clicks = {
  position: number;
  text: string | null;
  total: number;
  unique: number;
  human: number;
  machine: number;
};
const NONE: Clicks = { position: 0, text: null, total: 0, unique: 0, human: 0, machine: 0 };
type CountedLink = Clicks & { readonly url: string; readonly positions: Clicks[] };

function addClicks(one: Clicks, other: Clicks): Clicks {
  return {
    position: one.position || other.position,
    text: one.text ?? other.text,
    total: one.total + other.total,
    unique: one.unique + other.unique,
    human: one.human + other.human,
    machine: one.machine + other.machine,
  };
}

/** The opens and clicks of all of a campaign's mail, and of each recipient domain. */
export async function readDomainEngagement(
  { sql, accountId }: Ctx,
  campaignId: string,
): Promise<DomainEngagement> {
  const sources = await listSourceRevisions(sql, accountId, campaignId);
  const ids = sources.map(({ id }) => id);
  const [sums, mode] = await Promise.all([
    readDomainSums(sql, accountId, ids),
    readMode(sql, accountId, sources),
  ]);
  return { ...sums, mode };
}

export type DomainEngagement = DomainSums & Pick<Engagement, "mode">;

export type QuarterStats = QuarterCounts & {
  readonly opens: number;
  readonly clicks: number;
  readonly machine_opens: number;
  readonly machine_clicks: number;
};

const NOTHING_SEEN = { opens: 0, clicks: 0, machine_opens: 0, machine_clicks: 0 };

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

/** What became of a campaign's mail, and what came back, by the quarter of an hour. */
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
  for (const quarter of sent) byTime.set(quarter.at.getTime(), { ...quarter, ...NOTHING_SEEN });
  for (const { at, sums } of seen) {
    const known = byTime.get(at.getTime()) ?? { ...NOTHING_SENT, at };
    byTime.set(at.getTime(), {
      ...known,
      opens: sums.humanOpens,
      clicks: sums.humanClicks,
      machine_opens: sums.opens - sums.humanOpens,
      machine_clicks: sums.clicks - sums.humanClicks,
    });
  }
  return [...byTime.values()].sort((one, other) => one.at.getTime() - other.at.getTime());
}
