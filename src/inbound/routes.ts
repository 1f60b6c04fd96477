import type { Route } from "../platform/http/route.ts";
import { itemRoutes } from "./intake/routes.ts";
import type { ItemTools } from "./intake/show-items.ts";

export function inboundRoutes(tools: Omit<ItemTools, "listReports">): readonly Route[] {
  return [...itemRoutes({ ...tools, listReports: async () => [] })];
}
