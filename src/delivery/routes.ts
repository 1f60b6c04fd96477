/** All routes of delivery: the servers that mail leaves by, how they are warmed up, and what the sandbox caught. */
import type { Route } from "../platform/http/route.ts";
import { type SandboxTools, sandboxRoutes } from "./sandbox/routes.ts";
import { type TransportRouteTools, transportRoutes } from "./transports/routes.ts";
import { warmupRoutes } from "./warmup/routes.ts";

export function deliveryRoutes({
  owner,
  publicUrl,
  ...tools
}: TransportRouteTools & SandboxTools): readonly Route[] {
  return [...sandboxRoutes({ owner, publicUrl }), ...transportRoutes(tools), ...warmupRoutes];
}
