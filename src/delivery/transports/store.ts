/** All SQL of transports is in this file. */

import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../../accounts/accounts.ts";
import type { TlsMode } from "../../mail/smtp/smtp.ts";
import type { Actor } from "../../platform/context.ts";
import { prepared, type Queryable, type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { Stream } from "../types.ts";
import type { Step } from "./advice.ts";

export type TransportRow = {
  account_id: string;
  id: string;
  name: string;
  host: string;
  port: number;
  tls: TlsMode;
  verify_certificate: boolean;
  username: string | null;
  /** The sealed password. */
  password: Buffer | null;
  ehlo_name: string | null;
  max_connections: number;
  rate_per_second: number | null;
  max_per_day: number | null;
  version: number;
  tested_at: Date | null;
  test_ok: boolean | null;
  test_phase: Step | null;
  test_code: number | null;
  test_text: string | null;
  /** The greatest message that the server takes; null where it has not said so, 0 where there is no limit. */
  size_limit: number | null;
  /** Is null while mail may leave by it. */
  out_since: Date | null;
  out_reason: OutReason | null;
  out_detail: string | null;
  out_tries: number;
  next_try_at: Date | null;
  /** Whether another transport stands in an order of the account. */
  has_others: boolean;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
  /** The streams in whose order it is the first. */
  streams: readonly Stream[];
  /** Whether a plan warms it up, running or paused. */
  has_warmup: boolean;
};

/**
 * Why a transport was put out: its server doesn't let us in, or no longer takes our mail; or it can't be reached, or connections to it
 * are lost with the mail on them.
 */
export const OUT_REASONS = ["refused", "unreachable"] as const;
export type OutReason = (typeof OUT_REASONS)[number];

const by = updatedByOf("t");

const columns = sql`t.account_id, t.id, t.name, t.host, t.port, t.tls, t.verify_certificate, t.username, t.password,
  t.ehlo_name, t.max_connections, t.rate_per_second, t.max_per_day, t.version, t.tested_at, t.test_ok, t.test_phase, t.test_code,
  t.test_text, t.size_limit, t.out_since, t.out_reason, t.out_detail, t.out_tries, t.next_try_at, t.created_at, t.updated_at, ${by},
  exists (select from transport_streams o where o.account_id = t.account_id and o.transport_id is distinct from t.id) as has_others,
  array(select s.stream from transport_streams s where s.account_id = t.account_id and s.transport_id = t.id
          and ${isFirst(sql`s`)} order by s.stream) as streams,
  exists (select from warmup_plans w where w.account_id = t.account_id and w.transport_id = t.id) as has_warmup`;

/** Holds for what stands first in the order of its stream. A place may be empty, because the transport in it was deleted. */
function isFirst(of: Sql): Sql {
  return sql`not exists (select from transport_streams f where f.account_id = ${of}.account_id and f.stream = ${of}.stream
                           and f.place < ${of}.place)`;
}

export async function insertTransport(
  tx: Tx,
  row: Unsigned<TransportRow>,
  actor: Actor,
): Promise<TransportRow> {
  const signed = await tx.one<Pick<TransportRow, "updated_by">>(sql`
    insert into transports as t (account_id, id, name, host, port, tls, verify_certificate, username, password, ehlo_name,
                            max_connections, rate_per_second, max_per_day, version, created_at, updated_at, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.host}, ${row.port}, ${row.tls}, ${row.verify_certificate},
            ${row.username}, ${row.password}, ${row.ehlo_name}, ${row.max_connections}, ${row.rate_per_second},
            ${row.max_per_day}, ${row.version}, ${row.created_at}, ${row.updated_at}, ${signing(actor)})
    returning ${by}`);
  return { ...row, ...signed };
}

export function findTransport(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<TransportRow | undefined> {
  return db.maybeOne<TransportRow>(
    prepared(sql`select ${columns} from transports t where t.account_id = ${accountId} and t.id = ${id}`),
  );
}

/** Locks the row against other edits, but not against a launch, which only needs it to stay. */
export function lockTransport(tx: Tx, accountId: string, id: string): Promise<TransportRow | undefined> {
  return tx.maybeOne<TransportRow>(sql`
    select ${columns} from transports t where t.account_id = ${accountId} and t.id = ${id} for no key update of t`);
}

/**
 * Locks the row against launches too: the next statement sees a launch that began before, and a later one finds the row
 * gone.
 */
export function lockForDelete(tx: Tx, accountId: string, id: string): Promise<TransportRow | undefined> {
  return tx.maybeOne<TransportRow>(sql`
    select ${columns} from transports t where t.account_id = ${accountId} and t.id = ${id} for update of t`);
}

/** The index transports_by_age serves it. */
export function listTransports(
  db: Queryable,
  accountId: string,
  stream: Stream | undefined,
  page: AgePage,
): Promise<TransportRow[]> {
  return db.many<TransportRow>(sql`
    select ${columns} from transports t where t.account_id = ${accountId} ${having(accountId, stream)}
      ${newestFirst(page, "t")}`);
}

export async function countTransports(
  db: Queryable,
  accountId: string,
  stream: Stream | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from transports t where t.account_id = ${accountId} ${having(accountId, stream)}`);
  return count;
}

/** The servers that an account's mail may leave by. An account has few transports. */
export function listTransportHosts(
  db: Queryable,
  accountId: string,
): Promise<{ id: string; name: string; host: string }[]> {
  return db.many(
    sql`select id, name, host from transports where account_id = ${accountId} order by created_at, id`,
  );
}

function having(accountId: string, stream: Stream | undefined) {
  if (stream === undefined) return sql``;
  return sql`and t.id = (
    select transport_id from transport_streams where account_id = ${accountId} and stream = ${stream} order by place limit 1)`;
}

/**
 * Writes what a client may edit, except for the streams; the row must be locked. The test result is written too, since a
 * test of the former settings says nothing about the new ones.
 */
export async function updateTransportRow(tx: Tx, row: TransportRow, actor: Actor): Promise<TransportRow> {
  const signed = await tx.one<Pick<TransportRow, "updated_by">>(sql`
    update transports t set name = ${row.name}, host = ${row.host}, port = ${row.port}, tls = ${row.tls},
      verify_certificate = ${row.verify_certificate}, username = ${row.username}, password = ${row.password},
      ehlo_name = ${row.ehlo_name}, max_connections = ${row.max_connections}, rate_per_second = ${row.rate_per_second}, max_per_day = ${row.max_per_day},
      version = ${row.version}, tested_at = ${row.tested_at}, test_ok = ${row.test_ok}, test_phase = ${row.test_phase},
      test_code = ${row.test_code}, test_text = ${row.test_text}, size_limit = ${row.size_limit}, updated_at = ${row.updated_at},
      ${signedBy(actor)}
    where account_id = ${row.account_id} and id = ${row.id} returning ${by}`);
  return { ...row, ...signed };
}

export type Finding = Pick<
  TransportRow,
  "tested_at" | "test_ok" | "test_phase" | "test_code" | "test_text" | "size_limit"
>;

/** Stores the result of a test, unless the transport was edited since. */
export async function storeFinding(
  tx: Tx,
  { account_id, id, version }: Pick<TransportRow, "account_id" | "id" | "version">,
  found: Finding,
): Promise<void> {
  await tx.execute(sql`
    update transports set tested_at = ${found.tested_at}, test_ok = ${found.test_ok}, test_phase = ${found.test_phase},
      test_code = ${found.test_code}, test_text = ${found.test_text}, size_limit = ${found.size_limit}
    where account_id = ${account_id} and id = ${id} and version = ${version}`);
}

/** Stores what the server says of its limit, unless the transport was edited since. */
export async function storeSizeLimit(
  db: Writable,
  { account_id, id, version }: Pick<TransportRow, "account_id" | "id" | "version">,
  sizeLimit: number,
): Promise<void> {
  await db.execute(sql`
    update transports set size_limit = ${sizeLimit}
    where account_id = ${account_id} and id = ${id} and version = ${version}`);
}

/** Deletes the transport, and its streams with it. */
export async function removeTransport(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from transports where account_id = ${accountId} and id = ${id}`);
}

/** The index sources_by_transport serves it. A wave doesn't count: it goes on by the account's other transport by itself. */
export async function countUsers(db: Queryable, accountId: string, id: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from sources
    where account_id = ${accountId} and transport_id = ${id} and state in ('running', 'paused') and revision_id <> id`);
  return count;
}

export type Sealed = { account_id: string; id: string; password: Buffer };

/**
 * Lists the sealed passwords of all accounts that follow `after` in the order of the key, for the rotation of SECRET_KEY.
 */
export function listSealed(db: Queryable, after: Sealed | undefined, limit: number): Promise<Sealed[]> {
  const beyond = after ? sql`and (account_id, id) > (${after.account_id}::uuid, ${after.id}::uuid)` : sql``;
  return db.many<Sealed>(sql`
    select account_id, id, password from transports where password is not null ${beyond}
    order by account_id, id limit ${limit}`);
}

/**
 * Replaces only the value that was read, because an edit may have come in between. The version stays, as nothing has
 * changed.
 */
export async function replaceSealed(
  db: Writable,
  { account_id, id, password }: Sealed,
  anew: Buffer,
): Promise<void> {
  await db.execute(sql`
    update transports set password = ${anew}
    where account_id = ${account_id} and id = ${id} and password = ${password}`);
}
