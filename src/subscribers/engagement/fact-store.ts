/** All SQL that writes facts is in this file. Facts are kept of subscribers alone: whoever was forgotten is not written anew. */
import { timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { CampaignFacts, ContactFacts } from "./facts.ts";

/** The index subscribers_by_contact finds it. */
const isSubscriber: Sql = sql`exists (
  select from subscribers s where s.account_id = new.account_id and s.contact_id = new.contact_id)`;

export async function upsertContacts(tx: Tx, facts: readonly ContactFacts[]): Promise<void> {
  if (facts.length === 0) return;
  const times = (pick: (one: ContactFacts) => Date | null) =>
    facts.map((one) => pick(one)?.toISOString() ?? null);
  await tx.execute(sql`
    insert into contact_engagements as known (account_id, contact_id, last_open_at, last_human_open_at, last_click_at,
                                              last_human_click_at, last_prefetch_at)
    select * from unnest(${uuidArray(facts.map((one) => one.accountId))}::uuid[],
      ${uuidArray(facts.map((one) => one.contactId))}::uuid[], ${timeArray(facts.map((one) => one.lastOpenAt))}::timestamptz[],
      ${times((one) => one.lastHumanOpenAt)}::timestamptz[], ${times((one) => one.lastClickAt)}::timestamptz[],
      ${times((one) => one.lastHumanClickAt)}::timestamptz[], ${times((one) => one.lastPrefetchAt)}::timestamptz[])
      as new (account_id, contact_id, last_open_at, last_human_open_at, last_click_at, last_human_click_at, last_prefetch_at)
    where ${isSubscriber}
    on conflict (account_id, contact_id) do update set
      last_open_at = greatest(known.last_open_at, excluded.last_open_at),
      last_human_open_at = greatest(known.last_human_open_at, excluded.last_human_open_at),
      last_click_at = greatest(known.last_click_at, excluded.last_click_at),
      last_human_click_at = greatest(known.last_human_click_at, excluded.last_human_click_at),
      last_prefetch_at = greatest(known.last_prefetch_at, excluded.last_prefetch_at)`);
}

const union = (name: "links" | "human_links"): Sql => {
  const [known, added] = [sql([`known.${name}`]), sql([`excluded.${name}`])];
  return sql`case when ${added} <@ ${known} then ${known} else array(select distinct unnest(${known} || ${added})) end`;
};

export async function upsertCampaigns(tx: Tx, facts: readonly CampaignFacts[]): Promise<void> {
  if (facts.length === 0) return;
  const rows = facts.map((one) => ({
    account_id: one.accountId,
    contact_id: one.contactId,
    campaign_id: one.campaignId,
    human_opened: one.humanOpened,
    prefetched: one.prefetched,
    clicked: one.clicked,
    human_clicked: one.humanClicked,
    links: [...one.links],
    human_links: [...one.humanLinks],
  }));
  await tx.execute(sql`
    insert into campaign_engagements as known (account_id, contact_id, campaign_id, human_opened, prefetched, clicked,
                                               human_clicked, links, human_links)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (account_id uuid, contact_id uuid,
      campaign_id uuid, human_opened boolean, prefetched boolean, clicked boolean, human_clicked boolean, links bigint[],
      human_links bigint[])
    where ${isSubscriber}
    on conflict (account_id, contact_id, campaign_id) do update set
      human_opened = known.human_opened or excluded.human_opened, prefetched = known.prefetched or excluded.prefetched,
      clicked = known.clicked or excluded.clicked, human_clicked = known.human_clicked or excluded.human_clicked,
      links = ${union("links")}, human_links = ${union("human_links")}`);
}

const LOCK = 709_185_164;

/**
 * Waits for those who delete subscribers of these accounts. Else what is written here of somebody who is being forgotten would come
 * after the deletion, and stay. The locks are taken in the order of their keys, so that two who wait for several don't deadlock.
 */
export async function lockForWriting(tx: Tx, accountIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    select pg_advisory_xact_lock(${LOCK}::int, key)
    from (select distinct hashtext(id) as key from unnest(${[...accountIds]}::text[]) as id order by key offset 0) as keys`);
}

/** Keeps everybody from writing facts of this account until the commit, after those who are at it. */
export async function holdFacts(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${LOCK}::int, hashtext(${accountId}))`);
}

/** Deletes what is known of those of these contacts who are subscribers of no list any more. Others may delete at the same time. */
export async function deleteFacts(tx: Tx, accountId: string, contactIds: readonly string[]): Promise<void> {
  await holdFacts(tx, accountId);
  const gone = sql`select id from unnest(${uuidArray(contactIds)}::uuid[]) as gone (id) where not exists (
    select from subscribers s where s.account_id = ${accountId} and s.contact_id = gone.id)`;
  for (const table of [sql`contact_engagements`, sql`campaign_engagements`]) {
    await tx.execute(
      sql`delete from ${table} where account_id = ${accountId} and contact_id = any(array(${gone}))`,
    );
  }
}

type ContactInCampaigns = {
  readonly accountId: string;
  readonly contactId: string;
  readonly campaignIds: readonly string[];
};

/**
 * Deletes what is known of these people in these campaigns, and their last times, which don't say by which mail they were. The lock
 * keeps away those who delete whole subscribers: both delete rows of many people, in no order.
 */
export async function deleteFactsOfCampaigns(tx: Tx, people: readonly ContactInCampaigns[]): Promise<void> {
  await lockForWriting(tx, [...new Set(people.map(({ accountId }) => accountId))]);
  const columns = (rows: readonly { accountId: string; contactId: string }[]) =>
    sql`${uuidArray(rows.map((row) => row.accountId))}::uuid[], ${uuidArray(rows.map((row) => row.contactId))}::uuid[]`;
  const mails = people.flatMap((one) => one.campaignIds.map((campaignId) => ({ ...one, campaignId })));
  await tx.execute(sql`
    delete from contact_engagements where (account_id, contact_id) in (select * from unnest(${columns(people)}))`);
  await tx.execute(sql`
    delete from campaign_engagements where (account_id, contact_id, campaign_id) in (
      select * from unnest(${columns(mails)}, ${uuidArray(mails.map((one) => one.campaignId))}::uuid[]))`);
}

/** Tells when each of these contacts last opened or clicked in person; who never did is left out. */
export async function readLastHumanOpens(
  db: Queryable,
  accountId: string,
  contactIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.many<{ id: string; at: Date }>(sql`
    select contact_id as id, last_human_open_at as at from contact_engagements
    where account_id = ${accountId} and contact_id = any(${[...contactIds]}::uuid[]) and last_human_open_at is not null`);
  return new Map(rows.map(({ id, at }) => [id, at]));
}
