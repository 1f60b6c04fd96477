import {
  type BlocklistTools,
  type ChecklistTools,
  configureBlocklists,
  type OwnAddresses,
  readAlignment,
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
    dmarc: {
      dns,
      ownAddresses: async (db, accountId) =>
        (await listEgressAddresses(db, accountId)).map(({ address }) => address),
    },
    checklist: {
      publicUrl,
      listDomains: async () => [],
      findTests: async () => [],
      readReported: async (db, accountId, since) => {
        const from = since.toISOString().slice(0, 10);
        const rows = await readAlignment(db, accountId, { from, to: "9999-12-31" });
        const sum = (pick: (row: (typeof rows)[number]) => number) =>
          rows.reduce((total, row) => total + pick(row), 0);
        return rows.length === 0
          ? null
          : {
              messages: sum((row) => row.messages),
              aligned: sum((row) => row.aligned),
              dkimAligned: sum((row) => row.dkimAligned),
              spfAligned: sum((row) => row.spfAligned),
            };
      },
    },
  };
}
