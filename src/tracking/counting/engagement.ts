/** Tells the subscribers' folder what counted hits say of people, so that segments can ask for it. */
import { isWave, readSourceContents } from "../../delivery/delivery.ts";
import { readLinkUrls } from "../../messages/messages.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Tx } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";
import { type EngagementHit, linkKeyOf, recordEngagement } from "../../subscribers/subscribers.ts";
import type { CountedHit } from "./count.ts";

export type WriteEngagement = (tx: Tx, hits: readonly CountedHit[]) => Promise<void>;

/** What is known of a source never changes, so it is kept. */
type Known = {
  readonly campaignId: string | null;
  readonly linkKeys: readonly (string | null)[];
  /** A receipt that is opened says nothing of whether somebody reads the mail of lists. */
  readonly isWave: boolean;
};

const MOST_SOURCES = 2_000;
const UNKNOWN: Known = { campaignId: null, linkKeys: [], isWave: false };
/** Apple Mail, and browsers that say so, fetch ahead of the reader, and show what they fetched without asking again. */
const PREFETCHES = new Set(["apple_mpp", "prefetch"]);

export function createEngagementWriter(clock: Clock): WriteEngagement {
  const known = createLruCache<Known>(MOST_SOURCES);

  async function learn(tx: Tx, hits: readonly CountedHit[]): Promise<void> {
    const asked = new Map(hits.map((hit) => [hit.sourceId, hit]));
    const unknown = [...asked.values()].filter(({ sourceId }) => !known.get(sourceId));
    if (unknown.length === 0) return;
    for (const { id, stream, ownerId, revisionId } of await readSourceContents(tx, unknown)) {
      const accountId = asked.get(id)?.accountId ?? "";
      const urls = await readLinkUrls(tx, accountId, revisionId);
      known.set(id, {
        campaignId: stream === "campaign" ? ownerId : null,
        linkKeys: urls.map((url) => (url === null ? null : linkKeyOf(url))),
        isWave: isWave(id, { revisionId }),
      });
    }
  }

  return async (tx, hits) => {
    const personal = hits.filter((hit) => hit.contactId !== null);
    await learn(tx, personal);
    const named = personal.map((hit) => ({ hit, source: known.get(hit.sourceId) ?? UNKNOWN }));
    await recordEngagement(
      tx,
      clock,
      named.flatMap(({ hit, source }) => (source.isWave ? [] : [toEngagement(hit, source)])),
    );
  };
}

function toEngagement(hit: CountedHit, { campaignId, linkKeys }: Known): EngagementHit {
  const { accountId, contactId, link, at, machine } = hit;
  const isPrefetch = link === null && PREFETCHES.has(machine);
  return {
    accountId,
    contactId: contactId as string,
    campaignId,
    kind: link === null ? "open" : "click",
    linkKey: link === null ? null : (linkKeys[link] ?? null),
    at,
    by: machine === "" ? "human" : isPrefetch ? "prefetch" : "machine",
  };
}
