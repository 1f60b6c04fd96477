/** All SQL of the versions of campaigns is in this file. */
import type { Actor } from "../../platform/context.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { Editable } from "./input.ts";

/** Where a campaign is shown is decided after it was written too, so it is no part of what was written. */
export type Written = Omit<Editable, "archive">;

export type VersionHead = {
  number: number;
  subject: string;
  restored_from: number | null;
  actor_kind: Actor["kind"];
  actor_id: string | null;
  created_at: Date;
  updated_at: Date;
};
/** Versions that were written before there were blocks lack the member. */
type Stored = Omit<Written, "blocks"> & Partial<Pick<Written, "blocks">>;
export type VersionRow = VersionHead & { content: Stored };

const head = sql`number, subject, restored_from, actor_kind, actor_id, created_at, updated_at`;

export function findNewest(tx: Tx, accountId: string, campaignId: string): Promise<VersionHead | undefined> {
  return tx.maybeOne<VersionHead>(sql`
    select ${head} from campaign_versions where account_id = ${accountId} and campaign_id = ${campaignId}
    order by number desc limit 1`);
}

export function findVersion(
  db: Queryable,
  accountId: string,
  campaignId: string,
  number: number,
): Promise<VersionRow | undefined> {
  return db.maybeOne<VersionRow>(sql`
    select ${head}, content from campaign_versions
    where account_id = ${accountId} and campaign_id = ${campaignId} and number = ${number}`);
}

export function listVersions(
  db: Queryable,
  accountId: string,
  campaignId: string,
  page: { readonly limit: number; readonly below: number | undefined },
): Promise<VersionHead[]> {
  const below = page.below === undefined ? sql`` : sql`and number < ${page.below}`;
  return db.many<VersionHead>(sql`
    select ${head} from campaign_versions where account_id = ${accountId} and campaign_id = ${campaignId} ${below}
    order by number desc limit ${page.limit}`);
}

export async function countVersions(db: Queryable, accountId: string, campaignId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from campaign_versions
    where account_id = ${accountId} and campaign_id = ${campaignId}`);
  return count;
}

/** Writes a version, and forgets those that are older than the newest `keep`. */
export async function insertVersion(
  tx: Tx,
  accountId: string,
  campaignId: string,
  row: VersionRow,
  keep: number,
): Promise<void> {
  await tx.execute(sql`
    insert into campaign_versions (account_id, campaign_id, ${head}, content)
    values (${accountId}, ${campaignId}, ${row.number}, ${row.subject}, ${row.restored_from}, ${row.actor_kind},
      ${row.actor_id}, ${row.created_at}, ${row.updated_at}, ${JSON.stringify(row.content)}::jsonb)`);
  await tx.execute(sql`
    delete from campaign_versions
    where account_id = ${accountId} and campaign_id = ${campaignId} and number <= ${row.number - keep}`);
}

/** Writes a version further. From then on it is no longer what an earlier one said. */
export async function overwriteVersion(
  tx: Tx,
  accountId: string,
  campaignId: string,
  number: number,
  content: Written,
  at: Date,
): Promise<void> {
  await tx.execute(sql`
    update campaign_versions
    set content = ${JSON.stringify(content)}::jsonb, subject = ${content.subject}, restored_from = null, updated_at = ${at}
    where account_id = ${accountId} and campaign_id = ${campaignId} and number = ${number}`);
}
