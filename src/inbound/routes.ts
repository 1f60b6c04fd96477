import type { Route } from "../platform/http/route.ts";
import { itemRoutes } from "./intake/routes.ts";
import type { ItemTools } from "./intake/show-items.ts";
import type { EndpointTools } from "./providers/endpoints.ts";
import { endpointRoutes } from "./providers/routes.ts";

export function inboundRoutes(tools: Omit<ItemTools, "listReports"> & EndpointTools): readonly Route[] {
  return [...itemRoutes({ ...tools, listReports: async () => [] }), ...endpointRoutes(tools)];
}
