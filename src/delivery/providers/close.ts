/** Closes a mailbox provider, and opens it again, in a transaction: the row, what senders are told and the alert belong together. */
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { sendPutOffKind } from "../job-kinds.ts";
import { tellOfClosing, tellOfOpening } from "./closing-alerts.ts";
import { closeAgain } from "./closing-rules.ts";
import {
  type Closing,
  type ClosingKey,
  type ClosingReason,
  listClosed,
  lockClosing,
  openByHand,
  type ToldBy,
  writeClosing,
  writeTaken,
} from "./closing-store.ts";

export type ClosingCause = {
  readonly reason: ClosingReason;
  readonly closeMs: number;
  readonly alert: boolean;
  /** What was said, without addresses. */
  readonly reply: string | null;
  readonly toldBy: ToldBy;
};

/** Closes it, in the name of the account whose mail met it. Returns how it is closed now, also where it was before. */
export async function closeProvider(ctx: TxCtx, key: ClosingKey, cause: ClosingCause): Promise<Closing> {
  const { reason, closeMs, alert, reply, toldBy } = cause;
  const now = ctx.clock.now();
  const known = await lockClosing(ctx.sql, key, ctx.accountId, now);
  const closed = closeAgain(known, closeMs, now);
  if (known && !closed) return known;
  const closing: Closing = {
    ...key,
    ...(closed ?? { closedAt: now, until: now, times: 1 }),
    reason,
    reply,
    toldBy,
    metBy: ctx.accountId,
    takenAt: null,
  };
  await writeClosing(ctx.sql, closing);
  await tellOfClosing(ctx, closing, alert);
  return closing;
}

/** Notes that the provider takes mail again; the alert about it is over. */
export async function noteTaken(ctx: TxCtx, closing: Closing): Promise<void> {
  if (await writeTaken(ctx.sql, closing, closing.closedAt, ctx.clock.now()))
    await tellOfOpening(ctx, closing);
}

/** Opens a provider for an account's own transport, and has what waited for it called back. */
export async function reopenProvider(ctx: TxCtx, transportId: string, provider: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  const opened = await openByHand(sql, { accountId, transportId, provider }, now);
  if (opened.length === 0) return;
  for (const one of opened) await tellOfOpening(ctx, one);
  await addJob(sql, sendPutOffKind, {
    account_id: accountId,
    transport_id: transportId,
    closed_until: new Date(Math.min(...opened.map(({ until }) => until.getTime()))).toISOString(),
    opened_at: now.toISOString(),
  });
}

export type ShownClosing = {
  readonly transport_id: string;
  readonly provider: string;
  /** null where it holds for all domains. */
  readonly from_domain: string | null;
  readonly since: Date;
  readonly until: Date;
  readonly reason: ClosingReason;
  readonly reply: string | null;
};

/**
 * Lists what is closed now for an account on these transports; of the instance's server, also what is closed for all accounts. What was said to
 * another account's mail may name that account's domain, and isn't shown.
 */
export async function readClosings(
  db: Queryable,
  accountId: string,
  transportIds: readonly string[],
  now: Date,
): Promise<readonly ShownClosing[]> {
  const closed = await listClosed(db, accountId, transportIds, now);
  return closed.map(({ transportId, provider, fromDomain, closedAt, until, reason, reply, metBy }) => ({
    transport_id: transportId,
    provider,
    from_domain: fromDomain || null,
    since: closedAt,
    until,
    reason,
    reply: metBy === accountId ? reply : null,
  }));
}
