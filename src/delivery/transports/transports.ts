/**
 * Transports are an account's own SMTP servers, each with credentials that never come out again; each of its streams leaves
 * by one of them. What leaves by none of them leaves by the instance's server (SMTP_URL), or into the sandbox. `delivery.ts`
 * and the engine use this file alone.
 */
import { dayOf, requireFeature, type Unsigned, type UpdatedByRow } from "../../accounts/accounts.ts";
import { changedFields, recordEvent } from "../../events/events.ts";
import type { SmtpOptions } from "../../mail/smtp/smtp.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Db, Queryable, Writable } from "../../platform/db/db.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { createEgressFilter } from "../../platform/net/egress-filter.ts";
import { invalid, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import type { Stream } from "../types.ts";
import { limitDay } from "../warmup/warmup.ts";
import {
  connectionOf,
  openPassword,
  resealPassword,
  sealPassword,
  type TransportTools,
} from "./connection.ts";
import { BLANK, defaultPort, EDITABLE, type Editable, faultsOf, isReachedAlike } from "./input.ts";
import { holdStreamTransports, listStreamTransports, type StreamTransport } from "./order-store.ts";
import { firstIn, giveStreams, orderFor, ordersOf } from "./orders.ts";
import { forgetOut, reinstateTransport } from "./out.ts";
import { forgetRefusals } from "./out-store.ts";
import type { TransportCreate, TransportPatch } from "./schema.ts";
import {
  countUsers,
  findTransport,
  insertTransport,
  listSealed,
  lockForDelete,
  lockTransport,
  removeTransport,
  replaceSealed,
  type Sealed,
  storeSizeLimit,
  type TransportRow,
  updateTransportRow,
} from "./store.ts";

export { adviseOn } from "./advice.ts";
export type { TransportTools } from "./connection.ts";
export { listEgressAddresses, recordEgressAddress, removeOldEgressAddresses } from "./egress-store.ts";
export type { StreamTransport } from "./order-store.ts";
export { holdStreamTransports, listStreamTransports } from "./order-store.ts";
export { type Orders, orderFor, ordersOf } from "./orders.ts";
export { noteTry, putOut, reinstateTransport } from "./out.ts";
export { findTransportState } from "./out-store.ts";
export { createSmtpTransport, GO_AHEAD_TTL_MS, toAsciiDomain } from "./smtp-transport.ts";
export { listTransportHosts, type OutReason } from "./store.ts";
export type { Outcome, Outgoing, SendHooks, Transport } from "./transport.ts";
export { probeTransport } from "./try.ts";

/**
 * Returns one of the account's transports, else the instance's, which has no host here. In a transaction, the transport
 * can't be deleted until that ends.
 */
export async function transportFor(
  db: Queryable,
  accountId: string,
  stream: Stream,
  hasInstanceServer: boolean,
): Promise<{ id: string; host: string | undefined }> {
  const all = await holdStreamTransports(db, accountId);
  return leavingBy(all, stream, hasInstanceServer) ?? { id: INSTANCE_TRANSPORT, host: undefined };
}

/**
 * Asks the same where nothing is about to be sent yet, and returns the host, or undefined where it would be none of the
 * account's.
 */
export async function ownTransportHost(
  db: Queryable,
  accountId: string,
  stream: Stream,
  hasInstanceServer: boolean,
): Promise<string | undefined> {
  return leavingBy(await listStreamTransports(db, accountId), stream, hasInstanceServer)?.host;
}

/** Asks the same for what people call it; both are null for the instance's own, which may also be none. */
export async function findTransportName(
  db: Queryable,
  accountId: string,
  stream: Stream,
  hasInstanceServer: boolean,
): Promise<{ readonly id: string | null; readonly name: string | null }> {
  const chosen = await findTransportFor(db, accountId, stream, hasInstanceServer);
  const row = chosen && (await findTransport(db, accountId, chosen.id));
  return { id: row?.id ?? null, name: row?.name ?? null };
}

/** Asks the same for how many messages a second that transport takes; null where nobody has set a limit. */
export async function ownTransportRate(
  db: Queryable,
  accountId: string,
  stream: Stream,
  hasInstanceServer: boolean,
): Promise<number | null> {
  return (
    leavingBy(await listStreamTransports(db, accountId), stream, hasInstanceServer)?.rate_per_second ?? null
  );
}

/** Asks the same without holding it, and returns undefined where it would be none of the account's. */
export async function findTransportFor(
  db: Queryable,
  accountId: string,
  stream: Stream,
  hasInstanceServer: boolean,
): Promise<StreamTransport | undefined> {
  return leavingBy(await listStreamTransports(db, accountId), stream, hasInstanceServer);
}

/** Says who changed one of the account's transports last; undefined where it has no such transport. */
export async function findTransportChanger(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<UpdatedByRow | undefined> {
  return (await findTransport(db, accountId, id))?.updated_by;
}

/** Returns undefined where the account has no such transport. */
export async function findOwnTransport(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<Pick<StreamTransport, "id" | "sizeLimit"> | undefined> {
  const row = await findTransport(db, accountId, id);
  return row && { id, sizeLimit: row.size_limit };
}

/** Returns undefined for the instance's server, also where that is the last of an order. */
function leavingBy(
  all: readonly StreamTransport[],
  stream: Stream,
  hasInstanceServer: boolean,
): StreamTransport | undefined {
  const chosen = firstIn(orderFor(stream, ordersOf(all), hasInstanceServer));
  return chosen?.id === INSTANCE_TRANSPORT ? undefined : chosen;
}

export type AccountTransport = {
  /** A new version means that connections which were opened with the old one should be closed. */
  readonly version: number;
  readonly smtp: SmtpOptions;
  readonly ratePerSecond: number | null;
  /** Whether a plan says how much it is given in a day, for each provider. */
  readonly hasPlan: boolean;
  /** Whether it has a limit of a day, to all providers together. */
  readonly hasMost: boolean;
  /** What the server last said of the greatest message that it takes; null where it never did. */
  readonly sizeLimit: number | null;
  /** Whether it is put out. */
  readonly isOut: boolean;
  /** Whether another transport stands in an order of the account, so that mail may be able to move. */
  readonly hasOthers: boolean;
};

/** Returns undefined when the transport is gone, or when its password was sealed under a SECRET_KEY that is gone. */
export async function readTransport(
  db: Queryable,
  secrets: Secrets,
  accountId: string,
  id: string,
  internalHosts: readonly string[],
): Promise<AccountTransport | undefined> {
  const row = await findTransport(db, accountId, id);
  const smtp = row && connectionOf(row, secrets, internalHosts);
  if (!smtp) return undefined;
  return {
    version: row.version,
    smtp,
    ratePerSecond: row.rate_per_second,
    hasPlan: row.has_warmup,
    hasMost: row.max_per_day !== null,
    sizeLimit: row.size_limit,
    isOut: row.out_since !== null,
    hasOthers: row.has_others,
  };
}

/** Keeps what a server said when a connection to it was opened, where that is news. It may fail: the next one says it again. */
export async function noteSizeLimit(
  db: Writable,
  transport: { readonly accountId: string; readonly id: string; readonly version: number },
  sizeLimit: number,
): Promise<void> {
  const { accountId, id, version } = transport;
  await storeSizeLimit(db, { account_id: accountId, id, version }, sizeLimit).catch(() => undefined);
}

export async function createTransport(
  ctx: TxCtx,
  { secrets, internalHosts }: TransportTools,
  { password = null, ...input }: TransportCreate,
): Promise<TransportRow> {
  await requireFeature(ctx, "transports");
  const content: Editable = { ...BLANK, port: defaultPort(input.tls), ...input };
  refuse(faultsOf(createEgressFilter(internalHosts), undefined, content, password));
  const place = { account_id: ctx.accountId, id: newId(ctx.clock) };
  const now = ctx.clock.now();
  const made: Unsigned<TransportRow> = {
    ...place,
    ...content,
    password: password === null ? null : sealPassword(secrets, place, password),
    version: 1,
    has_warmup: false,
    ...UNTESTED,
    ...NOT_OUT,
    has_others: false,
    created_at: now,
    updated_at: now,
  };
  const row = await insertTransport(ctx.sql, made, ctx.actor);
  await recordEvent(ctx, { type: "transport.created", data: about(row.id) });
  await giveStreams(ctx, row.id, row.streams);
  return { ...row, streams: [...row.streams].sort() };
}

const NOT_OUT = { out_since: null, out_reason: null, out_detail: null, out_tries: 0, next_try_at: null };

const UNTESTED = {
  size_limit: null,
  tested_at: null,
  test_ok: null,
  test_phase: null,
  test_code: null,
  test_text: null,
};

export async function updateTransport(
  ctx: TxCtx,
  { secrets, internalHosts }: TransportTools,
  id: string,
  { password, ...patch }: TransportPatch,
  ifMatch: string | undefined,
): Promise<TransportRow> {
  const row = await lockTransport(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("transport");
  requireMatch(ifMatch, transportEtag(row));
  const content = { ...row, ...patch, streams: [...(patch.streams ?? row.streams)].sort() };
  const before = { row, hadPassword: row.password !== null };
  refuse(faultsOf(createEgressFilter(internalHosts), before, content, password));
  const isNewPassword = password !== undefined && isAnother(secrets, row, password);
  const changed = [
    ...changedFields<Editable>(row, content, EDITABLE),
    ...(isNewPassword ? ["password"] : []),
  ];
  if (changed.length === 0) return row;
  const isReachedAnew = isNewPassword || !isReachedAlike(row, content);
  const after = await updateTransportRow(
    ctx.sql,
    {
      ...content,
      ...(isNewPassword && { password: password === null ? null : sealPassword(secrets, row, password) }),
      ...(isReachedAnew ? UNTESTED : {}),
      version: row.version + 1,
      updated_at: ctx.clock.now(),
    },
    ctx.actor,
  );
  await recordEvent(ctx, { type: "transport.updated", data: { ...about(id), changed } });
  if (changed.includes("streams")) await giveStreams(ctx, id, after.streams);
  if (after.max_per_day !== null && changed.includes("max_per_day")) {
    const today = { accountId: ctx.accountId, transportId: id, day: dayOf(ctx.clock.now()) };
    await limitDay(ctx.sql, today, after.max_per_day);
  }
  if (isReachedAnew) await forgetRefusals(ctx.sql, ctx.accountId, id);
  return isReachedAnew && after.out_since ? ((await reinstateTransport(ctx, id, "edit")) ?? after) : after;
}

/**
 * Deletes a transport, and its streams fall back to another. It stays while running or paused sources use it, and these are
 * counted.
 */
export async function deleteTransport(ctx: TxCtx, id: string): Promise<{ readonly usedBy: number }> {
  const row = await lockForDelete(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("transport");
  const usedBy = await countUsers(ctx.sql, ctx.accountId, id);
  if (usedBy > 0) return { usedBy };
  await removeTransport(ctx.sql, ctx.accountId, id);
  await forgetOut(ctx, id);
  await recordEvent(ctx, { type: "transport.deleted", data: about(id) });
  return { usedBy };
}

function isAnother(secrets: Secrets, row: TransportRow, password: string | null): boolean {
  if (row.password === null || password === null) return row.password !== password;
  return openPassword(secrets, row, row.password) !== password;
}

function refuse(faults: ReturnType<typeof faultsOf>): void {
  if (faults.length > 0) throw invalid(...faults);
}

function about(id: string) {
  return { transport_id: toPublicId("trn", id) };
}

/** The ETag has the version in it, because nothing else shows that the password has changed. */
export function transportEtag(row: TransportRow): string {
  return etagOf({ version: row.version, streams: row.streams });
}

const SEALED_AT_ONCE = 100;

/** Seals all passwords under the new key after a rotation of SECRET_KEY, so that the old key can go. */
export async function resealPasswords(db: Db, secrets: Secrets): Promise<number> {
  let count = 0;
  let last: Sealed | undefined;
  do {
    const some: readonly Sealed[] = await listSealed(db, last, SEALED_AT_ONCE);
    for (const row of some) {
      const anew = resealPassword(secrets, row, row.password);
      if (anew) await replaceSealed(db, row, anew);
      count += anew ? 1 : 0;
    }
    last = some.at(-1);
  } while (last);
  return count;
}
