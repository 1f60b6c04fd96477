import type { Route } from "../platform/http/route.ts";
import type { EndpointTools } from "./providers/endpoints.ts";
import { endpointRoutes } from "./providers/routes.ts";

export function inboundRoutes(tools: EndpointTools): readonly Route[] {
  return [...endpointRoutes(tools)];
}
