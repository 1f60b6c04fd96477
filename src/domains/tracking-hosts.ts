/**
 * Says whose a tracking host is. What is shown under a name is taken for its owner's, so that nobody else's links and pages may be
 * answered there.
 */
import type { Clock } from "../platform/clock.ts";
import { prepared, type Queryable, sql } from "../platform/db/db.ts";
import { createShortMemory } from "../platform/lru-cache.ts";

export type TrackingHosts = {
  /**
   * The accounts whose the host is; undefined for what is no tracking host here: our own hosts, addresses, and names that nobody has
   * ever proved. Errors of the database are thrown.
   */
  ownersOf(host: string): Promise<ReadonlySet<string> | undefined>;
};

type HostOptions = {
  readonly db: Queryable;
  readonly clock: Pick<Clock, "monotonicMs">;
  /** The hosts of PUBLIC_URL and BASE_URL, which answer for all accounts. */
  readonly ownHosts: readonly string[];
};

const KNOWN = { most: 10_000, forMs: 5_000 };
/** The top-level domain has a letter, so that addresses aren't among them. */
export const HOST = /^(?=.{1,253}$)(?:[a-z\d-]+\.)+[a-z\d-]*[a-z][a-z\d-]*$/;

export function createTrackingHosts({ db, clock, ownHosts }: HostOptions): TrackingHosts {
  const remember = createShortMemory<ReadonlySet<string> | undefined>(clock, KNOWN);
  return {
    async ownersOf(named) {
      const host = named.toLowerCase().replace(/\.$/, "");
      if (ownHosts.includes(host) || !HOST.test(host)) return undefined;
      return remember(host, () => findOwners(db, host));
    },
  };
}

/**
 * Whoever has proved the domain at some time, because links in mail that was sent are to work for ever; but once another has proved it,
 * only who proves it now. The index domains_by_tracking_host serves it, over all accounts, since whoever asks knows none.
 */
async function findOwners(db: Queryable, host: string): Promise<ReadonlySet<string> | undefined> {
  const rows = await db.many<{ account_id: string; is_proved: boolean }>(
    prepared(sql`
      select account_id, status in ('verified', 'failing') as is_proved from domains
      where tracking_host = ${host} and verified_at is not null`),
  );
  const proved = rows.filter(({ is_proved }) => is_proved);
  const owners = proved.length > 0 ? proved : rows;
  return owners.length === 0 ? undefined : new Set(owners.map(({ account_id }) => account_id));
}
