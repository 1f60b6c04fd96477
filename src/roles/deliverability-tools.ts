import {
  type AddressOnList,
  type BlocklistTools,
  type ChecklistTools,
  configureBlocklists,
  createAddressLookUp,
  findNewestReports,
  type OwnAddresses,
  readAlignment,
} from "../deliverability/deliverability.ts";
import { listEgressAddresses } from "../delivery/delivery.ts";
import { listDomainRecords } from "../domains/domains.ts";
import type { Dns } from "../platform/dns.ts";
import type { App } from "./app.ts";

export type DeliverabilityTools = {
  readonly blocklists: BlocklistTools;
  readonly checklist: ChecklistTools;
  readonly dmarc: { readonly dns: Dns; readonly ownAddresses: OwnAddresses };
};
type AllTools = DeliverabilityTools & {
  /** Null where lists are off. */
  readonly lookUpBlocklists: (ip: string) => Promise<readonly AddressOnList[] | null>;
};

/** What deliverability asks of other floors, and its rooms of each other. */
export function deliverabilityTools(
  { config, dns, db, clock }: Pick<App, "config" | "dns" | "db" | "clock">,
  publicUrl: () => string,
): AllTools {
  const { blocklists: named, dnsServers } = config;
  const blocklists = configureBlocklists({ named, dnsServers });
  const lookUp = createAddressLookUp({ db, clock, dns, blocklists });
  return {
    blocklists: {
      dns,
      blocklists,
      listAddresses: listEgressAddresses,
      listDomains: async (on, accountId) => (await listDomainRecords(on, accountId)).map(({ name }) => name),
    },
    lookUpBlocklists: async (ip) => (blocklists.whyOff === null ? lookUp(ip) : null),
    checklist: {
      publicUrl,
      listDomains: listDomainRecords,
      findTests: async (on, accountId, since) =>
        (await findNewestReports(on, accountId, since)).map(({ at, report }) => ({
          at,
          items: report.groups.flatMap(({ items }) => items),
        })),
      readReported,
    },
    dmarc: { dns, ownAddresses: listOwnAddresses },
  };
}

const listOwnAddresses: OwnAddresses = async (db, accountId) =>
  (await listEgressAddresses(db, accountId)).map(({ address }) => address);

/** Counts all domains together, since the checklist is about the account. */
const readReported: ChecklistTools["readReported"] = async (db, accountId, since) => {
  const own = await listOwnAddresses(db, accountId);
  const reported = await readAlignment(db, accountId, { own, fromDay: since.toISOString().slice(0, 10) });
  return reported.messages > 0 ? reported : null;
};
