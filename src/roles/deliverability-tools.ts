import {
  type BlocklistTools,
  type ChecklistTools,
  configureBlocklists,
} from "../deliverability/deliverability.ts";
import { listEgressAddresses } from "../delivery/delivery.ts";
import type { App } from "./app.ts";

export type DeliverabilityTools = { readonly blocklists: BlocklistTools; readonly checklist: ChecklistTools };

/** What deliverability asks of other floors. */
export function deliverabilityTools(
  { config, dns }: Pick<App, "config" | "dns">,
  publicUrl: () => string,
): DeliverabilityTools {
  const { blocklists: named, dnsServers } = config;
  return {
    blocklists: {
      dns,
      blocklists: configureBlocklists({ named, dnsServers }),
      listAddresses: listEgressAddresses,
      listDomains: async () => [],
    },
    checklist: {
      publicUrl,
      listDomains: async () => [],
      findTests: async () => [],
      readReported: async () => null,
    },
  };
}
