/** All routes of deliverability, for the `api` role. */
import type { Route } from "../platform/http/route.ts";
import type { BlocklistTools } from "./blocklists/blocklists.ts";
import { blocklistRoutes } from "./blocklists/routes.ts";
import { byProviderRoutes } from "./by-provider/routes.ts";
import type { ChecklistTools } from "./checklist/checklist.ts";
import { checklistRoutes } from "./checklist/routes.ts";
import type { OwnAddresses } from "./dmarc/dmarc.ts";
import { dmarcRoutes } from "./dmarc/routes.ts";
import type { BeginTools } from "./mail-tests/mail-tests.ts";
import { mailTestRoutes } from "./mail-tests/routes.ts";

export function deliverabilityRoutes(tools: {
  readonly blocklists: BlocklistTools;
  readonly checklist: ChecklistTools;
  readonly dmarc: { readonly ownAddresses: OwnAddresses };
  readonly mailTests: BeginTools;
}): readonly Route[] {
  return [
    ...blocklistRoutes(tools.blocklists),
    ...byProviderRoutes(),
    ...checklistRoutes(tools.checklist),
    ...dmarcRoutes(tools.dmarc),
    ...mailTestRoutes(tools.mailTests),
  ];
}
