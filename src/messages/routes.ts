import { INSTANCE_TRANSPORT, ownTransportRate, readClosings, shapeClosing } from "../delivery/delivery.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { authoringRoutes } from "./authoring/routes.ts";
import { checkSending, type MessageTools } from "./checking/checking.ts";
import { Sending } from "./schema.ts";

/** The first route says by what campaigns leave, and what stands in the way of all of them. */
export function messageRoutes(tools: MessageTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/sending",
      scope: "campaigns:read",
      tag: "Transports",
      summary: "Tell how campaigns leave",
      success: { status: 200, schema: Sending, description: "How campaigns leave now." },
      async handler({ ctx }) {
        const { sql, accountId, clock } = ctx;
        const hasServer = tools.relayHost !== undefined;
        const [{ ownHost, checks }, rate, closings] = await Promise.all([
          checkSending(ctx, tools),
          ownTransportRate(sql, accountId, "campaign", hasServer),
          hasServer ? readClosings(sql, accountId, [INSTANCE_TRANSPORT], clock.now()) : [],
        ]);
        const leavesBy = ownHost ? "transport" : tools.relayHost ? "instance" : "sandbox";
        const body: Sending = {
          object: "sending",
          leaves_by: leavesBy,
          host: ownHost ?? null,
          rate_per_second: rate,
          has_instance_server: hasServer,
          closings: closings.map(shapeClosing),
          checks: [...checks],
        };
        return { status: 200, body };
      },
    }),
    ...authoringRoutes(tools),
  ];
}
