import type { Route } from "../platform/http/route.ts";
import { toPublicId } from "../platform/ids.ts";
import { listReports } from "./acting/acting.ts";
import { itemRoutes } from "./intake/routes.ts";
import type { ItemTools } from "./intake/show-items.ts";
import type { MailboxTools } from "./mailboxes/mailboxes.ts";
import { mailboxRoutes } from "./mailboxes/routes.ts";
import type { EndpointTools } from "./providers/endpoints.ts";
import { endpointRoutes } from "./providers/routes.ts";
import { stormRoutes } from "./storms/routes.ts";

export function inboundRoutes(
  tools: EndpointTools & MailboxTools & Omit<ItemTools, "listReports">,
): readonly Route[] {
  return [
    ...stormRoutes(),
    ...endpointRoutes(tools),
    ...mailboxRoutes(tools),
    ...itemRoutes({ ...tools, listReports: showReports(tools) }),
  ];
}

function showReports({ secrets }: Pick<ItemTools, "secrets">): ItemTools["listReports"] {
  return async (db, accountId, itemIds) => {
    const reports = await listReports(db, secrets, accountId, itemIds);
    return reports.map(
      ({ n: _n, personId: _person, sourceId, contactId, matchedBy, stormId, ...report }) => ({
        ...report,
        matched_by: matchedBy,
        storm_id: stormId && toPublicId("stm", stormId),
        named: sourceId && contactId ? { sourceId, contactId } : null,
      }),
    );
  };
}
