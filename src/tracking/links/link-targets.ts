/** Where the links of a source's mail lead. The tables are kept in memory, so that links work while the database is away. */
import { findMailed } from "../../delivery/delivery.ts";
import { readLinkUrls } from "../../messages/messages.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";

export type LinkTargets = {
  /** Answers undefined where there is no such source. */
  find(
    accountId: string,
    sourceId: string,
    contactId: string | null,
  ): Promise<readonly (string | null)[] | undefined>;
};

const MOST_SOURCES = 2_000;
/** A mail has a few dozen links; one with more than this is read anew each time. */
const MOST_KEPT_CHARACTERS = 100_000;

export function createLinkTargets(db: Queryable): LinkTargets {
  const known = createLruCache<readonly (string | null)[]>(MOST_SOURCES);

  async function read(accountId: string, sourceId: string, contactId: string | null) {
    const mailed = await findMailed(db, accountId, sourceId, contactId);
    if (!mailed) return undefined;
    const urls = await readLinkUrls(db, accountId, mailed.revisionId);
    const characters = urls.reduce((sum, url) => sum + (url?.length ?? 0), 0);
    if (characters <= MOST_KEPT_CHARACTERS) known.set(`${accountId} ${sourceId}`, urls);
    return urls;
  }

  return {
    async find(accountId, sourceId, contactId) {
      return known.get(`${accountId} ${sourceId}`) ?? read(accountId, sourceId, contactId);
    },
  };
}
