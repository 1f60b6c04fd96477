import { type BlocklistTools, configureBlocklists } from "../deliverability/deliverability.ts";
import type { App } from "./app.ts";

export type DeliverabilityTools = { readonly blocklists: BlocklistTools };

/** What deliverability asks of other floors. */
export function deliverabilityTools({ config, dns }: Pick<App, "config" | "dns">): DeliverabilityTools {
  const { blocklists: named, dnsServers } = config;
  return {
    blocklists: {
      dns,
      blocklists: configureBlocklists({ named, dnsServers }),
      listAddresses: async () => [],
      listDomains: async () => [],
    },
  };
}
