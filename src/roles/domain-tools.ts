/** Domains ask floors above theirs what their records have to say. Every role that deals with domains gets the same tools. */
import { dmarcAddressOf } from "../accounts/accounts.ts";
import { listEgressAddresses, listTransportHosts } from "../delivery/delivery.ts";
import type { DomainTools } from "../domains/domains.ts";
import { createFetchTracking } from "../domains/domains.ts";
import { createGuardedClient } from "../platform/net/guarded-client.ts";
import type { App } from "./app.ts";

type DomainApp = Pick<App, "db" | "clock" | "log" | "secrets" | "dns" | "relay"> & {
  readonly config: Pick<App["config"], "inboundDomain" | "internalHosts">;
};

export function domainTools(app: DomainApp, publicUrl: () => string): DomainTools {
  const { db, clock, log, secrets, dns, relay } = app;
  const { inboundDomain, internalHosts = [] } = app.config;
  return {
    db,
    clock,
    log,
    secrets,
    dns,
    publicUrl,
    inboundDomain,
    fetchTracking: createFetchTracking(createGuardedClient({ internalHosts })),
    reportAddress: (accountId) =>
      inboundDomain === undefined ? null : dmarcAddressOf(accountId, inboundDomain),
    async readSenders(connection, accountId) {
      const own = await listTransportHosts(connection, accountId);
      const seen = await listEgressAddresses(connection, accountId);
      const addressesOf = (id: string | null) =>
        seen.filter(({ transportId }) => transportId === id).map(({ address }) => address);
      const senders = own.map(({ id, name, host }) => ({ name, host, addresses: addressesOf(id) }));
      if (!relay) return senders;
      return [...senders, { name: "The instance's own", host: relay.host, addresses: addressesOf(null) }];
    },
  };
}
