/**
 * What the domain in a sender's address means for its mail: the keys that sign it, the host that bounces come to, and the host that
 * links lead over. An account's own keys come before those of DKIM_KEYS. Nobody asks the DNS when mail is sent: what the last look
 * found is in the tables. Keys are opened once and kept until `keys_version` says that they have changed.
 */
import { type DkimKey, loadDkimKey } from "../../mail/dkim/dkim.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Queryable, Writable } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { createLruCache, createShortMemory } from "../../platform/lru-cache.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { namesAbove } from "../names.ts";
import { createInstanceKeys, type InstanceKey, keysOfInstance } from "./instance-keys.ts";
import { openDomainKey } from "./keys.ts";
import {
  findProvedDomains,
  lookSoon,
  type ProvedDomain,
  readSigningKeys,
  type SealedKey,
} from "./signing-store.ts";

export type SenderFacts = {
  /** Whether the account has proved the domain or one above it, or may use a key of DKIM_KEYS for it. */
  readonly isProved: boolean;
  /** The host that bounces come to in place of INBOUND_DOMAIN; null where the account has none whose record is right. */
  readonly returnPath: string | null;
  /** The host of links in mail, by https, in place of PUBLIC_URL; null likewise. */
  readonly trackingHost: string | null;
};

export type SenderIdentity = SenderFacts & {
  /** All of them sign. There is none where nothing is known of the domain. */
  readonly keys: readonly DkimKey[];
  /** Whether its key can't be opened under this SECRET_KEY and no other one signs. Its mail must wait, and not leave unsigned. */
  readonly isUnreadable?: boolean;
};

export type SigningKeys = {
  /** The domain is that of an address in A-labels. */
  keysFor(accountId: string, domain: string): Promise<readonly DkimKey[]>;
  /** All that composing needs. The tables are asked once a second for an account and a domain, however much mail it sends. */
  identityOf(accountId: string, domain: string): Promise<SenderIdentity>;
  /** The keys of DKIM_KEYS for a domain, whoever may use them: for mail that the instance itself sends. */
  ofInstance(domain: string): readonly DkimKey[];
  /** Reads what the tables say at this moment, on the caller's connection. */
  readFacts(db: Queryable, accountId: string, domain: string): Promise<SenderFacts>;
};

type SigningOptions = {
  readonly db: Writable;
  readonly secrets: Pick<Secrets, "open">;
  readonly clock: Pick<Clock, "monotonicMs" | "now">;
  readonly log: Pick<Log, "error">;
  readonly instanceKeys: readonly InstanceKey[];
};

/** A key that was replaced stays in the DNS for days, so a sender may go on with it for this long. */
const KNOWN_FOR_MS = 1_000;
const MOST_KNOWN = 10_000;

type OpenKeys = { readonly keys: readonly DkimKey[]; readonly isUnreadable: boolean };
type Opened = OpenKeys & { readonly version: number };

export function createSigningKeys({ db, secrets, clock, log, instanceKeys }: SigningOptions): SigningKeys {
  const remember = createShortMemory<SenderIdentity>(clock, { most: MOST_KNOWN, forMs: KNOWN_FOR_MS });
  const opened = createLruCache<Opened>(MOST_KNOWN);
  const findInstanceKeys = createInstanceKeys(instanceKeys);

  async function readIdentity(accountId: string, domain: string): Promise<SenderIdentity> {
    const [proved, ofInstance] = await Promise.all([
      findProvedDomains(db, accountId, namesAbove(domain)),
      findInstanceKeys(db, accountId, domain),
    ]);
    const own = await nearestKeys(accountId, proved);
    const keys = closer(own.keys, ofInstance);
    return {
      ...factsOf(proved, ofInstance),
      keys,
      ...(own.isUnreadable && keys.length === 0 && { isUnreadable: true }),
    };
  }

  async function nearestKeys(accountId: string, proved: readonly ProvedDomain[]): Promise<OpenKeys> {
    let isUnreadable = false;
    for (const one of proved) {
      const own = await keysOf(accountId, one);
      if (own.keys.length > 0) return own;
      isUnreadable ||= own.isUnreadable;
    }
    return { keys: [], isUnreadable };
  }

  async function keysOf(accountId: string, domain: ProvedDomain): Promise<OpenKeys> {
    const before = opened.get(domain.id);
    if (before?.version === domain.keys_version) return before;
    const sealed = await readSigningKeys(db, accountId, domain.id);
    const keys = sealed.flatMap((one) => open(accountId, domain, one) ?? []);
    const made = { version: domain.keys_version, keys, isUnreadable: keys.length < sealed.length };
    // The look opens an alert; whoever sends only knows that it can't.
    if (made.isUnreadable) await lookSoon(db, accountId, domain.id, clock.now());
    opened.set(domain.id, made);
    return made;
  }

  function open(accountId: string, { id, name }: ProvedDomain, key: SealedKey): DkimKey | undefined {
    const place = { account_id: accountId, domain_id: id, id: key.id };
    const pem = openDomainKey(secrets, place, key.private_key);
    const loaded = pem === undefined ? undefined : loadDkimKey({ domain: name, selector: key.selector, pem });
    if (loaded?.ok) return loaded.key;
    log.error({ selector: key.selector }, "a key can't be opened under this SECRET_KEY, and signs nothing");
    return undefined;
  }

  const identityOf = (accountId: string, domain: string): Promise<SenderIdentity> =>
    remember(`${accountId} ${domain}`, () => readIdentity(accountId, domain));

  return {
    keysFor: async (accountId, domain) => (await identityOf(accountId, domain)).keys,
    identityOf,
    ofInstance: (domain) => keysOfInstance(instanceKeys, domain),
    async readFacts(sql, accountId, domain) {
      const proved = await findProvedDomains(sql, accountId, namesAbove(domain));
      return factsOf(proved, await findInstanceKeys(sql, accountId, domain));
    },
  };
}

function factsOf([nearest]: readonly ProvedDomain[], ofInstance: readonly DkimKey[]): SenderFacts {
  return {
    isProved: nearest !== undefined || ofInstance.length > 0,
    returnPath: nearest?.return_path ?? null,
    trackingHost: nearest?.tracking_host ?? null,
  };
}

/** Keys of the nearer domain sign, and of the same domain the account's own. */
function closer(own: readonly DkimKey[], ofInstance: readonly DkimKey[]): readonly DkimKey[] {
  const [one, other] = [own[0], ofInstance[0]];
  if (!one || !other) return one ? own : ofInstance;
  return one.domain.length >= other.domain.length ? own : ofInstance;
}
