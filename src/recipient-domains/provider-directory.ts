/**
 * Says whose mailboxes the addresses of a domain are, from what the table of providers and the database know. It never asks the DNS: what
 * isn't known is written down, and jobs ask.
 */
import { domainToLookUp } from "../mail/address-checks/address-checks.ts";
import {
  type MailboxProvider,
  providerOfDomain,
  providerOfServers,
} from "../mail/mailbox-providers/mailbox-providers.ts";
import type { Clock } from "../platform/clock.ts";
import type { Queryable, Writable } from "../platform/db/db.ts";
import { createLruCache } from "../platform/lru-cache.ts";
import { findDomains } from "./store.ts";
import { wantDomains } from "./wanted-store.ts";

/** The key of all mailboxes that belong to no provider of the table, or of which nothing is known yet. */
export const OTHER_PROVIDER = "other";

/** Finds whose mailboxes the addresses of these domains are, as far as that is known, by one statement for all. They are in lower case. */
export async function findProviders(
  db: Queryable,
  domains: readonly string[],
): Promise<ReadonlyMap<string, MailboxProvider>> {
  const asked = domains.filter((domain) => !providerOfDomain(domain));
  const known = asked.length === 0 ? [] : await findDomains(db, asked);
  const byServers = new Map(known.map(({ name, servers }) => [name, providerOfServers(servers)]));
  return new Map(
    domains.flatMap((domain) => {
      const provider = providerOfDomain(domain) ?? byServers.get(domain);
      return provider ? [[domain, provider] as const] : [];
    }),
  );
}

export type ProviderDirectory = {
  /** Reads what isn't remembered of these domains, in one statement for all; it is called before `of`, for many at once. */
  load(domains: readonly string[]): Promise<void>;
  /** Returns the key of the domain's provider, from memory alone. The domain is in lower case. */
  of(domain: string): string;
  /** Says from memory whether jobs are just asking about the domain for the first time, so that its provider is known in a moment. */
  isAwaited(domain: string): boolean;
};

const MOST_KNOWN = 50_000;
/** A domain that has moved to another provider is noticed after so long, and one that jobs have looked up, much sooner. */
const KNOWN_FOR_MS = 3_600_000;
const UNKNOWN_FOR_MS = 30_000;
/** What jobs were only just told of is looked at more often, and awaited so long at most: they may be away, or nobody answers them. */
const JUST_ASKED_FOR_MS = 2_000;
const AWAITED_MS = 30_000;

type Remembered = {
  readonly provider: string;
  readonly untilMs: number;
  /** Since when jobs have been asking, where it isn't known. */
  readonly askedMs: number | undefined;
};

export function createProviderDirectory(db: Writable, clock: Clock): ProviderDirectory {
  const remembered = createLruCache<Remembered>(MOST_KNOWN);

  const isRemembered = (domain: string, nowMs: number) =>
    providerOfDomain(domain) !== undefined || (remembered.get(domain)?.untilMs ?? 0) > nowMs;

  const isAwaitedAt = (askedMs: number | undefined, nowMs: number) =>
    askedMs !== undefined && nowMs - askedMs < AWAITED_MS;

  return {
    async load(domains) {
      const nowMs = clock.monotonicMs();
      const asked = [...new Set(domains)].filter((domain) => !isRemembered(domain, nowMs));
      if (asked.length === 0) return;
      const known = new Map((await findDomains(db, asked)).map((one) => [one.name, one]));
      const now = clock.now();
      const isStale = (name: string) => (known.get(name)?.freshUntil.getTime() ?? 0) <= now.getTime();
      const wanted = asked.filter((name) => isStale(name) && domainToLookUp(`someone@${name}`) === name);
      if (wanted.length > 0) await wantDomains(db, wanted, now);
      const isWanted = new Set(wanted);
      for (const name of asked) {
        const found = known.get(name);
        const servers = found?.servers;
        const provider = (servers && providerOfServers(servers)?.key) ?? OTHER_PROVIDER;
        const askedMs = !found && isWanted.has(name) ? (remembered.get(name)?.askedMs ?? nowMs) : undefined;
        const unknownForMs = isAwaitedAt(askedMs, nowMs) ? JUST_ASKED_FOR_MS : UNKNOWN_FOR_MS;
        remembered.set(name, { provider, untilMs: nowMs + (servers ? KNOWN_FOR_MS : unknownForMs), askedMs });
      }
    },
    of: (domain) => providerOfDomain(domain)?.key ?? remembered.get(domain)?.provider ?? OTHER_PROVIDER,
    isAwaited: (domain) => isAwaitedAt(remembered.get(domain)?.askedMs, clock.monotonicMs()),
  };
}
