/** All routes of delivery: how mail leaves, and what the sandbox caught. */
import { type Route, readRoute } from "../platform/http/route.ts";
import { type SandboxTools, sandboxRoutes } from "./sandbox/routes.ts";
import { transportRoutes } from "./transports/routes.ts";
import { Sending } from "./transports/schema.ts";
import { ownTransportHost, type TransportTools } from "./transports/transports.ts";

type RouteTools = TransportTools &
  SandboxTools & {
    /** Whether the instance has a server of its own (SMTP_URL). */
    readonly hasInstanceServer: boolean;
  };

export function deliveryRoutes({
  owner,
  publicUrl,
  hasInstanceServer,
  ...tools
}: RouteTools): readonly Route[] {
  return [...sandboxRoutes({ owner, publicUrl }), ...transportRoutes(tools), sendingRoute(hasInstanceServer)];
}

const sendingRoute = (hasInstanceServer: boolean): Route =>
  readRoute({
    path: "/v1/sending",
    scope: "campaigns:read",
    tag: "Transports",
    summary: "Tell how campaigns leave",
    success: { status: 200, schema: Sending, description: "How campaigns leave now." },
    async handler({ ctx }) {
      const host = await ownTransportHost(ctx.sql, ctx.accountId, "campaign", hasInstanceServer);
      const leavesBy = host ? "transport" : hasInstanceServer ? "instance" : "sandbox";
      const body: Sending = { object: "sending", leaves_by: leavesBy, host: host ?? null };
      return { status: 200, body };
    },
  });
