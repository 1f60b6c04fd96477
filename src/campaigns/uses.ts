/** This file tells whether a campaign shows an image, or was made from a template, so that nobody deletes them under it. */
import { parseAddress } from "../mail/addresses.ts";
import { type Queryable, sql } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";

/** Names a campaign whose content has the file's address; null where there is none. Deleting a file is rare, so it may read all. */
export async function campaignShowing(
  db: Queryable,
  accountId: string,
  fileId: string,
): Promise<string | null> {
  const address = `/files/${toPublicId("fil", fileId)}`;
  const found = await db.maybeOne<{ id: string }>(sql`
    select id from campaigns
    where account_id = ${accountId} and (position(${address} in html) > 0 or position(${address} in mjml) > 0
      or position(${address} in blocks::text) > 0) limit 1`);
  return found ? toPublicId("cmp", found.id) : null;
}

/**
 * Names a campaign that isn't over and is from this domain, or from one below it; null where there is none. A sender that it has not
 * itself is the list's, else the account's. The index campaigns_by_status serves it.
 */
export async function campaignSendingFrom(
  db: Queryable,
  accountId: string,
  domain: string,
): Promise<string | null> {
  const senders = await db.many<{ id: string; email: string }>(sql`
    select distinct on (email) c.id, coalesce(c.from_email, l.from_email, a.from_email) as email
    from campaigns c
      join accounts a on a.account_id = c.account_id
      left join lists l on l.account_id = c.account_id and l.id = c.list_id
    where c.account_id = ${accountId} and c.status in ('scheduled', 'sending', 'paused')
      and coalesce(c.from_email, l.from_email, a.from_email) is not null`);
  const found = senders.find(({ email }) => {
    const read = parseAddress(email);
    return read.ok && `.${read.asciiDomain}`.endsWith(`.${domain}`);
  });
  return found ? toPublicId("cmp", found.id) : null;
}

/** Counts the campaigns that were made from each of these templates. The index is campaigns_of_template. */
export async function countCampaignsFrom(
  db: Queryable,
  accountId: string,
  templateIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly campaigns: number; readonly unsent: number }>> {
  const rows = await db.many<{ template_id: string; campaigns: number; unsent: number }>(sql`
    select template_id, count(*) as campaigns, count(*) filter (where status not in ('sent', 'canceled')) as unsent
    from campaigns where account_id = ${accountId} and template_id = any(${[...templateIds]}::uuid[])
    group by template_id`);
  return new Map(rows.map(({ template_id, ...uses }) => [template_id, uses]));
}

/** Names a campaign that isn't sent yet and was made from the template; null where there is none. The index is campaigns_of_template. */
export async function campaignFrom(
  db: Queryable,
  accountId: string,
  templateId: string,
): Promise<string | null> {
  const found = await db.maybeOne<{ id: string }>(sql`
    select id from campaigns
    where account_id = ${accountId} and template_id = ${templateId} and status not in ('sent', 'canceled') limit 1`);
  return found ? toPublicId("cmp", found.id) : null;
}
