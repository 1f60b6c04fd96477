/**
 * Looks at the domains of all accounts when they are due, in the `jobs` role. Any number of processes may do so: each claims its own.
 * Those that somebody waits for go first. Some places are kept for them alone, and some for those that nobody waits for.
 */
import { claimDue, claimWatched, type Lease, release } from "./look-store.ts";
import { type LookTools, lookAt } from "./looks.ts";

const CLAIM_EVERY_MS = 1_000;
/** A look mostly waits for servers. */
const MOST_AT_ONCE = 40;
/** So many of them at most are of one kind, watched or not; the others are kept for the other kind. */
const MOST_OF_KIND = 30;

type Kind = "watched" | "due";

export function startDomainWatching(tools: LookTools): { stop(): Promise<void> } {
  const { db, clock, log } = tools;
  const underWay = new Map<Lease, Kind>();
  let isStopping = false;
  let claiming: Promise<void> | undefined;

  function begin(lease: Lease, kind: Kind): void {
    underWay.set(lease, kind);
    lookAt(tools, lease)
      .catch((error) => {
        if (!isStopping) log.warn({ err: error, domain: lease.id }, "a domain could not be looked at");
      })
      .finally(() => underWay.delete(lease));
  }

  async function claim(): Promise<void> {
    const roomFor = (kind: Kind): number => {
      const ofKind = [...underWay.values()].filter((one) => one === kind).length;
      return Math.min(MOST_AT_ONCE - underWay.size, MOST_OF_KIND - ofKind);
    };
    const forWatched = roomFor("watched");
    if (forWatched > 0)
      for (const lease of await claimWatched(db, clock.now(), forWatched)) begin(lease, "watched");
    const forOthers = roomFor("due");
    if (forOthers > 0 && !isStopping)
      for (const lease of await claimDue(db, clock.now(), forOthers)) begin(lease, "due");
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
      await Promise.allSettled([...underWay.keys()].map((lease) => release(db, lease)));
    },
  };
}
