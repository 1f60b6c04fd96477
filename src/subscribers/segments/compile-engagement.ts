/**
 * Makes conditions about engagement into SQL on `subscribers s`. Every look into another table is a scalar subquery by a primary
 * key: the server can't turn it into a join, so that a slice of a launch stays cheap whatever it believes about the tables.
 */
import { join, type Sql, sql } from "../../platform/db/db.ts";
import { linkKeyOf, type SentSource } from "../engagement/engagement.ts";
import {
  campaignOf,
  type EngagementCondition,
  isLink,
  isMailCount,
  isNegative,
  positiveOf,
} from "./engagement-rules.ts";
import type { KnownSources, SentCampaign } from "./sent-sources.ts";

type Options = { readonly known: KnownSources; readonly now: Date };

const NOBODY = sql`false`;

/** `isInverted` is true under an odd number of `not`: the condition then becomes its own opposite, which is as careful. */
export function compileEngagement(
  condition: EngagementCondition,
  isInverted: boolean,
  options: Options,
): Sql {
  const wantsNone = isNegative(condition.op) !== isInverted;
  if (condition.field === "sent") return compileSent(condition, wantsNone, options);
  return wantsNone ? compileNone(condition, options) : compileAny(condition, options);
}

/** Who "wasn't sent" a campaign won't be sent it either, as far as is known. Of what the ledger forgot, nobody can say. */
function compileSent(condition: EngagementCondition, wantsNone: boolean, { known, now }: Options): Sql {
  const { value } = condition;
  if (isMailCount(value)) {
    const since = new Date(now.getTime() - value.days * DAY_MS);
    const isEnough = ofOwnList(known, (campaigns) =>
      known.wasSentAtLeast(
        launchedSince(campaigns, since).flatMap(({ sources }) => sources),
        value.mails,
      ),
    );
    return wantsNone ? sql`(not ${isEnough})` : isEnough;
  }
  const sources = known.ofCampaign(campaignOf(condition) ?? "");
  if (!wantsNone) return known.wasSent(idsOf(sources));
  if (sources.some(({ launchedAt }) => launchedAt < known.ledgerSince)) return NOBODY;
  return sql`(not ${known.wasSent(idsOf(sources), "may be")})`;
}

function compileAny(condition: EngagementCondition, { known, now }: Options): Sql {
  switch (positiveOf(condition.op)) {
    case "any_of_last":
      return ofOwnList(known, (campaigns) =>
        hasDone(idsOf(campaigns.slice(0, Number(condition.value))), action(condition)),
      );
    case "in_last_days":
      return contactIs(lastActionSince(condition, now));
    default:
      return hasDone([campaignOf(condition) ?? ""], action(condition));
  }
}

/**
 * Somebody who did nothing of the kind, though mail was sent to them in which it could have been seen. Where programs fetch images
 * ahead of the reader, no open can be seen, so that only clicks are judged.
 */
function compileNone(condition: EngagementCondition, { known, now }: Options): Sql {
  const isOpen = condition.field === "opened";
  const seen = isOpen ? "opens" : "clicks";
  const notHidden = isOpen ? sql`not ${contactIs(isHidden)}` : sql`true`;
  const done = isOpen ? sql`(${action(condition)} or f.prefetched)` : action(condition);
  const noneOf = (campaigns: readonly SentCampaign[]) => sql`(
    ${wasSentAndSeen(
      campaigns.flatMap(({ sources }) => sources),
      seen,
      known,
    )} and not ${hasDone(idsOf(campaigns), done)} and ${notHidden})`;
  switch (positiveOf(condition.op)) {
    case "any_of_last":
      return ofOwnList(known, (campaigns) => noneOf(campaigns.slice(0, Number(condition.value))));
    case "in_last_days": {
      const since = new Date(now.getTime() - Number(condition.value) * DAY_MS);
      // A refusal on another list deletes the last times, so what is known of this list's mail of those days is asked too.
      const ofThoseDays = ofOwnList(known, (campaigns) => noneOf(launchedSince(campaigns, since)));
      return sql`(not ${contactIs(lastActionSince(condition, now))} and ${ofThoseDays})`;
    }
    default: {
      const id = campaignOf(condition) ?? "";
      return noneOf([{ id, sources: known.ofCampaign(id) }]);
    }
  }
}

