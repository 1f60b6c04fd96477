/**
 * Takes the names off what was recorded of people who refuse to be tracked, or were erased: their hits become those of nobody in
 * particular, and what was known of each of their messages goes. The sums change by what then can't be said any more, in the
 * same transaction, so they equal a recount as ever.
 */
import { listSourcesOfLists } from "../../delivery/delivery.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { forgetEngagementIn, takeWithdrawn, type Withdrawn } from "../../subscribers/subscribers.ts";
import { lockCounting } from "../hits/hits.ts";
import type { CountedLinks } from "../links/links.ts";
import { addSums, clicksOf, lossOf, NO_SUMS, type Sums, sumsOf } from "./count.ts";
import {
  changeSums,
  forgetMessages,
  type LinkRow,
  listMessagesOf,
  type MessageKey,
  type MessageRow,
  type Part,
  readLinks,
  readMessages,
  type SumsChange,
} from "./count-store.ts";
import { countInFlows } from "./flows.ts";
import { createUrlSums, type UrlSums } from "./url-sums.ts";

/** A list has a few hundred sources within the time that messages are kept; these are looked through for each person. */
const PEOPLE_AT_ONCE = 50;
const KEPT_MS = 396 * 24 * 3_600_000;

type ForgetOptions = { readonly db: Db; readonly clock: Clock; readonly countedLinks: CountedLinks };

/** Does it for some, and answers whether there may be more. */
export function forgetPeople({ db, clock, countedLinks }: ForgetOptions): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockCounting(tx))) return false;
    const people = await takeWithdrawn(tx, PEOPLE_AT_ONCE);
    if (people.length === 0) return false;
    await forgetMessagesOf(tx, people, new Date(clock.now().getTime() - KEPT_MS), countedLinks);
    return people.length === PEOPLE_AT_ONCE;
  });
}

async function forgetMessagesOf(
  tx: Tx,
  people: readonly Withdrawn[],
  since: Date,
  countedLinks: CountedLinks,
): Promise<void> {
  const onLists = people.flatMap((one) => (one.listId === null ? [] : [{ ...one, listId: one.listId }]));
  const everywhere = people.filter(({ listId }) => listId === null);
  const sources = await listSourcesOfLists(tx, onLists, since);
  const byList = Map.groupBy(sources, ({ accountId, listId }) => `${accountId} ${listId}`);
  const asked = onLists.flatMap(({ accountId, contactId, listId }) =>
    (byList.get(`${accountId} ${listId}`) ?? []).map(({ sourceId }) => ({ accountId, sourceId, contactId })),
  );
  // The facts of who is erased went with the subscribers.
  if (everywhere.length > 0) asked.push(...(await listMessagesOf(tx, everywhere)));
  if (asked.length > 0) await makeAnonymous(tx, asked, countedLinks);
  await forgetEngagementIn(
    tx,
    onLists.map(({ accountId, contactId, listId }) => ({
      accountId,
      contactId,
      campaignIds: (byList.get(`${accountId} ${listId}`) ?? []).map(({ ownerId }) => ownerId),
    })),
  );
}

export async function makeAnonymous(
  tx: Tx,
  asked: readonly MessageKey[],
  countedLinks: CountedLinks,
): Promise<void> {
  const messages = await readMessages(tx, asked);
  if (messages.length === 0) return;
  const links = await readLinks(tx, messages);
  const changes = createChanges();
  for (const message of messages) {
    changes.add(message, "", lossOf(message));
    // The hits stay, and nobody knows at which domain they were.
    changes.add(message, `domain ${message.domain ?? ""}`, ofDomain(message));
  }
  for (const link of links) changes.add(link, `link ${link.link}`, lossOfPeople(clicksOf(link)));
  const urls = createUrlSums(await countedLinks(tx, messages));
  for (const { row, part } of sumUp(links, urls)) changes.add(row, part, lossOfPeople(clicksOf(row)));
  await forgetMessages(tx, messages);
  await countInFlows(
    tx,
    messages.map((message) => [message, undefined]),
  );
  await changeSums(tx, changes.all());
}

/** A message from before domains were counted is in no domain's sums. */
function ofDomain(message: MessageRow): Sums {
  return message.domain === null ? NO_SUMS : addSums(NO_SUMS, sumsOf(message), -1);
}

function lossOfPeople({ clickers, humanClickers }: Sums): Sums {
  return { ...NO_SUMS, clickers: 0 - clickers, humanClickers: 0 - humanClickers };
}

/** Adds the clicks on links with the same address up, by message. */
function sumUp(links: readonly LinkRow[], urls: UrlSums): { readonly row: LinkRow; readonly part: Part }[] {
  const byKey = new Map<string, { row: LinkRow; part: Part }>();
  for (const link of links) {
    const part = urls.partOf(link);
    if (!part) continue;
    const key = `${link.sourceId} ${link.contactId} ${part}`;
    const { row } = byKey.get(key) ?? { row: { ...link, clicks: 0, humanClicks: 0 } };
    const clicks = row.clicks + link.clicks;
    byKey.set(key, { row: { ...row, clicks, humanClicks: row.humanClicks + link.humanClicks }, part });
  }
  return [...byKey.values()];
}

function createChanges() {
  const byKey = new Map<string, SumsChange>();
  return {
    add({ accountId, sourceId }: MessageKey, part: Part, sums: Sums): void {
      const key = `${sourceId} ${part}`;
      byKey.set(key, { accountId, sourceId, part, sums: addSums(byKey.get(key)?.sums ?? NO_SUMS, sums) });
    },
    all: () => [...byKey.values()],
  };
}
