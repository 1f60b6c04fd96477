import type { Listener } from "../platform/db/listen.ts";
import type { Route } from "../platform/http/route.ts";
import type { Secrets } from "../platform/secrets.ts";
import { subscriberActionRoutes } from "./action-routes.ts";
import type { HashAddress } from "./contact-store.ts";
import { exportRoutes } from "./exports/export-routes.ts";
import type { CampaignRecipients } from "./exports/exports.ts";
import { fieldRoutes } from "./field-routes.ts";
import { importRoutes } from "./imports/import-routes.ts";
import { createProgressHints } from "./imports/progress.ts";
import { listRoutes } from "./list-routes.ts";
import { segmentRoutes } from "./segments/segment-routes.ts";
import { subscriberRoutes } from "./subscriber-routes.ts";
import type { ForgetElsewhere } from "./subscribers.ts";
import { suppressionRoutes } from "./suppression-routes.ts";

export { mountDownloads } from "./exports/export-routes.ts";

/** Everything under lists, subscribers, segments, custom fields, tags, suppressions, imports and exports. */
export function routesOfSubscribers(deps: {
  hashAddress: HashAddress;
  secrets: Secrets;
  uploadDir: string;
  listener: Pick<Listener, "listen">;
  campaigns: CampaignRecipients;
  forgetElsewhere: ForgetElsewhere;
}): readonly Route[] {
  const { hashAddress: hash, secrets, uploadDir } = deps;
  return [
    ...listRoutes,
    ...subscriberRoutes(hash),
    ...subscriberActionRoutes(deps),
    ...fieldRoutes,
    ...segmentRoutes,
    ...suppressionRoutes(hash),
    ...importRoutes({ uploadDir, hints: createProgressHints(deps.listener) }),
    ...exportRoutes(secrets, deps.campaigns),
  ];
}
