/**
 * Finds mails, the newest first. Each filter is answered from an index in the order of ids, so a page costs the same however many
 * mails there are. Subqueries that may not become joins have a limit: without statistics a join would read whole tables.
 */

import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import type { EmailStatus } from "../schema.ts";
import { EMAIL_COLUMNS, type EmailRow } from "../store.ts";

export type EmailFilter = {
  /** The digests of each term that a mail must have; several for one term where SECRET_KEY was rotated. */
  readonly terms: readonly (readonly string[])[];
  /** Whether the first term is so rare that it is better looked for than the status. */
  readonly isFirstRare: boolean;
  /** Matches a mail of which at least one recipient stands so. */
  readonly status: EmailStatus | undefined;
  readonly createdAfter: Date | undefined;
  readonly createdBefore: Date | undefined;
  /** The digests of the term that marks mails with a recipient who was suppressed when they came in. */
  readonly suppressedTerm: readonly string[];
};

type EmailPage = { readonly limit: number; readonly after: string | undefined };
/** Ids between these two, of which the second is left out. */
type Bounds = { readonly from: string; readonly upto: string };

const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export async function listEmails(
  db: Queryable,
  accountId: string,
  filter: EmailFilter,
  page: EmailPage,
): Promise<EmailRow[]> {
  const ids = await db.many<{ id: string }>(
    sql`${candidates(accountId, filter, boundsOf(filter, page.after), page.limit)} order by id desc limit ${page.limit}`,
  );
  const rows = await db.many<EmailRow>(sql`
    select ${EMAIL_COLUMNS}, c.envelope from emails e
    left join email_contents c on c.account_id = ${accountId} and c.id = e.content_id
    where e.account_id = ${accountId} and e.id = any(${ids.map(({ id }) => id)}::uuid[])`);
  return rows.sort((one, other) => (one.id > other.id ? -1 : 1));
}

