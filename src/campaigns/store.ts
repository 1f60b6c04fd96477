/** All SQL of campaigns is in this file. */
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../accounts/accounts.ts";
import type { BlocksDocument, Utm } from "../content/content.ts";
import { notifyWatchers, waitsForReview } from "../delivery/delivery.ts";
import type { Check } from "../messages/schema.ts";
import type { Actor, TxCtx } from "../platform/context.ts";
import { join, type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { beyondOrUnseen, seenInSnapshot } from "../platform/http/paging/snapshot-cursor.ts";
import type { State, Status } from "./status.ts";

/** A campaign without its contents, which pages leave out and which may have half a megabyte. */
export type CampaignHead = {
  account_id: string;
  id: string;
  name: string;
  list_id: string;
  segment_id: string | null;
  topic_id: string | null;
  subject: string;
  preview_text: string | null;
  from_name: string | null;
  from_email: string | null;
  reply_to: string | null;
  track_opens: boolean;
  track_clicks: boolean;
  utm: Utm | null;
  on_ambiguous: "resend" | "hold";
  archive: boolean;
  template_id: string | null;
  template_version: number | null;
  version: number;
  status: Status;
  paused_from: State["pausedFrom"];
  scheduled_from: State["scheduledFrom"];
  pause_reason: string | null;
  status_reason: string | null;
  has_sent: boolean;
  is_agreed: boolean;
  /** An operator has to approve it, whoever has paused it besides. */
  waits_for_review: boolean;
  send_at: Date | null;
  started_at: Date | null;
  finished_at: Date | null;
  archived_at: Date | null;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
};
export type CampaignRow = CampaignHead & {
  html: string | null;
  mjml: string | null;
  blocks: BlocksDocument | null;
  text: string | null;
  checks: readonly Check[];
};

/** The reason of a pause that ends only when an operator has approved the campaign. */
const REVIEW = "review";

export function stateOf(row: CampaignHead): State {
  return {
    status: row.status,
    pausedFrom: row.paused_from,
    scheduledFrom: row.scheduled_from,
    hasSent: row.has_sent,
    isAgreed: row.is_agreed,
    isInReview: row.status === "paused" && row.pause_reason === REVIEW,
  };
}

const by = updatedByOf("campaigns");
const storedHead = sql`account_id, id, name, list_id, segment_id, topic_id, subject, preview_text, from_name, from_email, reply_to,
  track_opens, track_clicks, utm, on_ambiguous, archive, template_id, template_version, version, status, paused_from, scheduled_from, pause_reason,
  status_reason,
  has_sent, is_agreed, send_at, started_at, finished_at, archived_at, created_at, updated_at`;
const contents = sql`html, mjml, blocks, "text", checks`;
const waits = sql`(campaigns.status = 'paused' and ${waitsForReview(sql`campaigns.account_id`, sql`campaigns.id`)}) as waits_for_review`;
const head = sql`${storedHead}, ${waits}, ${by}`;
const whole = sql`${head}, ${contents}`;

export async function insertCampaign(tx: Tx, row: Unsigned<CampaignRow>, actor: Actor): Promise<CampaignRow> {
  const signed = await tx.one<Pick<CampaignRow, "updated_by">>(sql`
    insert into campaigns (${storedHead}, ${contents}, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.list_id}, ${row.segment_id}, ${row.topic_id}, ${row.subject},
      ${row.preview_text}, ${row.from_name}, ${row.from_email}, ${row.reply_to}, ${row.track_opens}, ${row.track_clicks},
      ${row.utm && JSON.stringify(row.utm)}::jsonb, ${row.on_ambiguous}, ${row.archive}, ${row.template_id},
      ${row.template_version}, ${row.version}, ${row.status},
      ${row.paused_from}, ${row.scheduled_from}, ${row.pause_reason},
      ${row.status_reason}, ${row.has_sent}, ${row.is_agreed}, ${row.send_at}, ${row.started_at}, ${row.finished_at}, ${row.archived_at}, ${row.created_at},
      ${row.updated_at}, ${row.html}, ${row.mjml}, ${row.blocks && JSON.stringify(row.blocks)}::json, ${row.text},
      ${JSON.stringify(row.checks)}::jsonb, ${signing(actor)})
    returning ${by}`);
  return { ...row, ...signed };
}

export function findCampaign(db: Queryable, accountId: string, id: string): Promise<CampaignRow | undefined> {
  return db.maybeOne<CampaignRow>(
    sql`select ${whole} from campaigns where account_id = ${accountId} and id = ${id}`,
  );
}

export function findHead(db: Queryable, accountId: string, id: string): Promise<CampaignHead | undefined> {
  return db.maybeOne<CampaignHead>(
    sql`select ${head} from campaigns where account_id = ${accountId} and id = ${id}`,
  );
}

export async function findNames(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.many<{ id: string; name: string }>(
    sql`select id, name from campaigns where account_id = ${accountId} and id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export function lockCampaign(tx: Tx, accountId: string, id: string): Promise<CampaignRow | undefined> {
  return tx.maybeOne<CampaignRow>(
    sql`select ${whole} from campaigns where account_id = ${accountId} and id = ${id} for update`,
  );
}

export function lockIfFree(tx: Tx, accountId: string, id: string): Promise<CampaignRow | undefined> {
  return tx.maybeOne<CampaignRow>(
    sql`select ${whole} from campaigns where account_id = ${accountId} and id = ${id} for update skip locked`,
  );
}

/** Writes what a client may edit. The caller holds a lock on the row. */
export async function updateContent(tx: Tx, row: CampaignRow, actor: Actor): Promise<CampaignRow> {
  const signed = await tx.one<Pick<CampaignRow, "updated_by">>(sql`
    update campaigns set name = ${row.name}, list_id = ${row.list_id}, segment_id = ${row.segment_id}, topic_id = ${row.topic_id},
      subject = ${row.subject}, preview_text = ${row.preview_text}, from_name = ${row.from_name},
      from_email = ${row.from_email}, reply_to = ${row.reply_to}, html = ${row.html}, mjml = ${row.mjml},
      blocks = ${row.blocks && JSON.stringify(row.blocks)}::json,
      "text" = ${row.text}, track_opens = ${row.track_opens}, track_clicks = ${row.track_clicks},
      utm = ${row.utm && JSON.stringify(row.utm)}::jsonb, on_ambiguous = ${row.on_ambiguous}, archive = ${row.archive},
      template_id = ${row.template_id}, template_version = ${row.template_version},
      checks = ${JSON.stringify(row.checks)}::jsonb, version = ${row.version},
      updated_at = ${row.updated_at}, ${signedBy(actor)}
    where account_id = ${row.account_id} and id = ${row.id} returning ${by}`);
  await notifyWatchers(tx, row.id);
  return { ...row, ...signed };
}

export async function removeCampaign(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from campaigns where account_id = ${accountId} and id = ${id}`);
}

export type Move = {
  readonly to: State;
  readonly at: Date;
  /** The version that was checked; any other isn't moved. */
  readonly version?: number;
} & Partial<Pick<CampaignRow, "send_at" | "started_at" | "finished_at" | "pause_reason" | "status_reason">>;

/**
 * Moves a campaign by compare-and-set, from exactly the state that was looked at. Of two at once the second waits for the
 * first, finds another state, and moves nothing.
 */
export async function moveCampaign(
  { sql: tx, accountId, actor }: Pick<TxCtx, "sql" | "accountId" | "actor">,
  id: string,
  from: State,
  move: Move,
): Promise<CampaignRow | undefined> {
  const { to } = move;
  const given = <T>(column: Sql, value: T | undefined) =>
    value === undefined ? [] : [sql`${column} = ${value}`];
  const changes = [
    sql`status = ${to.status}, paused_from = ${to.pausedFrom}, scheduled_from = ${to.scheduledFrom},
      has_sent = ${to.hasSent}, is_agreed = ${to.isAgreed}, updated_at = ${move.at}, ${signedBy(actor)}`,
    ...given(sql`send_at`, move.send_at),
    ...given(sql`started_at`, move.started_at),
    ...given(sql`finished_at`, move.finished_at),
    ...given(sql`pause_reason`, move.pause_reason),
    ...given(sql`status_reason`, move.status_reason),
  ];
  const isVersion = move.version === undefined ? sql`` : sql`and version = ${move.version}`;
  const moved = await tx.maybeOne<CampaignRow>(sql`
    update campaigns set ${join(changes, ", ")}
    where account_id = ${accountId} and id = ${id} and status = ${from.status}
      and paused_from is not distinct from ${from.pausedFrom} ${isVersion}
    returning ${whole}`);
  // Whoever watches it is notified, because they look by themselves only now and then.
  if (moved) await notifyWatchers(tx, id);
  return moved;
}

export type CampaignFilter = {
  readonly listId: string | undefined;
  readonly statuses: readonly string[] | undefined;
  readonly words: string | undefined;
  readonly isArchived: boolean;
  readonly after: Readonly<Record<"created_at" | "updated_at" | "send_at", string | undefined>>;
  readonly before: Readonly<Record<"created_at" | "updated_at" | "send_at", string | undefined>>;
};

export type Sort = "-created_at" | "created_at" | "-updated_at" | "updated_at" | "name" | "-name";
type Order = {
  readonly by: Sql;
  readonly direction: Sql;
  readonly beyond: Sql;
  readonly type: Sql;
  readonly of: (row: CampaignHead) => string;
};
const time = sql`timestamptz`;
const down = { direction: sql`desc`, beyond: sql`<` };
const up = { direction: sql`asc`, beyond: sql`>` };
const byAge = { by: sql`created_at`, type: time, of: (row: CampaignHead) => row.created_at.toISOString() };
const byChange = { by: sql`updated_at`, type: time, of: (row: CampaignHead) => row.updated_at.toISOString() };
const byName = { by: sql`name`, type: sql`text`, of: (row: CampaignHead) => row.name };
const ORDERS: Readonly<Record<Sort, Order>> = {
  "-created_at": { ...byAge, ...down },
  created_at: { ...byAge, ...up },
  "-updated_at": { ...byChange, ...down },
  updated_at: { ...byChange, ...up },
  name: { ...byName, ...up },
  "-name": { ...byName, ...down },
};

export function positionOf(sort: Sort, row: CampaignHead): readonly string[] {
  return [ORDERS[sort].of(row), row.id];
}

/** A row of a page. Sorted by `updated_at` upwards, it comes with the snapshot that it was read in. */
export type ListedCampaign = CampaignHead & { seen?: string };

export function listCampaigns(
  db: Queryable,
  accountId: string,
  filter: CampaignFilter,
  page: { readonly sort: Sort; readonly limit: number; readonly after: readonly string[] | undefined },
): Promise<ListedCampaign[]> {
  const { by, direction, beyond, type } = ORDERS[page.sort];
  const { after } = page;
  const place = after && sql`(${by}, id) ${beyond} (${after[0]}::${type}, ${after[1]}::uuid)`;
  const behind = after && place ? sql`and ${beyondOrUnseen(place, sql`campaigns`, after)}` : sql``;
  const seen = page.sort === "updated_at" ? sql`, ${seenInSnapshot}` : sql``;
  return db.many<ListedCampaign>(sql`
    select ${head}${seen} from campaigns where ${conditions(accountId, filter)} ${behind}
    order by ${by} ${direction}, id ${direction} limit ${page.limit}`);
}

export async function countCampaigns(
  db: Queryable,
  accountId: string,
  filter: CampaignFilter,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from campaigns where ${conditions(accountId, filter)}`,
  );
  return count;
}

/** By the filter of the list, since the numbers stand above it. */
export async function countByStatus(
  db: Queryable,
  accountId: string,
  filter: CampaignFilter,
): Promise<Partial<Record<Status, number>>> {
  const rows = await db.many<{ status: Status; count: number }>(sql`
    select status, count(*) as count from campaigns where ${conditions(accountId, filter)} group by status`);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

function conditions(accountId: string, filter: CampaignFilter): Sql {
  const { listId, statuses, words, isArchived, after, before } = filter;
  const times = (["created_at", "updated_at", "send_at"] as const).flatMap((column) => {
    const name = TIME_COLUMNS[column];
    return [
      ...(after[column] ? [sql`${name} > ${after[column]}::timestamptz`] : []),
      ...(before[column] ? [sql`${name} < ${before[column]}::timestamptz`] : []),
    ];
  });
  return join(
    [
      sql`account_id = ${accountId}`,
      isArchived ? sql`archived_at is not null` : sql`archived_at is null`,
      ...(listId ? [sql`list_id = ${listId}`] : []),
      ...(statuses ? [sql`status = any(${[...statuses]}::text[])`] : []),
      ...(words ? [sql`(name ilike ${pattern(words)} or subject ilike ${pattern(words)})`] : []),
      ...times,
    ],
    " and ",
  );
}

const TIME_COLUMNS = { created_at: sql`created_at`, updated_at: sql`updated_at`, send_at: sql`send_at` };

/** Escapes what LIKE takes for a wildcard: people search for the words as they stand. */
function pattern(words: string): string {
  return `%${words.replaceAll(/[\\%_]/g, "\\$&")}%`;
}

/** Lists the campaigns that wait for mails of their account's allowance. The index is campaigns_over_quota. */
export function listOverQuota(
  db: Queryable,
  accountId?: string,
): Promise<{ account_id: string; id: string }[]> {
  return db.many(sql`
    select account_id, id from campaigns
    where pause_reason = 'quota_reached' and status = 'paused' ${accountId ? sql`and account_id = ${accountId}` : sql``}
    order by account_id, id`);
}

export type Due = { account_id: string; id: string; send_at: Date; version: number };

/** Finds what is due in all accounts, by the index campaigns_due, which holds only what waits. */
export function findDue(db: Queryable, until: Date, limit: number): Promise<Due[]> {
  return db.many<Due>(sql`
    select account_id, id, send_at, version from campaigns
    where status = 'scheduled' and send_at <= ${until} order by send_at limit ${limit}`);
}
