/** Domains ask floors above theirs what their records have to say. Every role that deals with domains gets the same tools. */
import { listTransportHosts } from "../delivery/delivery.ts";
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
    reportAddress: () => null,
    async readSenders(connection, accountId) {
      const own = await listTransportHosts(connection, accountId);
      const senders = own.map(({ name, host }) => ({ name, host, addresses: [] }));
      return relay ? [...senders, { name: "The instance's own", host: relay.host, addresses: [] }] : senders;
    },
  };
}