export async function countEmails(db: Queryable, accountId: string, filter: EmailFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from (${candidates(accountId, filter, boundsOf(filter, undefined), null)}) as found`);
  return count;
}

function boundsOf({ createdAfter, createdBefore }: EmailFilter, after: string | undefined): Bounds {
  // Both bounds leave the moment itself out, as elsewhere.
  const from = createdAfter ? leastIdAt(createdAfter.getTime() + 1) : FIRST_ID;
  const before = createdBefore ? leastIdAt(createdBefore.getTime()) : LAST_ID;
  return { from, upto: after !== undefined && after < before ? after : before };
}

/** Selects the column `id` of mails that match; each subquery needs no more than `most` of them. */
function candidates(accountId: string, filter: EmailFilter, bounds: Bounds, most: number | null): Sql {
  const { terms, status, isFirstRare } = filter;
  const [first, ...others] = terms;
  if (status && status !== "sent" && !(first && isFirstRare)) {
    const having = terms.map((digests) => sql`and ${hasTerm(accountId, sql`found.id`, digests)}`);
    return sql`
      select distinct found.id from (${withStatus(accountId, filter, status, bounds, having.length > 0 ? null : most)}) as found
      where true ${joined(having)}`;
  }
  const matching = sql`
    ${joined(others.map((digests) => sql`and ${hasTerm(accountId, sql`e.id`, digests)}`))}
    ${status ? sql`and ${stands(accountId, filter, status)}` : sql``}`;
  if (!first) {
    return sql`select e.id from emails e
      where e.account_id = ${accountId} and ${within(sql`e.id`, bounds)} ${matching}`;
  }
  const own = status ? emailOf(accountId) : sql`cross join lateral (select t.email_id as id) as e`;
  const [one, ...older] = first.map(
    (digest) => sql`
      select t.email_id as id from email_terms t ${own}
      where t.account_id = ${accountId} and t.term = ${digest} and ${within(sql`t.email_id`, bounds)} ${matching}
      order by t.email_id desc ${limited(most)}`,
  );
  return sql`select id from (${one ?? sql``}) as newest ${joined(older.map((some) => sql`union (${some})`))}`;
}

function emailOf(accountId: string): Sql {
  return sql`cross join lateral (
    select own.* from emails own where own.account_id = ${accountId} and own.id = t.email_id limit 1) as e`;
}

function joined(parts: readonly Sql[]): Sql {
  return parts.reduce((all, one) => sql`${all} ${one}`, sql``);
}

function limited(most: number | null): Sql {
  return most === null ? sql`` : sql`limit ${most}`;
}

function within(id: Sql, { from, upto }: Bounds): Sql {
  return sql`${id} >= ${from}::uuid and ${id} < ${upto}::uuid`;
}

function hasTerm(accountId: string, id: Sql, digests: readonly string[]): Sql {
  return sql`(select true from email_terms o
    where o.account_id = ${accountId} and o.term = any(${[...digests]}::uuid[]) and o.email_id = ${id} limit 1)`;
}

/** Holds for a mail `e` of which a recipient stands so. */
function stands(accountId: string, filter: EmailFilter, status: EmailStatus): Sql {
  const inLedger = (condition: Sql) => sql`(select true from deliveries d
    where d.account_id = ${accountId} and d.source_id = e.wave_id
      and d.contact_id > e.id and d.contact_id < (left(e.id::text, 34) || 'ff')::uuid and ${condition} limit 1)`;
  const inFeedback = (kinds: string) => sql`(select true from source_feedback f
    where f.account_id = ${accountId} and f.source_id = e.wave_id and f.kind = any(${kinds}::text[])
      and f.contact_id > e.id and f.contact_id < (left(e.id::text, 34) || 'ff')::uuid limit 1)`;
  switch (status) {
    case "scheduled":
      return sql`e.wave_id is null and e.canceled_at is null`;
    case "canceled":
      return sql`e.canceled_at is not null`;
    case "queued":
      return inLedger(sql`d.state in ('ready', 'inflight')`);
    case "sent":
    case "deferred":
    case "unknown":
      return inLedger(sql`d.state = ${status}`);
    case "bounced":
      return sql`coalesce(${inLedger(IS_BOUNCE)}, ${inFeedback(BOUNCES)})`;
    case "failed":
      return inLedger(IS_FAILURE);
    case "complained":
      return inFeedback("{complaint}");
    case "skipped":
      return sql`coalesce(${inLedger(IS_SKIPPED)}, ${hasTerm(accountId, sql`e.id`, filter.suppressedTerm)})`;
  }
}

const BOUNCES = "{hard_bounce,soft_bounce,block_bounce}";
const IS_BOUNCE = sql`d.state = 'failed' and d.why like '%\\_bounce'`;
const IS_FAILURE = sql`d.state = 'failed' and coalesce(d.why, '') not like '%\\_bounce'`;
const IS_SKIPPED = sql`d.state = 'skipped' and d.why <> 'canceled'`;

/** A mail has at most 50 recipients, so so many rows for each mail are enough. */
const ROWS_A_MAIL = 50;

/**
 * Selects the mails of a status that few have, from the tables that list such rows: they are in the order of ids within each
 * wave, and an account has few waves.
 */
function withStatus(
  accountId: string,
  filter: EmailFilter,
  status: Exclude<EmailStatus, "sent">,
  bounds: Bounds,
  most: number | null,
): Sql {
  const rows = most === null ? sql`` : sql`limit ${most * ROWS_A_MAIL}`;
  const inWaves = (table: Sql, condition: Sql) => sql`
    select (left(x.contact_id::text, 34) || '00')::uuid as id
    from (select id from sources where account_id = ${accountId} and owner_id = ${accountId} offset 0) as wave
    cross join lateral (
      select d.contact_id from ${table} d
      where d.account_id = ${accountId} and d.source_id = wave.id and ${condition} and ${within(sql`d.contact_id`, bounds)}
      order by d.contact_id desc ${rows}
    ) as x`;
  const inErrors = (condition: Sql) => inWaves(sql`delivery_errors`, condition);
  const inFeedback = (kinds: string) => inWaves(sql`source_feedback`, sql`d.kind = any(${kinds}::text[])`);
  switch (status) {
    case "scheduled":
    case "canceled":
      return sql`
        select e.id from emails e
        where e.account_id = ${accountId} and ${stands(accountId, filter, status)} and ${within(sql`e.id`, bounds)}
        order by e.id desc ${limited(most)}`;
    case "queued":
      return inWaves(
        sql`(select b.account_id, b.source_id, unnest(b.contacts) as contact_id from batches b)`,
        sql`(select own.state in ('ready', 'inflight') from deliveries own where own.account_id = ${accountId}
          and own.source_id = wave.id and own.contact_id = d.contact_id limit 1)`,
      );
    case "deferred":
      return inWaves(sql`retries`, sql`true`);
    case "unknown":
      return inErrors(sql`d.state = 'unknown'`);
    case "failed":
      return inErrors(IS_FAILURE);
    case "bounced":
      return sql`${inErrors(IS_BOUNCE)} union all ${inFeedback(BOUNCES)}`;
    case "complained":
      return inFeedback("{complaint}");
    case "skipped":
      return sql`${inErrors(IS_SKIPPED)} union all (
        select t.email_id from email_terms t
        where t.account_id = ${accountId} and t.term = any(${[...filter.suppressedTerm]}::uuid[])
          and ${within(sql`t.email_id`, bounds)} order by t.email_id desc ${limited(most)})`;
  }
}
