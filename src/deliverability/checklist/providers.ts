/** Says whose mailboxes a domain's are. Only those are counted that a provider's own rules are about: no domains of its customers. */
import { MAILBOX_PROVIDERS } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { Provider } from "./schema.ts";

const KEYS: Readonly<Record<Provider, string>> = {
  gmail: "google",
  yahoo: "yahoo",
  microsoft: "microsoft",
  apple: "apple",
};

export const PROVIDER_DOMAINS: readonly { readonly domain: string; readonly group: Provider }[] =
  Object.entries(KEYS).flatMap(([group, key]) =>
    (MAILBOX_PROVIDERS.find((one) => one.key === key)?.domains ?? []).map((domain) => {
      return { domain, group: group as Provider };
    }),
  );

const BY_DOMAIN = new Map(PROVIDER_DOMAINS.map(({ domain, group }) => [domain, group]));

export function providerOf(domain: string): Provider | undefined {
  return BY_DOMAIN.get(domain.toLowerCase());
}
