/**
 * Says in SQL who shows no sign of life. What can't be seen is held against nobody: mail counts only where a click in it could have been
 * seen, and an open is asked for only to acquit. Each look is a scalar subquery by a key, which the server can't turn into a join.
 */
import type { Ctx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import type { SentCampaigns, SentSource } from "../engagement/engagement.ts";
import { whyNotMailable } from "../mailable.ts";

const DAY_MS = 24 * 3_600_000;
/** People don't read mail in the hour in which it comes: what is younger is held against nobody. */
const TIME_TO_READ_MS = 3 * DAY_MS;

/** What is asked of everybody on a list, and the campaigns that were sent to it in those days. */
export type Judgement = {
  readonly since: Date;
  /** Mail that was launched later can acquit, and doesn't count. */
  readonly countedUntil: Date;
  readonly mails: number;
  readonly sources: readonly SentSource[];
  readonly wasSentAtLeast: SentCampaigns["wasSentAtLeast"];
};

export async function findJudgement(
  { sql: db, accountId, clock }: Ctx,
  sent: SentCampaigns,
  listId: string,
  { days, mails }: { readonly days: number; readonly mails: number },
): Promise<Judgement> {
  const now = clock.now();
  const since = new Date(now.getTime() - days * DAY_MS);
  const all = await sent.ofLists(db, accountId, [listId], now, "by links");
  const sources = all.filter(({ launchedAt }) => launchedAt > since);
  const countedUntil = new Date(now.getTime() - TIME_TO_READ_MS);
  return { since, countedUntil, mails, sources, wasSentAtLeast: sent.wasSentAtLeast };
}

/** A condition on `subscribers s`: may be mailed, is there for long enough, and isn't marked or lately woken. */
function canBeJudged({ since }: Judgement): Sql {
  return sql`(s.status = 'active' and greatest(s.created_at, s.consented_at, s.confirmed_at) <= ${since}
    and ((
      select z.state <> 'woken' or z.changed_at > ${since} from dormancies z
      where z.account_id = s.account_id and z.subscriber_id = s.id) is not true)
    and ${whyNotMailable} is null)`;
}

/**
 * A condition on `subscribers s`: was sent enough mail whose clicks can be seen. Mail of before an answer about tracking can't be judged,
 * since what was seen of it may be deleted, and mail in the sandbox was never before anybody's eyes.
 */
export function hasEnoughMail({ sources, countedUntil, mails, wasSentAtLeast }: Judgement): Sql {
  const seenSince = sql`greatest(s.created_at, s.tracking_consent_at)`;
  const of = (...seen: readonly SentSource["clicks"][]) =>
    wasSentAtLeast(
      sources.filter(({ clicks, launchedAt }) => seen.includes(clicks) && launchedAt <= countedUntil),
      mails,
      { since: seenSince, withoutSandbox: true },
    );
  return sql`(case when s.tracking_consent is null then ${of("all")}
    when s.tracking_consent then ${of("all", "consenting")} else false end)`;
}

/**
 * A condition on `subscribers s`: a person opened or clicked, answered, chose topics or did something elsewhere since then. A refusal on
 * another list deletes the last times, so what is known of this list's mail is asked too.
 */
export function hasSignOfLife({ sources }: Pick<Judgement, "sources">, since: Sql): Sql {
  const campaignIds = [...new Set(sources.map(({ campaignId }) => campaignId))];
  return sql`((
      select greatest(e.last_human_open_at, e.last_human_click_at) > ${since} from contact_engagements e
      where e.account_id = s.account_id and e.contact_id = s.contact_id) is true
    or (
      select true from campaign_engagements f
      where f.account_id = s.account_id and f.contact_id = s.contact_id and f.campaign_id = any(${campaignIds}::uuid[])
        and (f.human_opened or f.human_clicked) limit 1) is true
    or (
      select true from consents c
      where c.account_id = s.account_id and c.subscriber_id = s.id and c.created_at > ${since} limit 1) is true
    or (
      select true from topic_choices t
      where t.account_id = s.account_id and t.contact_id = s.contact_id and t.at > ${since} limit 1) is true
    or (
      select true from custom_events o
      where o.account_id = s.account_id and o.subscriber_id = s.id and o.occurred_at > ${since} limit 1) is true)`;
}

/** A condition on `subscribers s`: may be judged, and gives no sign of life. */
export function isSilent(judgement: Judgement): Sql {
  return sql`(${canBeJudged(judgement)} and not ${hasSignOfLife(judgement, sql`${judgement.since}::timestamptz`)})`;
}

/** A condition on `subscribers s`: would be marked now. */
export function isToBeMarked(judgement: Judgement): Sql {
  return sql`(${isSilent(judgement)} and ${hasEnoughMail(judgement)})`;
}