function launchedSince(campaigns: readonly SentCampaign[], since: Date): SentCampaign[] {
  return campaigns.flatMap(({ id, sources }) => {
    const some = sources.filter(({ launchedAt }) => launchedAt > since);
    return some.length > 0 ? [{ id, sources: some }] : [];
  });
}

const DAY_MS = 24 * 3_600_000;

/** What counts as having done it, in a row `f` of campaign_engagements. Such a row is there for whatever was opened at all. */
function action({ field, value, machines }: EngagementCondition): Sql {
  if (isLink(value)) {
    const links = machines ? sql`f.links` : sql`f.human_links`;
    return sql`${linkKeyOf(value.url)}::bigint = any(${links})`;
  }
  if (field === "opened") return machines ? sql`true` : sql`f.human_opened`;
  return machines ? sql`f.clicked` : sql`f.human_clicked`;
}

/** The same in a row `e` of contact_engagements, within the days that the condition names. */
function lastActionSince({ field, value, machines }: EngagementCondition, now: Date): Sql {
  const opened = machines ? sql`e.last_open_at` : sql`e.last_human_open_at`;
  const clicked = machines ? sql`e.last_click_at` : sql`e.last_human_click_at`;
  const since = sql`${now}::timestamptz - make_interval(hours => 24 * ${value}::int)`;
  return sql`${field === "opened" ? opened : clicked} > ${since}`;
}

/** All that was seen of this contact since a person last opened is what a program fetched ahead. */
const isHidden = sql`e.last_prefetch_at > coalesce(e.last_human_open_at, '-infinity')`;

function contactIs(test: Sql): Sql {
  return sql`((
    select ${test} from contact_engagements e
    where e.account_id = s.account_id and e.contact_id = s.contact_id) is true)`;
}

function hasDone(campaignIds: readonly string[], test: Sql): Sql {
  if (campaignIds.length === 0) return NOBODY;
  return sql`((
    select true from campaign_engagements f
    where f.account_id = s.account_id and f.contact_id = s.contact_id and f.campaign_id = any(${[...campaignIds]}::uuid[])
      and ${test} limit 1) is true)`;
}

/** One of these was sent to the subscriber, and what the subscriber does with it can be seen. */
function wasSentAndSeen(sources: readonly SentSource[], what: "opens" | "clicks", known: KnownSources): Sql {
  const by = (seen: "all" | "consenting") => {
    const some = sources.filter((source) => source[what] === seen);
    return some.length > 0 ? [sql`(${isSeen(seen)} and ${known.wasSentSince(some, seenSince)})`] : [];
  };
  return either([...by("all"), ...by("consenting")]);
}

/** Who is seen in mail that is tracked for all but those who refused, or only for those who agreed. */
function isSeen(seen: "all" | "consenting"): Sql {
  return seen === "all" ? sql`s.tracking_consent is not false` : sql`s.tracking_consent is true`;
}

/**
 * Mail of before can't be judged: it went out when the subscriber had answered otherwise, or what was seen of it was deleted, by a
 * refusal or with the subscriber who had this address then.
 */
const seenSince = sql`greatest(s.created_at, s.tracking_consent_at)`;

/** A condition for the campaigns of the list that a subscriber is on, whichever lists are looked at. */
function ofOwnList(known: KnownSources, compile: (campaigns: readonly SentCampaign[]) => Sql): Sql {
  return either(
    [...known.byList].map(
      ([listId, campaigns]) => sql`(s.list_id = ${listId}::uuid and ${compile(campaigns)})`,
    ),
  );
}

function either(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? NOBODY : sql`(${join([...conditions], " or ")})`;
}

function idsOf(all: readonly { readonly id: string }[]): string[] {
  return all.map(({ id }) => id);
}
