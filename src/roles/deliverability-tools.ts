import {
  type BlocklistTools,
  type ChecklistTools,
  configureBlocklists,
  type OwnAddresses,
} from "../deliverability/deliverability.ts";
import { listEgressAddresses } from "../delivery/delivery.ts";
import type { Dns } from "../platform/dns.ts";
import type { App } from "./app.ts";

export type DeliverabilityTools = {
  readonly blocklists: BlocklistTools;
  readonly checklist: ChecklistTools;
  readonly dmarc: { readonly dns: Dns; readonly ownAddresses: OwnAddresses };
};

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
    dmarc: {
      dns,
      ownAddresses: async (db, accountId) =>
        (await listEgressAddresses(db, accountId)).map(({ address }) => address),
    },
  };
}
