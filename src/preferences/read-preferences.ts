/** What a preference page says of the person whom the mail went to. Whoever holds the mail may read it, so it says little. */
import { type AccountRow, findLiveAccount } from "../accounts/accounts.ts";
import { findMailed, type Mailed } from "../delivery/delivery.ts";
import { isTrackedInPerson } from "../messages/messages.ts";
import type { Queryable } from "../platform/db/db.ts";
import {
  findPause,
  findSuppressionReasons,
  hasLeftEverything,
  type ListOfPerson,
  listListsOfPerson,
  listTopicChoices,
  type TopicChoice,
} from "../subscribers/subscribers.ts";

/** The message whose link it is, as its token names it. */
export type LinkTarget = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly contactId: string;
};

export type Person = {
  readonly account: AccountRow;
  readonly mailed: Mailed;
  /** Every list, also those that may not be named. */
  readonly lists: readonly ListOfPerson[];
  readonly topics: readonly TopicChoice[];
  readonly pausedUntil: Date | null;
  readonly hasLeftAll: boolean;
};

/** `forgotten`: there was somebody, of whom nothing is kept. Undefined where there is nothing to choose. */
export async function readPerson(
  db: Queryable,
  { accountId, sourceId, contactId }: LinkTarget,
): Promise<Person | { readonly forgotten: AccountRow } | undefined> {
  const [account, lists] = await Promise.all([
    findLiveAccount(db, accountId),
    listListsOfPerson(db, accountId, contactId),
  ]);
  if (!account) return undefined;
  if (lists.length === 0) {
    const reasons = await findSuppressionReasons(db, accountId, [contactId]);
    return reasons.get(contactId) === "erased" ? { forgotten: account } : undefined;
  }
  const [mailed, topics, pausedUntil, hasLeftAll] = await Promise.all([
    findMailed(db, accountId, sourceId, contactId),
    listTopicChoices(db, accountId, contactId),
    findPause(db, accountId, contactId),
    hasLeftEverything(db, accountId, contactId, undefined),
  ]);
  const isOnAny = lists.some(({ status }) => isOn(status));
  return mailed && { account, mailed, lists, topics, pausedUntil, hasLeftAll: hasLeftAll && !isOnAny };
}

export function isOn(status: ListOfPerson["status"]): boolean {
  return status === "active" || status === "pending";
}

/** Lists marked public and the mail's own may be named. Whoever bounced or complained has nothing to choose there. */
export function offeredLists({ lists, mailed }: Pick<Person, "lists" | "mailed">): ListOfPerson[] {
  return lists.filter(
    ({ listId, isPublic, status }) =>
      (isPublic || listId === mailed.listId) && (isOn(status) || status === "unsubscribed"),
  );
}

/** Null where no list keeps anything in person, whatever is answered. */
export function trackingOf({ lists, account }: Pick<Person, "lists" | "account">): boolean | null {
  const modes = lists.map((list) => ({ ...list, mode: list.tracking ?? account.tracking ?? "individual" }));
  const asking = modes.filter(({ mode }) => mode === "individual" || mode === "consented");
  if (asking.length === 0) return null;
  return asking.some(({ mode, trackingConsent }) => isTrackedInPerson(mode, trackingConsent));
}
