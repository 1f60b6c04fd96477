import type { MailTestJobTools } from "../deliverability/jobs.ts";
import type { App } from "./app.ts";
import type { deliverabilityTools } from "./deliverability-tools.ts";

/** What sending and examining the mail of a test needs. */
export function mailTestTools(
  { config, dns, secrets, relay }: App,
  { lookUpBlocklists }: Pick<ReturnType<typeof deliverabilityTools>, "lookUpBlocklists">,
): MailTestJobTools {
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
      lookUpBlocklists,
    },
  };
}
