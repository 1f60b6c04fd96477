/** The SQL of the log of deliveries: what was posted, what came back, and what waits for another try. */

import { textArray, uuidArray } from "../../platform/db/arrays.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { PartitionedTable } from "../../platform/db/partitions.ts";
import type { DeliveryState, Origin } from "../schema.ts";

export type Attempt = {
  readonly at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly failure: string | null;
};

export type DeliveryRow = {
  account_id: string;
  id: string;
  webhook_id: string;
  event_ids: readonly string[];
  message_id: string;
  type: string;
  origin: Origin;
  state: DeliveryState;
  attempts: readonly Attempt[];
  next_attempt_at: Date | null;
  answer: Buffer | null;
};

/** Rows are kept as long as the events that they are about. */
export const deliveryPartitions: PartitionedTable = {
  table: "webhook_deliveries",
  uuidColumn: "id",
  every: "day",
  keepMs: 30 * 24 * 3_600_000,
  ahead: 2,
};

const columns = sql`account_id, id, webhook_id, event_ids, message_id, type, origin, state, attempts, next_attempt_at, answer`;

/** A row may be there already, where the answer to its commit was lost. */
export async function insertDeliveries(tx: Tx, rows: readonly DeliveryRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(
    prepared(sql`
      insert into webhook_deliveries (${columns})
      select account_id, id, webhook_id, string_to_array(event_ids, ' ')::uuid[], message_id, type, origin, state,
             attempts::jsonb, next_attempt_at, answer
      from unnest(${uuidArray(rows.map((row) => row.account_id))}::uuid[], ${uuidArray(rows.map((row) => row.id))}::uuid[],
                  ${uuidArray(rows.map((row) => row.webhook_id))}::uuid[],
                  ${textArray(rows.map((row) => row.event_ids.join(" ")))}::text[],
                  ${textArray(rows.map((row) => row.message_id))}::text[], ${textArray(rows.map((row) => row.type))}::text[],
                  ${textArray(rows.map((row) => row.origin))}::text[], ${textArray(rows.map((row) => row.state))}::text[],
                  ${textArray(rows.map((row) => JSON.stringify(row.attempts)))}::text[],
                  ${rows.map((row) => row.next_attempt_at)}::timestamptz[], ${rows.map((row) => row.answer)}::bytea[])
        as new (account_id, id, webhook_id, event_ids, message_id, type, origin, state, attempts, next_attempt_at, answer)
      on conflict do nothing`),
  );
}

export type Retried = Pick<
  DeliveryRow,
  "account_id" | "id" | "state" | "attempts" | "next_attempt_at" | "answer"
>;

export async function updateDeliveries(tx: Tx, rows: readonly Retried[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(
    prepared(sql`
      update webhook_deliveries d set state = new.state, attempts = new.attempts::jsonb,
        next_attempt_at = new.next_attempt_at, answer = new.answer
      from unnest(${rows.map((row) => row.account_id)}::uuid[], ${rows.map((row) => row.id)}::uuid[],
                  ${rows.map((row) => row.state)}::text[], ${rows.map((row) => JSON.stringify(row.attempts))}::text[],
                  ${rows.map((row) => row.next_attempt_at)}::timestamptz[], ${rows.map((row) => row.answer)}::bytea[])
        as new (account_id, id, state, attempts, next_attempt_at, answer)
      where d.account_id = new.account_id and d.id = new.id`),
  );
}

type Place = { readonly account_id: string; readonly id: string };

type Wanted = {
  readonly most: number;
  readonly without: readonly string[];
  /** These come first. */
  readonly first: readonly string[];
};

/**
 * Lists those that are due: the ones in `first`, which the primary key serves, then the oldest, which the index
 * webhook_deliveries_waiting serves.
 */
export function listDue(
  db: Queryable,
  webhook: Place,
  now: Date,
  { most, without, first }: Wanted,
): Promise<DeliveryRow[]> {
  const due = sql`${waitingOf(webhook, without)} and next_attempt_at <= ${now}`;
  return db.many<DeliveryRow>(
    prepared(sql`
      select ${columns} from (
        (select ${columns}, 0 as turn from webhook_deliveries
         where ${due} and id = any(${[...first]}::uuid[]))
        union all
        (select ${columns}, 1 as turn from webhook_deliveries
         where ${due} and id <> all(${[...first]}::uuid[])
         order by next_attempt_at limit ${most})) as found
      order by turn, next_attempt_at limit ${most}`),
  );
}

/** Lists those that wait, due or not: the ones in `first`, then the oldest. The index webhook_deliveries_by_state serves it. */
export function listWaiting(
  db: Queryable,
  webhook: Place,
  { most, without, first }: Wanted,
): Promise<DeliveryRow[]> {
  const waiting = waitingOf(webhook, without);
  return db.many<DeliveryRow>(
    prepared(sql`
      select ${columns} from (
        (select ${columns}, 0 as turn from webhook_deliveries
         where ${waiting} and id = any(${[...first]}::uuid[]))
        union all
        (select ${columns}, 1 as turn from webhook_deliveries
         where ${waiting} and id <> all(${[...first]}::uuid[])
         order by id limit ${most})) as found
      order by turn, id limit ${most}`),
  );
}

function waitingOf({ account_id, id }: Place, without: readonly string[]): Sql {
  return sql`account_id = ${account_id} and webhook_id = ${id} and state = 'waiting' and id <> all(${[...without]}::uuid[])`;
}

/** Returns when the next of the others is due; undefined where none waits. */
export async function readNextDue(
  db: Queryable,
  webhook: Place,
  without: readonly string[],
): Promise<Date | undefined> {
  const row = await db.maybeOne<{ next_attempt_at: Date }>(
    prepared(sql`
      select next_attempt_at from webhook_deliveries
      where ${waitingOf(webhook, without)}
      order by next_attempt_at limit 1`),
  );
  return row?.next_attempt_at;
}
