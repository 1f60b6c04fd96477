/** Works out where a link leads that isn't the same for everybody. */
import type { ContentWorkers } from "../../content/content.ts";
import { findMailed } from "../../delivery/delivery.ts";
import { NO_URLS } from "../../messages/messages.ts";
import type { Db } from "../../platform/db/db.ts";
import {
  COME_BACK_AFTER_SECONDS,
  isAway,
  notFound,
  nothingToSee,
  type PublicPage,
  unavailable,
  type Words,
} from "../../public-pages/public-pages.ts";
import {
  allFields,
  findSubscriber,
  type MergeValues,
  mergeValuesOf,
  NO_MERGE_VALUES,
} from "../../subscribers/subscribers.ts";
import type { SpecialTarget } from "./link-targets.ts";

export type FollowTools = { readonly db: Db; readonly contentWorkers: Pick<ContentWorkers, "render"> };

/** A page that isn't a hit says that there is no such link, or none that can be worked out now. */
type Followed = { readonly location: string } | { readonly page: PublicPage; readonly isHit: boolean };

type Message = {
  readonly accountId: string;
  readonly sourceId: string;
  /** Null where the mail was tracked for nobody in particular. */
  readonly contactId: string | null;
};

/** `path` is that of the link itself, for whoever is asked to come back. */
export async function followLink(
  tools: FollowTools,
  message: Message,
  target: SpecialTarget,
  { words, path }: { readonly words: Words; readonly path: string },
): Promise<Followed> {
  if (target.kind === "honeypot") return { page: nothingToSee(words), isHit: true };
  const { content, frozen } = target;
  const subscriber = await readValues(tools.db, message);
  const merged = { subscriber, ...frozen, urls: NO_URLS };
  const rendered = await tools.contentWorkers.render(content.compiled, merged, message.accountId);
  if (!rendered.ok && rendered.fault.code === "worker_failed") {
    const retry = { retryAfterSeconds: COME_BACK_AFTER_SECONDS, unsubscribePath: null, retryPath: path };
    return { page: unavailable({ words, ...retry }), isHit: false };
  }
  const location = rendered.ok ? content.toLocation(rendered.values) : undefined;
  return location === undefined ? { page: notFound(words), isHit: false } : { location };
}

/**
 * Reads what is known of the recipient now. Of somebody who is gone nothing is, and the template's defaults show. They show too
 * while the database is away: the link leads to the author's site all the same.
 */
async function readValues(db: Db, { accountId, sourceId, contactId }: Message): Promise<MergeValues> {
  if (contactId === null) return NO_MERGE_VALUES;
  try {
    const mailed = await findMailed(db, accountId, sourceId, contactId);
    if (!mailed?.subscriberId) return NO_MERGE_VALUES;
    const [subscriber, fields] = await Promise.all([
      findSubscriber(db, accountId, mailed.subscriberId),
      allFields(db, accountId),
    ]);
    // Whoever has another address by now may be somebody else than who holds the mail.
    return subscriber?.contact_id === contactId ? mergeValuesOf(subscriber, fields) : NO_MERGE_VALUES;
  } catch (error) {
    if (isAway(error)) return NO_MERGE_VALUES;
    throw error;
  }
}
