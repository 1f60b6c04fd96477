import type { Route } from "../platform/http/route.ts";
import { itemRoutes } from "./intake/routes.ts";
import type { ItemTools } from "./intake/show-items.ts";
import type { MailboxTools } from "./mailboxes/mailboxes.ts";
import { mailboxRoutes } from "./mailboxes/routes.ts";
import type { EndpointTools } from "./providers/endpoints.ts";
import { endpointRoutes } from "./providers/routes.ts";

export function inboundRoutes(
  tools: EndpointTools & MailboxTools & Omit<ItemTools, "listReports">,
): readonly Route[] {
  // What stands at a fixed address comes before an item's id.
  return [
    ...endpointRoutes(tools),
    ...mailboxRoutes(tools),
    ...itemRoutes({ ...tools, listReports: async () => [] }),
  ];
}
