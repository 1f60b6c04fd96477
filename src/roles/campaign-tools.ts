import type { Tools } from "../campaigns/campaigns.ts";
import type { App } from "./app.ts";
import type { Http } from "./http.ts";

/** The same in whichever role a campaign is launched. */
export function campaignTools(app: App, http: Http): Tools {
  const { publicUrl } = app.config;
  return {
    workers: app.contentWorkers,
    publicUrl: () => publicUrl ?? http.baseUrl(),
    relayHost: app.relay?.host,
    internalHosts: app.config.internalHosts ?? [],
    served: app.served,
    dkimKeys: app.dkimKeys,
  };
}
