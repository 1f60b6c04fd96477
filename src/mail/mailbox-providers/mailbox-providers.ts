/** Says whose mailboxes the addresses of a domain are, by the domain itself or by the servers that take its mail. */
import { MAILBOX_PROVIDERS, type MailboxProvider } from "./table.ts";

export { MAILBOX_PROVIDERS, type MailboxProvider } from "./table.ts";

const BY_DOMAIN = new Map(
  MAILBOX_PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)),
);
const BY_MX = new Map(
  MAILBOX_PROVIDERS.flatMap((provider) => provider.mx.map((name) => [name, provider] as const)),
);

/** The provider that gives out addresses of this domain itself. The domain is in lower case. */
export function providerOfDomain(domain: string): MailboxProvider | undefined {
  return BY_DOMAIN.get(domain);
}

/** The provider to which the most preferred server belongs of which that is known; the names are in the order of preference. */
export function providerOfServers(hosts: readonly string[]): MailboxProvider | undefined {
  for (const host of hosts) {
    const found = providerOfServer(host);
    if (found) return found;
  }
  return undefined;
}

/** The longest ending counts: olc.protection.outlook.com is another provider than protection.outlook.com. */
function providerOfServer(host: string): MailboxProvider | undefined {
  for (let name = host; name !== ""; name = name.includes(".") ? name.slice(name.indexOf(".") + 1) : "") {
    const found = BY_MX.get(name);
    if (found) return found;
  }
  return undefined;
}
