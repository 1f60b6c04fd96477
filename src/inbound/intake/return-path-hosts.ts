/** Says whether a host is the return path of a domain of an account, so that its bounces come to it in place of INBOUND_DOMAIN. */
import { hasReturnPath } from "../../domains/domains.ts";
import type { Db } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";

const KNOWN_FOR_MS = 60_000;
const MOST_KNOWN = 10_000;

/** Only what is so is remembered: whoever asks for hosts that aren't must have proved by a MAC that we sent them mail. */
export function createReturnPathHosts(
  db: Pick<Db, "hot">,
): (accountId: string, host: string) => Promise<boolean> {
  const known = createLruCache<number>(MOST_KNOWN);
  return async (accountId, host) => {
    const name = `${accountId} ${host}`;
    const untilMs = known.get(name);
    if (untilMs !== undefined && performance.now() < untilMs) return true;
    const isOwn = await hasReturnPath(db.hot, accountId, host);
    if (isOwn) known.set(name, performance.now() + KNOWN_FOR_MS);
    return isOwn;
  };
}
