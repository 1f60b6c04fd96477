import type { MessageTools } from "../messages/messages.ts";
import type { Listener } from "../platform/db/listen.ts";
import type { Route } from "../platform/http/route.ts";
import type { HashAddress } from "../subscribers/subscribers.ts";
import { campaignRoutes } from "./editing/routes.ts";
import { actionRoutes } from "./lifecycle/routes.ts";
import { listRoutes } from "./list-routes.ts";
import { mailRoutes } from "./mail-routes.ts";
import { lookRoutes } from "./read-routes.ts";
import { recipientRoutes } from "./recipients/routes.ts";
import { statsRoutes } from "./stats/routes.ts";

/** All routes of campaigns. */
export function routesOfCampaigns(
  deps: MessageTools & {
    readonly listener: Pick<Listener, "listen">;
    readonly hashAddress: HashAddress;
  },
): readonly Route[] {
  return [
    ...listRoutes(),
    ...campaignRoutes(deps),
    ...actionRoutes(deps),
    ...lookRoutes(deps, deps.listener),
    ...mailRoutes(deps),
    ...recipientRoutes(deps.hashAddress),
    ...statsRoutes(),
  ];
}
