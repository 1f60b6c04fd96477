import type { Route } from "../platform/http/route.ts";
import type { MailboxTools } from "./mailboxes/mailboxes.ts";
import { mailboxRoutes } from "./mailboxes/routes.ts";

export function inboundRoutes(tools: MailboxTools): readonly Route[] {
  return [...mailboxRoutes(tools)];
}
