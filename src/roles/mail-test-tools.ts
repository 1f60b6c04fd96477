import { createAddressLookUp } from "../deliverability/deliverability.ts";
import type { MailTestJobTools } from "../deliverability/jobs.ts";
import type { App } from "./app.ts";
import { deliverabilityTools } from "./deliverability-tools.ts";

/** What sending and examining the mail of a test needs. */
export function mailTestTools(app: App, publicUrl: () => string): MailTestJobTools {
  const { config, db, clock, dns, secrets, relay } = app;
  const { blocklists } = deliverabilityTools(app, publicUrl).blocklists;
  return {
    secrets,
    relay,
    internalHosts: config.internalHosts ?? [],
    report: {
      dns,
      inboundDomain: config.inboundDomain ?? "",
      offersTls: config.tlsCertFile !== undefined,
      spamd: config.spamd,
      rspamdUrl: config.rspamdUrl,
      lookUpBlocklists: createAddressLookUp({ db, clock, dns, blocklists }),
    },
  };
}
