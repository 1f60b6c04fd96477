/**
 * Reads pages of the log for all endpoints of this process. Those of one account stand mostly at the same place and want the same
 * types, so that one reads and the others get what it read.
 */
import { comparePositions, type Scan, type Scanned, scanEvents } from "../../events/events.ts";
import type { Queryable } from "../../platform/db/db.ts";

export type ReadPage = (scan: Scan) => Promise<Scanned>;

/** With what runners have in hand, this bounds the memory. */
const MOST_PAGES = 4;

export function sharePages(db: Queryable): ReadPage {
  const pages = new Map<string, Promise<Scanned>>();
  const full = new Map<string, { readonly scan: Scan; readonly scanned: Scanned }>();

  /** What is full is final, since the log is read below what may still be written. Where there was less, there may be more by now. */
  async function read(key: string, scan: Scan): Promise<Scanned> {
    let isFinal = false;
    try {
      const scanned = await scanEvents(db, scan);
      isFinal = scanned.hasMore;
      if (isFinal && pages.has(key)) full.set(key, { scan, scanned });
      return scanned;
    } finally {
      if (!isFinal) pages.delete(key);
    }
  }

  return (scan) => {
    const key = keyOf(scan);
    if (key === undefined) return scanEvents(db, scan);
    const held = pages.get(key);
    if (held) return held;
    for (const one of full.values())
      if (isWithin(scan, one)) return Promise.resolve(restOf(one.scanned, scan));
    const page = read(key, scan);
    pages.set(key, page);
    const [oldest] = pages.keys();
    if (pages.size > MOST_PAGES && oldest !== undefined) {
      pages.delete(oldest);
      full.delete(oldest);
    }
    return page;
  };
}

/** Whoever stands within a page gets the rest of it, and stands where the others do from then on. */
function isWithin(scan: Scan, page: { readonly scan: Scan; readonly scanned: Scanned }): boolean {
  return (
    scan.accountId === page.scan.accountId &&
    scan.types.join(" ") === page.scan.types.join(" ") &&
    comparePositions(page.scan.after, scan.after) <= 0 &&
    comparePositions(scan.after, page.scanned.to) < 0
  );
}

function restOf({ events, to, hasMore }: Scanned, { after }: Scan): Scanned {
  return { events: events.filter((event) => comparePositions(after, event) < 0), to, hasMore };
}

/** Returns undefined for a part of the log that others hardly read at the same time: a replay, or what an endpoint begins with. */
function keyOf({ accountId, types, after, begun, upTo, limit }: Scan): string | undefined {
  // Beyond this place nothing depends on when the endpoint was made.
  const isBeyond = BigInt(after.xid) >= BigInt(begun.xid);
  if (upTo !== undefined || !isBeyond) return undefined;
  return [accountId, after.xid, after.id, limit, ...types].join(" ");
}
