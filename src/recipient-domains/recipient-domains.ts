/** What is known of the domains at which people have addresses: kept for a while, and asked of the DNS where it isn't known. */
import type { DomainState } from "../mail/address-checks/address-checks.ts";
import { createConcurrencyLimit } from "../platform/concurrency-limit.ts";
import type { Ctx, TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import type { Dns } from "../platform/dns.ts";
import { freshUntil, stillHolds } from "./freshness.ts";
import { lookUpDomain } from "./look-up.ts";
import { findDomains, type KnownDomain, keepDomains } from "./store.ts";

export { startDomainLookUps } from "./looking-up.ts";
export {
  createProviderDirectory,
  findProviders,
  OTHER_PROVIDER,
  type ProviderDirectory,
} from "./provider-directory.ts";
export { removeOldDomains } from "./store.ts";
export { countUnasked, wantDomains } from "./wanted-store.ts";

/** Tells what is known of these domains, from the database alone: what still holds, or what needn't be asked again yet. */
export async function findStates(
  db: Queryable,
  names: readonly string[],
  now: Date,
  which: "holds" | "fresh" = "holds",
): Promise<ReadonlyMap<string, DomainState>> {
  if (names.length === 0) return new Map();
  const known = await findDomains(db, names);
  const isKnown = (one: KnownDomain) => (which === "fresh" ? one.freshUntil > now : stillHolds(one, now));
  return new Map(known.filter(isKnown).map(({ name, state }) => [name, state]));
}

const MOST_LOOKED_UP_AT_ONCE = 50;
const MOST_OF_ONE_QUESTION = 10;
const PATIENCE_MS = 10_000;

export type Domains = {
  readonly states: ReadonlyMap<string, DomainState>;
  readonly servers: ReadonlyMap<string, readonly string[]>;
  /** What was learnt, for `keepDomains` in a transaction. */
  readonly learnt: readonly KnownDomain[];
};

export type DomainFinder = (ctx: Pick<Ctx, "sql" | "clock">, names: readonly string[]) => Promise<Domains>;

/**
 * Finds out about domains. It reads the database and asks the DNS for what isn't known, so it comes before a transaction. One process asks for so
 * many at once, and one question for few of those, so that nobody's dead domains keep the others waiting. What isn't
 * answered in time, ten seconds unless told otherwise, is unknown.
 */
export function createDomainFinder(dns: Dns, patienceMs = PATIENCE_MS): DomainFinder {
  const limitAll = limitTo(MOST_LOOKED_UP_AT_ONCE);
  return async ({ sql, clock }, names) => {
    const known = new Map((await findDomains(sql, names)).map((one) => [one.name, one]));
    const now = clock.now();
    const wanted = names.filter((name) => (known.get(name)?.freshUntil.getTime() ?? 0) <= now.getTime());
    const learnt: KnownDomain[] = [];
    const limitOwn = limitTo(MOST_OF_ONE_QUESTION);
    let isOver = false;
    const work = Promise.all(
      wanted.map((name) =>
        limitOwn(() =>
          limitAll(async () => {
            if (isOver) return;
            const found = await lookUpDomain(dns, name);
            if (found && !isOver) learnt.push({ ...found, name, freshUntil: freshUntil(found, now) });
          }),
        ),
      ),
    );
    await Promise.race([work, after(patienceMs)]);
    isOver = true;
    for (const one of learnt) known.set(one.name, one);
    const held = names.flatMap((name) => {
      const one = known.get(name);
      return one && stillHolds(one, now) ? [one] : [];
    });
    return {
      states: new Map(held.map(({ name, state }) => [name, state])),
      servers: new Map(held.map(({ name, servers }) => [name, servers])),
      learnt: [...learnt],
    };
  };
}

function limitTo(atOnce: number) {
  const refuse = () => new Error("too much waits already");
  return createConcurrencyLimit({ atOnce, mostWaiting: Number.POSITIVE_INFINITY, refuse });
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

export function keepLearnt({ sql, clock }: Pick<TxCtx, "sql" | "clock">, { learnt }: Domains): Promise<void> {
  return keepDomains(sql, learnt, clock.now());
}
