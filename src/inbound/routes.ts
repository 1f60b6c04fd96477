import type { Route } from "../platform/http/route.ts";
import type { MailboxTools } from "./mailboxes/mailboxes.ts";
import { mailboxRoutes } from "./mailboxes/routes.ts";
import type { EndpointTools } from "./providers/endpoints.ts";
import { endpointRoutes } from "./providers/routes.ts";

export function inboundRoutes(tools: EndpointTools & MailboxTools): readonly Route[] {
  return [...endpointRoutes(tools), ...mailboxRoutes(tools)];
}
