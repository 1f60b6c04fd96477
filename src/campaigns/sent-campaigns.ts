/** Tells segments what was sent, and whose opens and clicks could be seen: subscribers/ stands below and can't ask by itself. */
import {
  type LaunchedSource,
  LEDGER_MS,
  listLastSources,
  listSourceRevisions,
  listSourcesOfCampaigns,
  wasSent,
  wasSentAtLeast,
  wasSentSince,
} from "../delivery/delivery.ts";
import { readLinkUrls, readVisibility, readVisibilityByLinks } from "../messages/messages.ts";
import type { Queryable } from "../platform/db/db.ts";
import type { SentCampaigns, SentSource } from "../subscribers/subscribers.ts";
import { findNames } from "./store.ts";

/** Rules ask for up to 50 campaigns, and few campaigns have more than one source. */
const MOST_SOURCES = 100;

export const sentCampaigns: SentCampaigns = {
  findNames,
  findLinks,
  async ofCampaigns(db, accountId, ids, before, asked) {
    return addVisibility(db, accountId, await listSourcesOfCampaigns(db, accountId, ids, before), asked);
  },
  async ofLists(db, accountId, listIds, before, asked) {
    const after = new Date(before.getTime() - LEDGER_MS);
    const page = { after, before, limit: MOST_SOURCES };
    return addVisibility(db, accountId, await listLastSources(db, accountId, listIds, page), asked);
  },
  wasSent,
  wasSentSince,
  wasSentAtLeast,
  ledgerMs: LEDGER_MS,
};

async function addVisibility(
  db: Queryable,
  accountId: string,
  sources: readonly LaunchedSource[],
  asked?: "by links",
): Promise<SentSource[]> {
  const revisionIds = [...new Set(sources.map(({ revisionId }) => revisionId))];
  const read = asked ? readVisibilityByLinks : readVisibility;
  const seen = await read(db, accountId, revisionIds);
  return sources.map(({ id, ownerId, listId, launchedAt, revisionId }) => ({
    id,
    campaignId: ownerId,
    listId,
    launchedAt,
    ...(seen.get(revisionId) ?? { opens: "nobody", clicks: "nobody" }),
  }));
}

async function findLinks(
  db: Queryable,
  accountId: string,
  campaignId: string,
): Promise<ReadonlySet<string> | undefined> {
  const sources = await listSourceRevisions(db, accountId, campaignId);
  if (sources.length === 0) return undefined;
  const urls = new Set<string>();
  for (const revisionId of new Set(sources.map((source) => source.revisionId)))
    for (const url of await readLinkUrls(db, accountId, revisionId)) if (url !== null) urls.add(url);
  return urls;
}
