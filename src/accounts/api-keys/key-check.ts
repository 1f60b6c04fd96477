/** Checks the API key of every request, with at most one statement every few seconds for each key. */
import type { Clock } from "../../platform/clock.ts";
import type { Db, Queryable, Tx } from "../../platform/db/db.ts";
import { type Listener, notify } from "../../platform/db/listen.ts";
import type { Principal } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { AppError } from "../../platform/problems.ts";
import { watchHolds, writesRefusedBy } from "../holds/holds.ts";
import { networkNotAllowed } from "../problems.ts";
import { accountOfKey, hashKey } from "../token-format.ts";
import { isMakerGone, scopesInForce } from "./key-scopes.ts";
import { type ApiKeyRow, type FoundKey, findKeyBySecret, markUsed } from "./key-store.ts";
import { isWithin, type Network, networksOf } from "./networks.ts";

export type KeyCheck = {
  /**
   * Returns whom the `Authorization` header speaks for; undefined when it holds no valid key, and a refusal when the key may not be
   * used from this address.
   */
  check(header: string | undefined, ip: string): Promise<Principal | AppError | undefined>;
  /** Empties the cache, because a key was changed or revoked. */
  forget(): void;
  /** Writes `last_used_at` of the keys that were used since the last call. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

/** A revoked key may work for this long in a process that missed the notification. */
const CACHED_MS = 5_000;
const MOST_CACHED = 10_000;
/** Unknown keys are cached apart from valid ones, so that forged keys push none of those out. */
const MOST_UNKNOWN = 1_000;
/** `Bearer` and a key have 64 characters. With more blanks between them, one key would have many spellings to cache. */
const LONGEST_CACHED = 80;
const FLUSH_EVERY_MS = 10_000;
/** `last_used_at` is for people: a precision of one minute is enough, and saves a write for each request. */
const USE_NOTED_EVERY_MS = 60_000;

type CachedKey = {
  row: ApiKeyRow | undefined;
  principal: Principal | undefined;
  /** When this secret ends: with the key, or with its time of grace. */
  endsAt: Date | null;
  networks: readonly Network[];
  untilMs: number;
};

function createCache() {
  return {
    good: createLruCache<CachedKey>(MOST_CACHED),
    unknown: createLruCache<CachedKey>(MOST_UNKNOWN),
    loading: new Map<string, Promise<CachedKey | undefined>>(),
  };
}

export function createKeyCheck(db: Db, clock: Clock, log: Log): KeyCheck {
  // The cache is keyed by the whole header, because reading the key in it takes 5 µs.
  let cache = createCache();
  const lastNoted = new Map<string, number>();
  let uses = new Map<string, Map<string, Date>>();

  /** Returns undefined for a header without a well-formed key, which costs no statement and so isn't cached. */
  async function load(header: string): Promise<CachedKey | undefined> {
    const key = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    const accountId = key && accountOfKey(key);
    if (!accountId) return undefined;
    const before = cache;
    const secretHash = hashKey(key);
    const found = await findKeyBySecret(db.hot, accountId, secretHash);
    const row = found && !isMakerGone(found) ? found : undefined;
    const entry = {
      row,
      principal: row && principalOf(row, secretHash),
      endsAt: row ? endOf(row) : null,
      networks: row ? networksOf(row) : [],
      untilMs: clock.monotonicMs() + CACHED_MS,
    };
    // `forget` replaces the cache: an answer that was read before it must not be cached after it.
    if (before === cache && header.length <= LONGEST_CACHED) {
      (row ? cache.unknown : cache.good).delete(header);
      (row ? cache.good : cache.unknown).set(header, entry);
    }
    return entry;
  }

  /** Runs one statement at a time for each header, however many requests ask at once. */
  function loadOnce(header: string): Promise<CachedKey | undefined> {
    const { loading } = cache;
    const known = loading.get(header);
    if (known) return known;
    const loaded = load(header).finally(() => loading.delete(header));
    loading.set(header, loaded);
    return loaded;
  }

  function noteUse(row: ApiKeyRow): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - (lastNoted.get(row.id) ?? Number.NEGATIVE_INFINITY) < USE_NOTED_EVERY_MS) return;
    lastNoted.set(row.id, nowMs);
    const ofAccount = uses.get(row.account_id) ?? new Map<string, Date>();
    uses.set(row.account_id, ofAccount.set(row.id, clock.now()));
  }

  async function flush(): Promise<void> {
    const taken = uses;
    uses = new Map();
    await Promise.all([...taken].map(([accountId, ofAccount]) => markUsed(db, accountId, ofAccount)));
  }

  const timer = setInterval(() => {
    flush().catch((error) => log.warn({ err: error }, "last_used_at of API keys could not be written"));
  }, FLUSH_EVERY_MS);
  timer.unref();

  return {
    async check(header, ip) {
      if (!header) return undefined;
      const known = cache.good.get(header) ?? cache.unknown.get(header);
      const entry = known && known.untilMs > clock.monotonicMs() ? known : await loadOnce(header);
      if (!entry?.row || (entry.endsAt && entry.endsAt <= clock.now())) return undefined;
      if (entry.networks.length > 0 && !isWithin(entry.networks, ip)) return usedElsewhere();
      noteUse(entry.row);
      return entry.principal;
    },
    forget() {
      cache = createCache();
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush().catch(() => undefined);
    },
  };
}

const KEYS_CHANGED = "api_keys_changed";

/** Tells every process, with the commit, to empty its cache of keys. */
export function announceKeyChange(tx: Tx): Promise<void> {
  return notify(tx, KEYS_CHANGED);
}

export function watchKeyChanges(listener: Listener, keyCheck: Pick<KeyCheck, "forget">): void {
  listener.listen(KEYS_CHANGED, () => keyCheck.forget());
  watchHolds(listener, () => keyCheck.forget());
}

/** A secret of before a rotation ends with its time of grace, or with the key where that is sooner. */
function endOf({ is_previous, previous_until, expires_at }: FoundKey): Date | null {
  if (!is_previous || !previous_until) return expires_at;
  return expires_at && expires_at < previous_until ? expires_at : previous_until;
}

/** Returns what a secret opens by now: nothing where it was replaced, has ended, or is known to somebody who has left. */
export async function scopesOfSecret(
  db: Queryable,
  accountId: string,
  secretHash: Buffer,
  now: Date,
): Promise<readonly string[]> {
  const found = await findKeyBySecret(db, accountId, secretHash);
  const endsAt = found ? endOf(found) : null;
  return found && (endsAt === null || endsAt > now) ? scopesInForce(found) : [];
}

function usedElsewhere(): AppError {
  return new AppError(networkNotAllowed, "this key may not be used from your network");
}

function principalOf(row: FoundKey, secretHash: Buffer): Principal {
  const endsAt = endOf(row);
  const writesRefused = writesRefusedBy(row.holds);
  return {
    accountId: row.account_id,
    actor: { kind: "api_key", id: toPublicId("key", row.id) },
    scopes: scopesInForce(row),
    unlimited: row.unlimited,
    secretHash,
    ...(row.made_by !== null && { makerId: row.made_by }),
    ...(endsAt && { expiresAt: endsAt }),
    ...(row.allowed_networks.length > 0 && { allowedNetworks: row.allowed_networks }),
    ...(writesRefused && { writesRefused }),
  };
}
