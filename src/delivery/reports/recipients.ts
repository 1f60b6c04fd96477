/** Lists the ledger's rows in pages, for whoever looks at the recipients of a campaign. */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { addresses, lookUpDomain } from "../../subscribers/subscribers.ts";
import { listSources } from "../ledger/ledger.ts";
import type { RecipientPage, RecipientRow, RecipientStatus } from "../types.ts";

/** Lists the recipients of all sources of an owner, in the order of their contacts' ids. */
export async function listRecipients(
  db: Queryable,
  accountId: string,
  ownerId: string,
  page: RecipientPage,
): Promise<RecipientRow[]> {
  const ids = await listSources(db, accountId, ownerId);
  const pages = await Promise.all(ids.map((id) => listOfSource(db, accountId, id, page)));
  const [first = [], ...others] = pages;
  if (others.length === 0) return first;
  const inOrder = pages.flat().sort((one, other) => (one.contactId < other.contactId ? -1 : 1));
  return inOrder.slice(0, page.limit);
}

/** Reads the ledger's rows of these messages by its primary key, as far as they are there, in no order. */
export async function readRecipients(
  db: Queryable,
  accountId: string,
  messages: readonly { readonly sourceId: string; readonly contactId: string }[],
): Promise<(RecipientRow & { readonly sourceId: string })[]> {
  const bySource = Map.groupBy(messages, ({ sourceId }) => sourceId);
  const pages = await Promise.all(
    [...bySource].map(async ([sourceId, some]) => {
      const contacts = sql`(select unnest(${some.map(({ contactId }) => contactId)}::uuid[]) as contact_id)`;
      const rows = await listOfSource(db, accountId, sourceId, { limit: some.length }, contacts);
      return rows.map((row) => ({ ...row, sourceId }));
    }),
  );
  return pages.flat();
}

/** Uses the ledger's primary key or, where a status is asked for, the key of the table that has the rows of that status. */
function listOfSource(
  db: Queryable,
  accountId: string,
  id: string,
  { status, why, domain, limit, after }: RecipientPage,
  given?: Sql,
): Promise<RecipientRow[]> {
  const behind = after === undefined ? sql`` : sql`and x.contact_id > ${after}`;
  const candidates = given ?? (status && candidatesOf(status, accountId, id));
  // `limit 1` keeps the planner at the keys: without statistics it would read the whole ledger, and the whole list, for a page.
  const from = candidates
    ? sql`${candidates} as x cross join lateral (
        select * from deliveries own
        where own.account_id = ${accountId} and own.source_id = ${id} and own.contact_id = x.contact_id limit 1) as d`
    : sql`deliveries d cross join lateral (select d.contact_id) as x`;
  return db.many<RecipientRow>(sql`
    select d.contact_id as "contactId", d.subscriber_id as "subscriberId", coalesce(s.email, g.email) as email,
           d.state as status, d.why, d.changed_at as at, d.attempt as attempts, ${codeOf(sql`d`)} as code, d.reply as text,
           coalesce(d.planned_at, least(d.changed_at, ${launched(accountId, id)})) as "createdAt"
    from ${from}
    left join lateral (
      select a.email from ${addresses} as a where a.account_id = ${accountId} and a.id = d.subscriber_id limit 1
    ) as s on true
    left join lateral (
      select r.email from given_recipients r
      where d.subscriber_id is null and r.account_id = ${accountId} and r.source_id = ${id} and r.contact_id = d.contact_id
    ) as g on true
    where d.account_id = ${accountId} and d.source_id = ${id}
      ${status ? sql`and d.state = ${status}` : sql``} ${candidates ? behind : after ? sql`and d.contact_id > ${after}` : sql``}
      ${why === undefined ? sql`` : sql`and d.why = ${why}`}
      ${domain === undefined ? sql`` : sql`and (select domain from ${lookUpDomain(accountId, sql`d.subscriber_id`)} as own) = ${domain}`}
    order by ${candidates ? sql`x.contact_id` : sql`d.contact_id`} limit ${limit}`);
}

/**
 * Returns the code of the last reply. A row that was taken for not tried, because the reply was about us, has none of its own, but its reply
 * begins with it.
 */
function codeOf(d: Sql): Sql {
  return sql`coalesce(${d}.code, substring(${d}.reply from '^([245]\\d\\d)\\M')::int)`;
}

/** Stands in for the time of planning in old rows, which were written before that time was kept. */
function launched(accountId: string, id: string): Sql {
  return sql`(select launched_at from sources where account_id = ${accountId} and id = ${id})`;
}

/** Rows of any status but `sent` may be few among many, so another table lists their contacts; the ledger has the last word. */
function candidatesOf(status: RecipientStatus, accountId: string, id: string): Sql | undefined {
  switch (status) {
    case "sent":
      return undefined;
    case "deferred":
      return sql`(select contact_id from retries where account_id = ${accountId} and source_id = ${id})`;
    case "ready":
    case "inflight":
      return sql`(select unnest(contacts) as contact_id from batches where account_id = ${accountId} and source_id = ${id})`;
    case "failed":
    case "skipped":
    case "unknown":
      // A row reaches such a status only once, so each contact is listed once.
      return sql`(select contact_id from delivery_errors
        where account_id = ${accountId} and source_id = ${id} and state = ${status})`;
  }
}
