/** Which links of a source share an address, and which is its honeypot. Counting asks this of every slice, so it is kept. */
import { readRevisionIds } from "../../delivery/delivery.ts";
import { type CountedLink, readCountedLinks } from "../../messages/messages.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";

type SourceKey = { readonly accountId: string; readonly sourceId: string };

/** The links of each source by its id; a source that isn't there has none. */
export type CountedLinks = (
  db: Queryable,
  sources: readonly SourceKey[],
) => Promise<ReadonlyMap<string, SourceLinks>>;

type SourceLinks = {
  readonly honeypot: number | null;
  /** The number that stands for a link's address, where several links have it; undefined where it is the only one. */
  readonly sharedBy: (link: number) => number | undefined;
};

const MOST_SOURCES = 2_000;

export function createCountedLinks(): CountedLinks {
  const known = createLruCache<SourceLinks>(MOST_SOURCES);
  return async (db, sources) => {
    const found = new Map<string, SourceLinks>();
    const unknown = new Map<string, SourceKey>();
    for (const source of sources) {
      const links = known.get(source.sourceId);
      if (links) found.set(source.sourceId, links);
      else unknown.set(source.sourceId, source);
    }
    if (unknown.size === 0) return found;
    for (const { sourceId, links } of await readSources(db, [...unknown.values()])) {
      found.set(sourceId, links);
      known.set(sourceId, links);
    }
    return found;
  };
}

async function readSources(db: Queryable, sources: readonly SourceKey[]) {
  const ids = await readRevisionIds(db, sources);
  const there = sources.flatMap((source, at) => {
    const revisionId = ids[at];
    return revisionId === undefined ? [] : [{ ...source, revisionId }];
  });
  const links = await readCountedLinks(db, there);
  return there.map(({ sourceId }, at) => ({ sourceId, links: toSourceLinks(links[at] ?? []) }));
}

function toSourceLinks(links: readonly CountedLink[]): SourceLinks {
  const honeypot = links.findIndex(({ isHoneypot }) => isHoneypot);
  const shared = new Map<number, number>();
  for (const [index, { group }] of links.entries()) {
    if (group !== index) shared.set(group, group).set(index, group);
  }
  return { honeypot: honeypot === -1 ? null : honeypot, sharedBy: (link) => shared.get(link) };
}
