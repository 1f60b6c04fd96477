/**
 * A stream has transports in order of priority: its mail leaves by the first that isn't put out. That a transport has a stream
 * says that it is the first in that order.
 */
import { recordEvent } from "../../events/events.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import { type Fault, invalid } from "../../platform/problems.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import { STREAMS, type Stream } from "../types.ts";
import { chooseTransport } from "./choose-transport.ts";
import {
  holdTransports,
  listStreamTransports,
  lockOrders,
  replaceOrder,
  type StreamTransport,
} from "./order-store.ts";

/** How clients name the instance's server in an order. */
const INSTANCE = "instance";

export type Orders = Readonly<Partial<Record<Stream, readonly StreamTransport[]>>>;

export function ordersOf(all: readonly StreamTransport[]): Orders {
  return Object.groupBy(all, ({ stream }) => stream);
}

/**
 * Returns the transports that mail of a stream may leave by, in their order; none where it leaves by the instance's server, or
 * into the sandbox. The instance's server stands in it only where there is one.
 */
export function orderFor(
  stream: Stream,
  orders: Orders,
  hasInstanceServer: boolean,
): readonly StreamTransport[] {
  const isThere = ({ id }: StreamTransport) => hasInstanceServer || id !== INSTANCE_TRANSPORT;
  const usable = Object.entries(orders).map(([of, order]) => [of, order.filter(isThere)] as const);
  const own = Object.fromEntries(usable.filter(([, order]) => order.length > 0));
  return chooseTransport<readonly StreamTransport[]>(stream, own, hasInstanceServer) ?? [];
}

/** Returns the first that isn't put out, else the first of all: mail then waits for it. */
export function firstIn(order: readonly StreamTransport[]): StreamTransport | undefined {
  return order.find(({ isOut }) => !isOut) ?? order[0];
}

export type Order = {
  readonly stream: Stream;
  readonly transports: readonly string[];
  /** What the mail of the stream leaves by now; null where no transport of the account has it. */
  readonly leavesBy: string | null;
};

/** Lists the orders of all streams as clients see them. */
export async function listOrders(
  { sql, accountId }: Ctx,
  hasInstanceServer: boolean,
): Promise<readonly Order[]> {
  const orders = ordersOf(await listStreamTransports(sql, accountId));
  return STREAMS.map((stream) => {
    const own = orders[stream] ?? [];
    const chosen = firstIn(orderFor(stream, orders, hasInstanceServer));
    return {
      stream,
      transports: own.map(({ id }) => nameOf(id)),
      leavesBy: chosen ? nameOf(chosen.id) : null,
    };
  });
}

const nameOf = (id: string) => (id === INSTANCE_TRANSPORT ? INSTANCE : toPublicId("trn", id));

/**
 * Replaces the order of a stream. Sources that were launched keep the transport that they have, unless it is put out: what is
 * about to be sent by one server isn't torn apart by a change of the order.
 */
export async function setOrder(
  ctx: TxCtx,
  stream: Stream,
  names: readonly string[],
  hasInstanceServer: boolean,
): Promise<void> {
  const { sql, accountId } = ctx;
  await lockOrders(sql, accountId);
  const ids = names.map((name) => (name === INSTANCE ? INSTANCE_TRANSPORT : fromPublicId("trn", name)));
  const known = await holdTransports(
    sql,
    accountId,
    ids.filter((id) => id !== undefined),
  );
  const faults = names.flatMap((name, at) =>
    name === INSTANCE
      ? instanceFaults(at, names.length, hasInstanceServer)
      : faultIf(!known.has(ids[at] ?? ""), at, "not_found", "the account has no such transport"),
  );
  if (faults.length > 0) throw invalid(...faults);
  const before = await listStreamTransports(sql, accountId);
  const now = (ordersOf(before)[stream] ?? []).map(({ id }) => id);
  const wanted = ids.filter((id) => id !== undefined);
  if (now.join() === wanted.join()) return;
  await replaceOrder(sql, accountId, stream, wanted);
  await tellOfFirsts(ctx, before, null);
  await recordEvent(ctx, { type: "transport_pool.updated", data: { stream } });
}

function instanceFaults(at: number, count: number, hasInstanceServer: boolean): Fault[] {
  return [
    ...faultIf(
      !hasInstanceServer,
      at,
      "no_instance_server",
      "this instance has no server of its own (SMTP_URL)",
    ),
    ...faultIf(at !== count - 1, at, "not_last", "the instance's server can only be the last"),
  ];
}

function faultIf(isFault: boolean, at: number, code: string, detail: string): Fault[] {
  return isFault ? [{ pointer: `/transports/${at}`, code, detail }] : [];
}

/**
 * Gives the transport exactly these streams. In each that it hadn't it becomes the only one, as when a stream had but one; from
 * each that it loses it goes, and the next in the order follows.
 */
export async function giveStreams(ctx: TxCtx, id: string, streams: readonly Stream[]): Promise<void> {
  const { sql, accountId } = ctx;
  await lockOrders(sql, accountId);
  const before = await listStreamTransports(sql, accountId);
  const orders = ordersOf(before);
  for (const stream of STREAMS) {
    const ids = (orders[stream] ?? []).map((one) => one.id);
    const isWanted = streams.includes(stream);
    if ((ids[0] === id) === isWanted) continue;
    await replaceOrder(sql, accountId, stream, isWanted ? [id] : ids.slice(1));
  }
  await tellOfFirsts(ctx, before, id);
}

/** Records an event for each transport but one that now leads other streams than before. */
async function tellOfFirsts(
  ctx: TxCtx,
  before: readonly StreamTransport[],
  except: string | null,
): Promise<void> {
  const was = firstsOf(before);
  const is = firstsOf(await listStreamTransports(ctx.sql, ctx.accountId));
  const changed = STREAMS.filter((stream) => was[stream] !== is[stream]);
  const ids = new Set(changed.flatMap((stream) => [was[stream], is[stream]]));
  for (const id of ids) {
    if (id === undefined || id === except || id === INSTANCE_TRANSPORT) continue;
    const data = { transport_id: toPublicId("trn", id), changed: ["streams"] };
    await recordEvent(ctx, { type: "transport.updated", data });
  }
}

function firstsOf(all: readonly StreamTransport[]): Partial<Record<Stream, string>> {
  const orders = ordersOf(all);
  return Object.fromEntries(STREAMS.map((stream) => [stream, orders[stream]?.[0]?.id]));
}
