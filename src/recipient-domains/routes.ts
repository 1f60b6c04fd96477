import { checkAddress, domainToLookUp } from "../mail/address-checks/address-checks.ts";
import {
  MAILBOX_PROVIDERS,
  providerOfDomain,
  providerOfServers,
} from "../mail/mailbox-providers/mailbox-providers.ts";
import { createConcurrencyLimit } from "../platform/concurrency-limit.ts";
import { CHANGES_NOTHING } from "../platform/http/audit.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { AppError, rateLimited } from "../platform/problems.ts";
import { type DomainFinder, type Domains, keepLearnt } from "./recipient-domains.ts";
import { AddressChecks, AddressesInput, MailboxProviders } from "./schema.ts";

const tag = "Deliverability";
/** In one process. */
const OF_AN_ACCOUNT = {
  atOnce: 2,
  mostWaiting: 8,
  refuse: () =>
    new AppError(rateLimited, "other checks of this account haven't ended yet", {
      headers: { "retry-after": "2" },
    }),
};
type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

export function recipientDomainRoutes(tools: { readonly findDomains: DomainFinder }): readonly Route[] {
  const limits = new Map<string, { readonly run: ConcurrencyLimit; users: number }>();

  /** Lets few questions of an account be looked up at once; some more wait, and the rest is refused. */
  async function inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const own = limits.get(accountId) ?? { run: createConcurrencyLimit(OF_AN_ACCOUNT), users: 0 };
    limits.set(accountId, own);
    own.users++;
    try {
      return await own.run(work);
    } finally {
      if (--own.users === 0) limits.delete(accountId);
    }
  }

  return [
    writeRoute({
      method: "POST",
      path: "/v1/addresses/check",
      scope: "subscribers:read",
      audit: CHANGES_NOTHING,
      worksWhileHeld: true,
      tag,
      summary: "Check addresses",
      description:
        "Says of up to 100 addresses whether mail would reach them, as far as that is known without writing to them: by their form, " +
        "by what the DNS says of their domains, and by lists of disposable domains and of names that are a role and no person. A " +
        "suggestion is never applied by itself. No mail server is asked. It takes ten seconds at most; domains of which nobody " +
        "answered by then are `unknown`.",
      body: AddressesInput,
      success: { status: 200, schema: AddressChecks, description: "The addresses, in the order given." },
      problems: [rateLimited],
      prepare: ({ ctx, body }) =>
        inTurn(ctx.accountId, () => {
          const names = body.addresses.flatMap((address) => domainToLookUp(address) ?? []);
          return tools.findDomains(ctx, [...new Set(names)]);
        }),
      async handler({ ctx, body }, domains: Domains) {
        await keepLearnt(ctx, domains);
        const data = body.addresses.map((address) => showChecked(address, domains));
        return { status: 200, body: { object: "address_checks" as const, data } };
      },
    }),
    readRoute({
      path: "/v1/providers",
      scope: "deliverability:read",
      tag,
      summary: "List mailbox providers",
      description:
        "The providers by which recipients are told apart, with the domains and servers by which they are known.",
      success: { status: 200, schema: MailboxProviders, description: "All of them." },
      async handler() {
        const data = MAILBOX_PROVIDERS.map(({ key, name, domains, mx, source }) => {
          return { key, name, domains: [...domains], servers: [...mx], source: source ?? null };
        });
        return { status: 200, body: { object: "mailbox_providers" as const, data } };
      },
    }),
  ];
}

function showChecked(address: string, { states, servers }: Domains) {
  const domain = domainToLookUp(address);
  const state = domain === undefined ? undefined : states.get(domain);
  const { verdict, reasons, suggestion } = checkAddress(address, state);
  const provider =
    domain === undefined
      ? undefined
      : (providerOfDomain(domain) ?? providerOfServers(servers.get(domain) ?? []));
  return { address, result: verdict, reasons: [...reasons], suggestion, provider: provider?.key ?? null };
}
