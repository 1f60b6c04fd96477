/** Where the links of a source's mail lead. The tables are kept in memory, so that links work while the database is away. */
import { type LinkContent, prepareLink, toLocation } from "../../content/content.ts";
import { findMailed, isWave } from "../../delivery/delivery.ts";
import { type FrozenLink, type FrozenLinks, readFrozenLinks } from "../../messages/messages.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";

/** Where a number leads: to a Location at once, or to what must be worked out first. Null is nowhere. */
type LinkTarget = string | SpecialTarget | null;
export type SpecialTarget =
  | {
      readonly kind: "liquid";
      readonly content: LinkContent;
      readonly frozen: Pick<FrozenLinks, "list" | "campaign" | "postalAddress">;
    }
  | { readonly kind: "honeypot" };

export type LinkTargets = {
  /** Answers undefined where there is no such source. */
  find(
    accountId: string,
    sourceId: string,
    contactId: string | null,
  ): Promise<readonly LinkTarget[] | undefined>;
};

const MOST_SOURCES = 2_000;
/** A mail has a few dozen links; one with more than this is read anew each time. */
const MOST_KEPT_CHARACTERS = 100_000;

export function createLinkTargets(db: Queryable): LinkTargets {
  const known = createLruCache<readonly LinkTarget[]>(MOST_SOURCES);

  async function read(accountId: string, sourceId: string, contactId: string | null) {
    const mailed = await findMailed(db, accountId, sourceId, contactId);
    // The links of a wave's mail carry where they lead.
    if (!mailed || isWave(sourceId, mailed)) return undefined;
    const { links, ...frozen } = await readFrozenLinks(db, accountId, mailed.revisionId);
    const targets = links.map((link) => toTarget(link, frozen));
    if (JSON.stringify(links).length <= MOST_KEPT_CHARACTERS) known.set(`${accountId} ${sourceId}`, targets);
    return targets;
  }

  return {
    async find(accountId, sourceId, contactId) {
      return known.get(`${accountId} ${sourceId}`) ?? read(accountId, sourceId, contactId);
    },
  };
}

/** Checks refuse a dangerous address before a campaign is sent; nobody is led to one all the same. */
function toTarget(link: FrozenLink, frozen: Omit<FrozenLinks, "links">): LinkTarget {
  if (link.kind === "honeypot") return { kind: "honeypot" };
  if (link.kind === "untracked") return null;
  if (typeof link.target === "string") return toLocation(link.target) ?? null;
  return { kind: "liquid", content: prepareLink(link.target), frozen };
}
