/** Finds out, before a rule is compiled, which mail its conditions about engagement are about. */
import type { Ctx } from "../../platform/context.ts";
import type { SentCampaigns, SentSource } from "../engagement/engagement.ts";
import {
  campaignOf,
  type EngagementCondition,
  isMailCount,
  isNegative,
  MOST_CAMPAIGNS,
} from "./engagement-rules.ts";
import { isEngagement, isGroup, type Rule } from "./rules.ts";
import { namesOfLists } from "./segment-store.ts";

/** A campaign with its sources. */
export type SentCampaign = { readonly id: string; readonly sources: readonly SentSource[] };

export type KnownSources = {
  readonly ofCampaign: (id: string) => readonly SentSource[];
  /** The last campaigns that were sent to each list, newest first; at most as many as a rule can ask for. */
  readonly byList: ReadonlyMap<string, readonly SentCampaign[]>;
  readonly wasSent: SentCampaigns["wasSent"];
  readonly wasSentSince: SentCampaigns["wasSentSince"];
  readonly wasSentAtLeast: SentCampaigns["wasSentAtLeast"];
  /** What was launched before this time may be gone from the ledger. */
  readonly ledgerSince: Date;
};

/**
 * Returns undefined where a rule asks for no engagement. "The last campaigns" are those to a subscriber's own list that were launched
 * before now: the launch whose audience is asked for isn't among them. Without a list, those of every list are read.
 */
export async function findSources(
  { sql, accountId, clock }: Ctx,
  sent: SentCampaigns,
  rule: Rule,
  listId: string | null,
): Promise<KnownSources | undefined> {
  const conditions = engagementIn(rule);
  if (conditions.length === 0) return undefined;
  const now = clock.now();
  // Mail in which there was nothing to click is held against nobody. It is read from the content, so it is asked only where it counts.
  const asked = asksForNoClick(rule) ? "by links" : undefined;
  const named = [...new Set(conditions.flatMap((one) => campaignOf(one) ?? []))];
  const ofCampaigns = named.length > 0 ? await sent.ofCampaigns(sql, accountId, named, now, asked) : [];
  const needsLists = conditions.some(({ value }) => typeof value === "number" || isMailCount(value));
  const listIds = listId ? [listId] : needsLists ? await allListIds(sql, accountId) : [];
  const ofLists = needsLists ? await sent.ofLists(sql, accountId, listIds, now, asked) : [];
  const byCampaign = Map.groupBy(ofCampaigns, (source) => source.campaignId);
  return {
    ofCampaign: (id) => byCampaign.get(id) ?? [],
    byList: new Map(
      [...Map.groupBy(ofLists, (source) => source.listId ?? "")].map(([id, sources]) => [
        id,
        lastCampaigns(sources),
      ]),
    ),
    wasSent: sent.wasSent,
    wasSentSince: sent.wasSentSince,
    wasSentAtLeast: sent.wasSentAtLeast,
    ledgerSince: new Date(now.getTime() - sent.ledgerMs),
  };
}

export function engagementIn(rule: Rule): EngagementCondition[] {
  if (!isGroup(rule)) return isEngagement(rule) ? [rule] : [];
  if ("not" in rule) return engagementIn(rule.not);
  return ("all" in rule ? rule.all : rule.any).flatMap(engagementIn);
}

/** `isInverted` is true under an odd number of `not`. */
function asksForNoClick(rule: Rule, isInverted = false): boolean {
  if (!isGroup(rule))
    return isEngagement(rule) && rule.field === "clicked" && isNegative(rule.op) !== isInverted;
  if ("not" in rule) return asksForNoClick(rule.not, !isInverted);
  return ("all" in rule ? rule.all : rule.any).some((one) => asksForNoClick(one, isInverted));
}

/** The sources come newest first, so a campaign stands where its latest source does. */
function lastCampaigns(sources: readonly SentSource[]): SentCampaign[] {
  const byCampaign = Map.groupBy(sources, (source) => source.campaignId);
  return [...byCampaign].slice(0, MOST_CAMPAIGNS).map(([id, own]) => ({ id, sources: own }));
}

async function allListIds(sql: Ctx["sql"], accountId: string): Promise<string[]> {
  return (await namesOfLists(sql, accountId)).map(({ id }) => id);
}
