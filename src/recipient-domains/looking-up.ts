/**
 * Looks up the domains that somebody wrote down, in the `jobs` role. Any number of processes may do so: each claims its own. What was learnt is
 * written in groups; a domain of which nobody answers is put off, a little longer each time, and given up after some days.
 */
import { domainToLookUp } from "../mail/address-checks/address-checks.ts";
import type { Clock } from "../platform/clock.ts";
import type { Db } from "../platform/db/db.ts";
import type { Dns } from "../platform/dns.ts";
import type { Log } from "../platform/log.ts";
import { freshUntil, nextAttempt } from "./freshness.ts";
import { lookUpDomain } from "./look-up.ts";
import { type KnownDomain, keepDomains } from "./store.ts";
import { claimWanted, dropWanted, putOffWanted, releaseWanted, type WantedDomain } from "./wanted-store.ts";

const LOOK_EVERY_MS = 1_000;
const MOST_AT_ONCE = 50;
const MOST_CLAIMED = 500;
/** More are claimed while so many still wait, so that nobody idles meanwhile. */
const CLAIM_BELOW = 200;
/** A domain is known after half a minute at the latest: 700 of the slowest, 50 at a time, take seven minutes. */
const LEASE_MS = 600_000;

type Tools = { readonly db: Db; readonly clock: Clock; readonly log: Log; readonly dns: Dns };

export function startDomainLookUps(tools: Tools): { stop(): Promise<void> } {
  const { log } = tools;
  const stopping = new AbortController();
  let looking: Promise<void> | undefined;

  const timer = setInterval(() => {
    looking ??= lookUpDue(tools, stopping.signal)
      .catch((error) => log.warn({ reason: error.message }, "recipients' domains could not be looked up"))
      .finally(() => {
        looking = undefined;
      });
  }, LOOK_EVERY_MS);

  return {
    /** What is being asked isn't waited for; it is given back and asked again by another. */
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await looking;
    },
  };
}

/** Looks up all that is due. Domains are claimed and written while others are asked about, so that no slow one holds up the rest. */
export async function lookUpDue(tools: Tools, signal: AbortSignal): Promise<void> {
  const { db, clock } = tools;
  const waiting: WantedDomain[] = [];
  const underWay = new Set<WantedDomain>();
  const done: Looked[] = [];
  const happened = createWakeUp();
  let isMoreDue = true;

  /** Whoever ends begins the next, also while the database is waited for. */
  const fill = () => {
    while (underWay.size < MOST_AT_ONCE && waiting.length > 0 && !signal.aborted) {
      const wanted = waiting.shift() as WantedDomain;
      underWay.add(wanted);
      lookUp(tools, wanted).then((looked) => {
        underWay.delete(wanted);
        done.push(looked);
        fill();
        happened.wake();
      });
    }
  };

  signal.addEventListener("abort", happened.wake, { once: true });
  try {
    while (!signal.aborted) {
      if (isMoreDue && waiting.length < CLAIM_BELOW) {
        const now = clock.now();
        const claimed = await claimWanted(db, now, new Date(now.getTime() + LEASE_MS), MOST_CLAIMED);
        // Others who claim at the same time leave fewer than asked for, so only nothing means that nothing is due.
        isMoreDue = claimed.length > 0;
        waiting.push(...(await dropHostile(db, claimed)));
        fill();
      }
      if (done.length >= MOST_AT_ONCE || waiting.length === 0) await write(tools, done.splice(0));
      if (underWay.size > 0) await happened.wait();
      else if (done.length === 0 && !isMoreDue) return;
    }
  } finally {
    signal.removeEventListener("abort", happened.wake);
    await write(tools, done.splice(0));
    const unasked = [...waiting.splice(0), ...underWay].map(({ name }) => name);
    await releaseWanted(db, unasked, clock.now());
  }
}

/** What isn't the name of a domain is never asked about, and nothing is kept of it. */
async function dropHostile(db: Db, claimed: readonly WantedDomain[]): Promise<WantedDomain[]> {
  const isDomain = ({ name }: WantedDomain) => domainToLookUp(`someone@${name}`) === name;
  const { domains = [], others = [] } = Object.groupBy(claimed, (one) =>
    isDomain(one) ? "domains" : "others",
  );
  await dropWanted(
    db,
    others.map(({ name }) => name),
  );
  return domains;
}

type Looked = { readonly wanted: WantedDomain; readonly known: KnownDomain | undefined };

async function lookUp({ dns, clock, log }: Tools, wanted: WantedDomain): Promise<Looked> {
  try {
    const found = await lookUpDomain(dns, wanted.name);
    return {
      wanted,
      known: found && { ...found, name: wanted.name, freshUntil: freshUntil(found, clock.now()) },
    };
  } catch (error) {
    // One name that breaks the look-up is put off as one that nobody answers for, and holds up no other.
    log.warn({ err: error, domain: wanted.name }, "a recipient's domain could not be looked up");
    return { wanted, known: undefined };
  }
}

async function write({ db, clock }: Tools, looked: readonly Looked[]): Promise<void> {
  if (looked.length === 0) return;
  const now = clock.now();
  const known = looked.flatMap((one) => one.known ?? []);
  const unanswered = looked
    .filter((one) => !one.known)
    .map(({ wanted: { name, attempts } }) => {
      return { name, attempts: attempts + 1, nextAt: nextAttempt(attempts + 1, now) };
    });
  await db.transaction(async (tx) => {
    await keepDomains(tx, known, now);
    await putOffWanted(
      tx,
      unanswered.flatMap(({ nextAt, ...one }) => (nextAt ? [{ ...one, nextAt }] : [])),
    );
    await dropWanted(
      tx,
      unanswered.flatMap(({ nextAt, name }) => (nextAt ? [] : [name])),
    );
  });
}

/** A loop waits until something has happened; what happens in between isn't missed. */
function createWakeUp(): { wake(): void; wait(): Promise<void> } {
  let next = Promise.withResolvers<void>();
  return {
    wake: () => next.resolve(),
    async wait() {
      await next.promise;
      next = Promise.withResolvers<void>();
    },
  };
}
