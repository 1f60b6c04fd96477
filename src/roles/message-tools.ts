import { createBouncePathCheck } from "../inbound/inbound.ts";
import type { MessageTools } from "../messages/messages.ts";
import type { App } from "./app.ts";
import type { Http } from "./http.ts";

/** Messages are examined and frozen with the same tools in whichever role it happens. */
export function messageTools(app: App, http: Http): MessageTools {
  const { publicUrl, inboundDomain } = app.config;
  return {
    workers: app.contentWorkers,
    publicUrl: () => publicUrl ?? http.baseUrl(),
    inboundDomain,
    hasBouncePath: createBouncePathCheck(inboundDomain),
    relayHost: app.relay?.host,
    internalHosts: app.config.internalHosts ?? [],
    served: app.served,
    signing: app.signing,
    unverifiedSenders: app.config.unverifiedSenders,
  };
}
