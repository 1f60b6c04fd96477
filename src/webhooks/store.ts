/** The SQL of endpoints as an account edits them is in this file; that of delivering is in `delivering/`. */
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../accounts/accounts.ts";
import type { EventType, Moment, Position } from "../events/events.ts";
import type { Actor } from "../platform/context.ts";
import { type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import type { DisabledReason, Included } from "./schema.ts";

export type WebhookRow = {
  account_id: string;
  id: string;
  url: string;
  events: readonly string[];
  description: string;
  include: readonly Included[];
  ordered: boolean;
  batch_engagement: boolean;
  is_enabled: boolean;
  disabled_reason: DisabledReason | null;
  disabled_at: Date | null;
  /** Sealed. */
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_until: Date | null;
  version: number;
  failing_since: Date | null;
  delivered_at: Date | null;
  replay_started_at: Date | null;
  replay_count: number | null;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
};

const by = updatedByOf("w");

const columns = sql`w.account_id, w.id, w.url, w.events, w.description, w.include, w.ordered, w.batch_engagement, w.is_enabled,
  w.disabled_reason, w.disabled_at, w.secret, w.previous_secret, w.previous_until, w.version, w.failing_since, w.delivered_at,
  w.replay_started_at, w.replay_count, w.created_at, w.updated_at, ${by}`;

/** An endpoint begins at this moment, and reads the log from that place on. */
export function insertWebhook(
  tx: Tx,
  row: Unsigned<WebhookRow>,
  { moment, from }: { readonly moment: Moment; readonly from: Position },
  actor: Actor,
): Promise<Pick<WebhookRow, "updated_by">> {
  return tx.one(sql`
    insert into webhooks as w (account_id, id, url, events, description, include, ordered, batch_engagement, is_enabled, secret,
                               version, xid, event_id, begins_xid, begins_running, created_at, updated_at, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.url}, ${[...row.events]}::text[], ${row.description},
            ${[...row.include]}::text[], ${row.ordered}, ${row.batch_engagement}, ${row.is_enabled}, ${row.secret},
            ${row.version}, ${from.xid}::bigint, ${from.id}::uuid, ${moment.xid}::bigint, ${[...moment.running]}::bigint[],
            ${row.created_at}, ${row.updated_at}, ${signing(actor)})
    returning ${by}`);
}

export function findWebhook(db: Queryable, accountId: string, id: string): Promise<WebhookRow | undefined> {
  return db.maybeOne<WebhookRow>(
    sql`select ${columns} from webhooks w where w.account_id = ${accountId} and w.id = ${id}`,
  );
}

export function lockWebhook(tx: Tx, accountId: string, id: string): Promise<WebhookRow | undefined> {
  return tx.maybeOne<WebhookRow>(
    sql`select ${columns} from webhooks w where w.account_id = ${accountId} and w.id = ${id} for update of w`,
  );
}

/** The index webhooks_by_age serves it. */
export function listWebhooks(db: Queryable, accountId: string, page: AgePage): Promise<WebhookRow[]> {
  return db.many<WebhookRow>(sql`
    select ${columns} from webhooks w where w.account_id = ${accountId} ${newestFirst(page, "w")}`);
}

export async function countWebhooks(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from webhooks where account_id = ${accountId}`,
  );
  return count;
}

/** Counts them while no other request can add one, since a lock on the account keeps two such counts apart. */
export async function lockAndCount(tx: Tx, accountId: string): Promise<number> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  return countWebhooks(tx, accountId);
}

/** Writes what a client may edit, and the secrets; the row must be locked. */
export function updateWebhookRow(
  tx: Tx,
  row: WebhookRow,
  actor: Actor,
): Promise<Pick<WebhookRow, "updated_by">> {
  return tx.one(sql`
    update webhooks w set url = ${row.url}, events = ${[...row.events]}::text[], description = ${row.description},
      include = ${[...row.include]}::text[], ordered = ${row.ordered}, batch_engagement = ${row.batch_engagement},
      is_enabled = ${row.is_enabled}, disabled_reason = ${row.disabled_reason}, disabled_at = ${row.disabled_at},
      secret = ${row.secret}, previous_secret = ${row.previous_secret}, previous_until = ${row.previous_until},
      failing_since = ${row.failing_since}, version = ${row.version}, updated_at = ${row.updated_at}, ${signedBy(actor)}
    where w.account_id = ${row.account_id} and w.id = ${row.id}
    returning ${by}`);
}

export async function removeWebhook(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from webhooks where account_id = ${accountId} and id = ${id}`);
}

export type NewReplay = {
  readonly from: Position;
  /** The replay ends below this, and what comes later comes by the log itself. */
  readonly untilXid: string;
  readonly since: Date;
  readonly until: Date | null;
  /** null for all that the endpoint wants. */
  readonly types: readonly EventType[] | null;
  readonly now: Date;
};

/** Returns false where one runs already. */
export async function startReplay(
  tx: Tx,
  { account_id, id }: Pick<WebhookRow, "account_id" | "id">,
  replay: NewReplay,
): Promise<boolean> {
  const touched = await tx.execute(sql`
    update webhooks set replay_xid = ${replay.from.xid}::bigint, replay_event_id = ${replay.from.id}::uuid,
      replay_until_xid = ${replay.untilXid}::bigint, replay_since = ${replay.since}, replay_until = ${replay.until},
      replay_types = ${replay.types && [...replay.types]}::text[], replay_started_at = ${replay.now}, replay_count = 0,
      version = version + 1
    where account_id = ${account_id} and id = ${id} and replay_xid is null`);
  return touched > 0;
}

export type SealedSecrets = Pick<WebhookRow, "account_id" | "id" | "secret" | "previous_secret">;

/** Lists the secrets of all accounts, in the order of the primary key. */
export function listSealed(
  db: Queryable,
  after: SealedSecrets | undefined,
  most: number,
): Promise<SealedSecrets[]> {
  const behind = after ? sql`where (account_id, id) > (${after.account_id}, ${after.id})` : sql``;
  return db.many<SealedSecrets>(sql`
    select account_id, id, secret, previous_secret from webhooks ${behind} order by account_id, id limit ${most}`);
}

/** Leaves secrets alone that were changed meanwhile. */
export async function replaceSealed(
  db: Writable,
  row: SealedSecrets,
  secret: Buffer,
  previous: Buffer | null,
): Promise<void> {
  await db.execute(sql`
    update webhooks set secret = ${secret}, previous_secret = ${previous}
    where account_id = ${row.account_id} and id = ${row.id} and secret = ${row.secret}`);
}
