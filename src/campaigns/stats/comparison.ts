/** A campaign beside the last ones of its account: where its rates lie, and where theirs usually do. */
import { type Static, Type } from "typebox";
import { type EarlierOwner, listEarlierOwners, readLaunch, readOutcomes } from "../../delivery/delivery.ts";
import { readVisibility } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { Nullable, oneOf, PublicId, Timestamp } from "../../platform/http/schemas.ts";
import { toPublicId } from "../../platform/ids.ts";
import { NO_TOTALS, rate, readTotalsOfGroups } from "../../tracking/tracking.ts";
import { COMPARED_RATES, type ComparedRate, compare, LEAST_COMPARED, STANDINGS } from "./comparison-rules.ts";

const MOST_COMPARED = 10;
/** Most opens and clicks come in the first two days; before that, fewer than usual means nothing. */
const SETTLED_MS = 48 * 3_600_000;

export const CampaignComparison = Type.Object(
  {
    object: Type.Literal("campaign_comparison"),
    campaign_id: PublicId("cmp"),
    as_of: Timestamp,
    basis: Type.Unsafe<"list" | "account" | null>({
      type: ["string", "null"],
      enum: ["list", "account", null],
      description: `Whose campaigns they are: the same list's where it has ${LEAST_COMPARED}, else the account's. null where there are fewer.`,
    }),
    compared_with: Type.Array(Type.Object({ campaign_id: PublicId("cmp"), launched_at: Timestamp }), {
      description: `The last ${MOST_COMPARED} that were sent before it and left the same way, by a server or into the sandbox.`,
    }),
    data: Type.Array(
      Type.Object({
        rate: oneOf(COMPARED_RATES, { description: "As in the campaign's statistics." }),
        value: Type.Number({ description: "This campaign's." }),
        band: Type.Object(
          { from: Type.Number(), to: Type.Number() },
          {
            description:
              "Where those of the others usually lie: without the outermost tenth on either side, and at least a tenth around their average.",
          },
        ),
        lowest: Type.Number({ description: "The lowest of the others." }),
        highest: Type.Number({ description: "The highest of the others." }),
        average: Type.Number({ description: "The average of the others." }),
        standing: oneOf(STANDINGS, {
          description:
            "Within the band, above it, or below it; early where it isn't above and, in the first 48 hours, more will come.",
        }),
        since: Nullable(Timestamp),
      }),
      {
        description:
          "The rates that can be compared. Where opens and clicks aren't tracked in person they are left out; `since` is when the last " +
          "of the others was launched that was at least as high, or as low, and null where none was.",
      },
    ),
  },
  { title: "CampaignComparison" },
);
type CampaignComparison = Static<typeof CampaignComparison>;

export async function compareWithEarlier(ctx: Ctx, campaignId: string): Promise<CampaignComparison> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  const nothing = {
    object: "campaign_comparison" as const,
    campaign_id: toPublicId("cmp", campaignId),
    as_of: now.toISOString(),
    basis: null,
    compared_with: [],
    data: [],
  };
  const launch = await readLaunch(sql, accountId, campaignId);
  if (!launch) return nothing;
  const [ofList, ofAccount] = await Promise.all(
    (["list", "account"] as const).map((of) =>
      listEarlierOwners(sql, accountId, launch, { of, limit: MOST_COMPARED }),
    ),
  );
  const basis = (ofList ?? []).length >= LEAST_COMPARED ? "list" : "account";
  const earlier = (basis === "list" ? ofList : ofAccount) ?? [];
  if (earlier.length < LEAST_COMPARED) return nothing;
  const rates = await readRates(ctx, [campaignId, ...earlier.map(({ id }) => id)]);
  const isSettled = now.getTime() - launch.at.getTime() >= SETTLED_MS;
  return {
    ...nothing,
    basis,
    compared_with: earlier.map(({ id, launchedAt }) => ({
      campaign_id: toPublicId("cmp", id),
      launched_at: launchedAt.toISOString(),
    })),
    data: COMPARED_RATES.flatMap((name) => {
      const value = rates.get(campaignId)?.[name];
      if (value === undefined || value === null) return [];
      // Bounces come with the mail, so that theirs is known at once.
      const found = compare(value, valuesOf(earlier, rates, name), {
        isSettled: isSettled || name === "bounce",
      });
      return found ? [{ rate: name, ...found, since: found.since?.toISOString() ?? null }] : [];
    }),
  };
}

/** A rate that can't be known, because opens or clicks weren't seen of everybody, is null. */
type Rates = Readonly<Record<ComparedRate, number | null>>;

function valuesOf(earlier: readonly EarlierOwner[], rates: ReadonlyMap<string, Rates>, name: ComparedRate) {
  return earlier.flatMap(({ id, launchedAt }) => {
    const value = rates.get(id)?.[name];
    return value === undefined || value === null ? [] : [{ at: launchedAt, value }];
  });
}

/** The rates of many campaigns by a few statements, however many they are. They are those of the statistics. */
async function readRates(
  { sql, accountId }: Ctx,
  campaignIds: readonly string[],
): Promise<Map<string, Rates>> {
  const sources = await readOutcomes(sql, accountId, campaignIds);
  const [totals, visibility] = await Promise.all([
    readTotalsOfGroups(
      sql,
      accountId,
      sources.map(({ id, ownerId }) => ({ id, group: ownerId })),
    ),
    readVisibility(
      sql,
      accountId,
      sources.map(({ revisionId }) => revisionId),
    ),
  ]);
  const byCampaign = Map.groupBy(sources, ({ ownerId }) => ownerId);
  return new Map(
    [...byCampaign].map(([id, own]) => {
      const sum = (pick: (source: (typeof own)[number]) => number) =>
        own.reduce((all, source) => all + pick(source), 0);
      const delivered = sum(({ sent, returned }) => Math.max(0, sent - returned));
      const isSeen = (what: "opens" | "clicks") =>
        own.every(({ revisionId }) => visibility.get(revisionId)?.[what] === "all");
      const { humanOpeners: openers, humanClickers: clickers } = totals.get(id) ?? NO_TOTALS;
      return [
        id,
        {
          open: isSeen("opens") ? rate(openers, delivered) : null,
          click: isSeen("clicks") ? rate(clickers, delivered) : null,
          unsubscribe: rate(
            sum(({ unsubscribed }) => unsubscribed),
            delivered,
          ),
          bounce: rate(
            sum(({ bounced }) => bounced),
            sum(({ sent, failed }) => sent + failed),
          ),
        },
      ];
    }),
  );
}
