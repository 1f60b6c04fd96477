/** All routes of deliverability, for the `api` role. */
import type { Route } from "../platform/http/route.ts";
import type { BlocklistTools } from "./blocklists/blocklists.ts";
import { blocklistRoutes } from "./blocklists/routes.ts";

export function deliverabilityRoutes(tools: { readonly blocklists: BlocklistTools }): readonly Route[] {
  return [...blocklistRoutes(tools.blocklists)];
}
