/** The routes of orders: which transports a stream has, the first of them first. */
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { oneOf, Strict } from "../../platform/http/schemas.ts";
import { STREAMS } from "../types.ts";
import { TransportPool, TransportPoolInput, TransportPoolList } from "./order-schema.ts";
import { listOrders, type Order, setOrder } from "./orders.ts";

const Params = Strict({ stream: oneOf(STREAMS) });
const tag = "Transports";

export const orderRoutes = (hasInstanceServer: boolean): readonly Route[] => [
  readRoute({
    path: "/v1/transport_pools",
    scope: "transports:read",
    tag,
    summary: "List the orders of transports",
    description: "For each stream the transports that it has, in order of priority.",
    success: { status: 200, schema: TransportPoolList, description: "The orders of all streams." },
    async handler({ ctx }) {
      const data = (await listOrders(ctx, hasInstanceServer)).map(shapeOrder);
      const body = { object: "list" as const, data, has_more: false as const, next_cursor: null };
      return { status: 200, body };
    },
  }),
  readRoute({
    path: "/v1/transport_pools/:stream",
    scope: "transports:read",
    tag,
    summary: "Get a stream's order of transports",
    params: Params,
    success: { status: 200, schema: TransportPool, description: "The order of the stream." },
    handler: async ({ ctx, params: { stream } }) => ({
      status: 200,
      body: pick(await listOrders(ctx, hasInstanceServer), stream),
    }),
  }),
  writeRoute({
    method: "PUT",
    path: "/v1/transport_pools/:stream",
    scope: "transports:write",
    audit: { action: "transport_pool.updated", of: "account" },
    tag,
    summary: "Set a stream's order of transports",
    description:
      "Mail of the stream leaves by the first that isn't put out. What is being sent keeps its transport until that is put out. An " +
      "empty order leaves the stream as if it had none of its own. `instance` is refused where the instance has no server.",
    params: Params,
    body: TransportPoolInput,
    success: { status: 200, schema: TransportPool, description: "The order as it now is." },
    async handler({ ctx, params: { stream }, body }) {
      await setOrder(ctx, stream, body.transports, hasInstanceServer);
      return { status: 200, body: pick(await listOrders(ctx, hasInstanceServer), stream) };
    },
  }),
];

function pick(all: readonly Order[], stream: Order["stream"]): TransportPool {
  return shapeOrder(all.find((one) => one.stream === stream) ?? { stream, transports: [], leavesBy: null });
}

function shapeOrder({ stream, transports, leavesBy }: Order): TransportPool {
  return { object: "transport_pool", stream, transports: [...transports], leaves_by: leavesBy };
}
