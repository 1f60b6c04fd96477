/**
 * Counts the clicks on an address that several links of a mail have: whoever follows two of them is one person. Where a link
 * is the only one with its address, the link's own sums say it all.
 */
import type { CountedLinks } from "../links/links.ts";
import type { CountedHit } from "./count.ts";
import type { LinkRow, Part } from "./count-store.ts";

type Clicks = Pick<LinkRow, "clicks" | "humanClicks">;
type Counted = Pick<CountedHit, "accountId" | "sourceId" | "contactId" | "link">;

export type UrlSums = {
  /** Takes up what was counted before of the messages that are counted now. */
  begin(rows: readonly LinkRow[]): void;
  /** Returns the part that a click belongs to; undefined where its link's own is enough. */
  partOf(hit: Counted): Part | undefined;
  /** Adds a recipient's click, and returns what they did before and after it. */
  add(hit: CountedHit): { readonly part: Part; readonly before: Clicks; readonly after: Clicks } | undefined;
};

export function createUrlSums(links: Awaited<ReturnType<CountedLinks>>): UrlSums {
  const known = new Map<string, Clicks>();
  const keyOf = (hit: Counted, part: Part) => `${hit.accountId} ${hit.sourceId} ${hit.contactId} ${part}`;

  function partOf({ sourceId, link }: Counted): Part | undefined {
    const group = link === null ? undefined : links.get(sourceId)?.sharedBy(link);
    return group === undefined ? undefined : `url ${group}`;
  }

  function addClicks(key: string, clicks: number, humanClicks: number) {
    const before = known.get(key) ?? { clicks: 0, humanClicks: 0 };
    const after = { clicks: before.clicks + clicks, humanClicks: before.humanClicks + humanClicks };
    known.set(key, after);
    return { before, after };
  }

  return {
    partOf,
    begin(rows) {
      for (const row of rows) {
        const part = partOf(row);
        if (part) addClicks(keyOf(row, part), row.clicks, row.humanClicks);
      }
    },
    add(hit) {
      const part = partOf(hit);
      if (!part) return undefined;
      return { part, ...addClicks(keyOf(hit, part), hit.times, hit.machine === "" ? hit.times : 0) };
    },
  };
}
