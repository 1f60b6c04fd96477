/** Statements that show items. Each filter has an index in the order of ids, which is that of time. */

import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import type { AddressKind, InboundItem } from "../types.ts";

export type ItemRow = {
  id: string;
  channel: InboundItem["channel"];
  provider: InboundItem["provider"];
  envelope_from: string | null;
  address_kind: AddressKind | null;
  source_id: string | null;
  contact_id: string | null;
  bytes: number;
  state: "waiting" | "read" | "failed";
  attempts: number;
  failure: string | null;
  kind: string | null;
  outcome: string | null;
  is_matched: boolean | null;
  why: string | null;
  received_at: Date;
  read_at: Date | null;
};

const COLUMNS = sql`id, channel, provider, envelope_from, address_kind, source_id, contact_id, bytes, state, attempts, failure,
  kind, outcome, is_matched, why, received_at, read_at`;

export type ItemFilter = {
  readonly channel?: string;
  readonly state?: string;
  readonly kind?: string;
  readonly outcome?: string;
  readonly isMatched?: boolean;
  readonly after?: Date;
  readonly before?: Date;
};

export function listItems(
  db: Queryable,
  accountId: string,
  filter: ItemFilter,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<ItemRow[]> {
  const older = page.after === undefined ? sql`` : sql`and id < ${page.after}`;
  return db.many<ItemRow>(sql`
    select ${COLUMNS} from inbound_items where account_id = ${accountId} ${conditionsOf(filter)} ${older}
    order by id desc limit ${page.limit}`);
}

export async function countItems(db: Queryable, accountId: string, filter: ItemFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from inbound_items where account_id = ${accountId} ${conditionsOf(filter)}`);
  return count;
}

/** Counts DMARC reports that came since then, up to a number. The index is inbound_items_dmarc. */
export function readLately(
  db: Queryable,
  accountId: string,
  since: Date,
  most: number,
): Promise<{ items: number; bytes: number }> {
  return db.one<{ items: number; bytes: number }>(sql`
    select count(*)::int as items, coalesce(sum(bytes), 0)::float8 as bytes from (
      select bytes from inbound_items
      where account_id = ${accountId} and address_kind = 'dmarc_report' and id >= ${leastIdAt(since.getTime())}
      limit ${most}) as late`);
}

function conditionsOf(filter: ItemFilter): Sql {
  const { channel, state, kind, outcome, isMatched, after, before } = filter;
  return sql`
    ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${outcome === undefined ? sql`` : sql`and outcome = ${outcome}`}
    ${isMatched === undefined ? sql`` : isMatched ? sql`and is_matched` : sql`and not is_matched`}
    ${conditionOfState(state)}
    ${after === undefined ? sql`` : sql`and id >= ${leastIdAt(after.getTime() + 1)}`}
    ${before === undefined ? sql`` : sql`and id < ${leastIdAt(before.getTime())}`}`;
}

/** The words stand in the statement, since an index for part of a table is used only where its condition is there to read. */
function conditionOfState(state: string | undefined): Sql {
  if (state === "waiting") return sql`and state = 'waiting'`;
  if (state === "failed") return sql`and state = 'failed'`;
  return state === undefined ? sql`` : sql`and state = ${state}`;
}

export function findItem(db: Queryable, accountId: string, id: string): Promise<ItemRow | undefined> {
  return db.maybeOne<ItemRow>(sql`
    select ${COLUMNS} from inbound_items where account_id = ${accountId} and id = ${id}`);
}

/** Returns what is kept of an item, with its sealed content. */
export function readKept(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<
  | {
      raw: Buffer;
      bytes: number;
      envelopeFrom: string | null;
      session: InboundItem["session"];
      receivedAt: Date;
    }
  | undefined
> {
  return db.maybeOne(sql`
    select raw, bytes, envelope_from as "envelopeFrom", session, received_at as "receivedAt"
    from inbound_items where account_id = ${accountId} and id = ${id}`);
}

export async function readSealedRaw(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<Buffer | undefined> {
  const found = await db.maybeOne<{ raw: Buffer }>(sql`
    select raw from inbound_items where account_id = ${accountId} and id = ${id}`);
  return found?.raw;
}
