/**
 * Looks at the domains of all accounts when they are due, in the `jobs` role. Any number of processes may do so: each claims its own.
 * Those that somebody waits for go first, and some places are kept for them alone.
 */
import { claimDue, claimWatched, type Lease, release } from "./look-store.ts";
import { type LookTools, lookAt } from "./looks.ts";

const CLAIM_EVERY_MS = 1_000;
/** A look mostly waits for servers. */
const MOST_AT_ONCE = 40;
const KEPT_FOR_WATCHED = 10;

export function startDomainWatching(tools: LookTools): { stop(): Promise<void> } {
  const { db, clock, log } = tools;
  const underWay = new Set<Lease>();
  let isStopping = false;
  let claiming: Promise<void> | undefined;

  function begin(lease: Lease): void {
    underWay.add(lease);
    lookAt(tools, lease)
      .catch((error) => {
        if (!isStopping) log.warn({ err: error, domain: lease.id }, "a domain could not be looked at");
      })
      .finally(() => underWay.delete(lease));
  }

  async function claim(): Promise<void> {
    const room = () => MOST_AT_ONCE - underWay.size;
    if (room() > 0) for (const lease of await claimWatched(db, clock.now(), room())) begin(lease);
    const forOthers = room() - KEPT_FOR_WATCHED;
    if (forOthers > 0 && !isStopping)
      for (const lease of await claimDue(db, clock.now(), forOthers)) begin(lease);
  }

  const timer = setInterval(() => {
    if (isStopping) return;
    claiming ??= claim()
      .catch((error) => log.warn({ reason: error.message }, "the domains could not be looked at"))
      .finally(() => {
        claiming = undefined;
      });
  }, CLAIM_EVERY_MS);

  return {
    /** Looks that are under way aren't waited for, and come to nothing: what they look at is given back at once. */
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await claiming;
      await Promise.allSettled([...underWay].map((lease) => release(db, lease)));
    },
  };
}
