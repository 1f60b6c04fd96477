import type { Listener } from "../platform/db/listen.ts";
import type { Route } from "../platform/http/route.ts";
import type { Secrets } from "../platform/secrets.ts";
import { subscriberActionRoutes } from "./action-routes.ts";
import { bulkRoutes } from "./bulk/routes.ts";
import type { HashAddress } from "./contact-store.ts";
import { customEventRoutes } from "./custom-events/routes.ts";
import type { SentCampaigns } from "./engagement/engagement.ts";
import type { CampaignRecipients } from "./exports/exports.ts";
import { exportRoutes } from "./exports/routes.ts";
import { fieldRoutes } from "./fields/routes.ts";
import { createProgressHints } from "./imports/imports.ts";
import { importRoutes } from "./imports/routes.ts";
import { type CheckWelcome, listRoutes } from "./lists/routes.ts";
import { segmentRoutes } from "./segments/routes.ts";
import { subscriberRoutes } from "./subscriber-routes.ts";
import type { ForgetElsewhere } from "./subscribers.ts";
import { sunsetRoutes } from "./sunset/routes.ts";
import { suppressionRoutes } from "./suppressions/routes.ts";
import { topicRoutes } from "./topics/routes.ts";

export { mountDownloads } from "./exports/routes.ts";

/** These are the routes of lists and their sunset policies, subscribers, segments, custom fields, tags, topics, suppressions, custom events, imports, exports and bulk changes. */
export function routesOfSubscribers(deps: {
  hashAddress: HashAddress;
  secrets: Secrets;
  uploadDir: string;
  listener: Pick<Listener, "listen">;
  campaigns: CampaignRecipients;
  sentCampaigns: SentCampaigns;
  forgetElsewhere: ForgetElsewhere;
  checkWelcome: CheckWelcome;
}): readonly Route[] {
  const { hashAddress: hash, secrets, uploadDir } = deps;
  return [
    ...listRoutes(deps.checkWelcome),
    ...sunsetRoutes(deps.sentCampaigns),
    ...subscriberRoutes(hash, deps.sentCampaigns),
    ...subscriberActionRoutes(deps),
    ...customEventRoutes,
    ...bulkRoutes,
    ...fieldRoutes,
    ...topicRoutes,
    ...segmentRoutes(deps.sentCampaigns),
    ...suppressionRoutes(hash),
    ...importRoutes({ uploadDir, hints: createProgressHints(deps.listener) }),
    ...exportRoutes(secrets, deps.campaigns),
  ];
}
