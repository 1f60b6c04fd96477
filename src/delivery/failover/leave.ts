/** A sender that finds a transport lost leaves it here: it is put out, and its sources move, in one transaction. */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../ids.ts";
import { notifyReady } from "../ledger/ledger.ts";
import {
  findTransportState,
  holdStreamTransports,
  listStreamTransports,
  type Orders,
  type OutReason,
  orderFor,
  ordersOf,
  putOut,
} from "../transports/transports.ts";
import type { Stream } from "../types.ts";
import {
  hasMoved,
  type Leaving,
  listStreamsBy,
  lockMoves,
  moveStream,
  noteRefusedBy,
  takesMail,
} from "./move-store.ts";
import type { LeaveReason } from "./reach.ts";

export type FailoverTools = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** The instance's server, which may stand last in an order. */
  readonly relay: unknown;
};

/** What a sender knows of the transport that it leaves, and the source by which it found out. */
export type Left = {
  readonly accountId: string;
  readonly transportId: string;
  readonly version: number;
  readonly source: { readonly id: string; readonly stream: Stream };
  readonly reason: LeaveReason;
  readonly detail: string;
  /** Whether the server takes the mail of other sources, so that this one alone is refused. */
  readonly isAlone?: boolean;
};

/**
 * Puts the transport out and moves what was to leave by it. Returns whether the source can go on: by another, or by this one where
 * it was edited or came back since. Where there is no other that is in, it stays. The instance's server is everybody's, so it is never put out,
 * nor is one that refuses a single source (its sender, say): then that source alone moves, and to none that has refused it already.
 */
export async function leaveTransport(tools: FailoverTools, left: Left): Promise<boolean> {
  const { accountId, transportId, source } = left;
  if (transportId === SANDBOX_TRANSPORT) return false;
  const staysIn = transportId === INSTANCE_TRANSPORT || left.isAlone === true;
  const isAnother = (one: { readonly id: string }) => one.id !== transportId;
  const orders = ordersOf(await listStreamTransports(tools.db, accountId));
  if (!orderFor(source.stream, orders, hasServer(tools)).some(isAnother)) return false;
  return tools.db.transaction(async (tx) => {
    const ctx = systemCtx(tools, tx, accountId);
    await lockMoves(tx, accountId);
    if (left.reason === "put_off" && (await takesMail(tx, accountId, transportId, ctx.clock.now())))
      return true;
    const reason = left.reason === "refused" ? left.reason : "unreachable";
    if (!(staysIn ? await isEdited(tx, left) : await isWell(ctx, { ...left, reason }))) {
      const alone = staysIn && { sourceId: source.id, isRefused: reason === "refused" };
      const moved = await moveSources(tools, ctx, { transportId, ...alone });
      if (!moved.has(source.id))
        // Another sender may have found it out a moment ago.
        return hasMoved(tx, accountId, source.id, transportId);
    }
    return true;
  });
}

/**
 * Moves what was to leave by a transport that is put out or gone, as when a source was launched while that happened. Any sender
 * calls it whenever it meets such a source. Returns whether this source leaves by another now.
 */
export function moveFromOut(
  tools: FailoverTools,
  accountId: string,
  leaving: { readonly transportId: string; readonly sourceId: string },
): Promise<boolean> {
  const { transportId, sourceId } = leaving;
  if (transportId === SANDBOX_TRANSPORT || transportId === INSTANCE_TRANSPORT) return Promise.resolve(false);
  return tools.db.transaction(async (tx) => {
    await lockMoves(tx, accountId);
    const moved = await moveSources(tools, systemCtx(tools, tx, accountId), { transportId });
    return moved.has(sourceId);
  });
}

/**
 * Moves sources to the first of their stream's order that is in and hasn't refused them; all of them where their transport is out or gone, and a
 * single one also where it is in. The transports can't be deleted or put out meanwhile.
 */
async function moveSources(tools: FailoverTools, ctx: TxCtx, leaving: Leaving): Promise<ReadonlySet<string>> {
  const { sql, accountId, log } = ctx;
  const orders: Orders = ordersOf(await holdStreamTransports(sql, accountId));
  if (leaving.isRefused) await noteRefusedBy(sql, accountId, leaving);
  const moved = new Set<string>();
  for (const stream of await listStreamsBy(sql, accountId, leaving)) {
    const order = orderFor(stream, orders, hasServer(tools));
    const own = order.find(({ id }) => id === leaving.transportId);
    const isLeft = !own || own.isOut || leaving.sourceId !== undefined;
    const next = order.filter(({ id, isOut }) => id !== leaving.transportId && !isOut).map(({ id }) => id);
    if (next.length === 0 || !isLeft) continue;
    for (const id of await moveStream(sql, accountId, leaving, stream, next, ctx.clock.now())) {
      moved.add(id);
      await notifyReady(sql, id);
    }
    sql.afterCommit(() =>
      log.info({ from: leaving.transportId, to: next, stream, sources: moved.size }, "sources moved"),
    );
  }
  return moved;
}

/** Puts the transport out. Returns whether it is in all the same: then what was found is about what it was before an edit. */
async function isWell(ctx: TxCtx, left: Left & { readonly reason: OutReason }): Promise<boolean> {
  if (await putOut(ctx, left.transportId, left)) return false;
  const row = await findTransportState(ctx.sql, left.accountId, left.transportId);
  return row !== undefined && !row.isOut;
}

/** Says whether a transport was edited since, and may take the mail now. The instance's server has no row. */
async function isEdited(tx: Tx, { accountId, transportId, version }: Left): Promise<boolean> {
  const row = await findTransportState(tx, accountId, transportId);
  return row !== undefined && !row.isOut && row.version !== version;
}

const hasServer = ({ relay }: FailoverTools) => relay !== undefined;
