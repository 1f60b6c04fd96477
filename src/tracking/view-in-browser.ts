/** The mail as a page, for recipients whose program shows it badly. The author's HTML is isolated: nothing in it runs. */
import { getAccount } from "../accounts/accounts.ts";
import type { ContentWorkers } from "../content/content.ts";
import { findMailed, isWave } from "../delivery/delivery.ts";
import {
  createHitTokens,
  type LinkTokens,
  type Revision,
  readRevision,
  renderRevision,
} from "../messages/messages.ts";
import type { Db } from "../platform/db/db.ts";
import {
  gone,
  mailDocument,
  type PageWords,
  type PublicPage,
  senderOf,
  toHtml,
} from "../public-pages/public-pages.ts";
import { allFields, findSubscriber, mergeValuesOf, NO_MERGE_VALUES } from "../subscribers/subscribers.ts";
import type { LinkTarget } from "./unsubscribing/unsubscribing.ts";

export type ViewTools = {
  readonly db: Db;
  readonly contentWorkers: Pick<ContentWorkers, "render">;
  readonly linkTokens: Pick<LinkTokens, "aggregateFor">;
  readonly pageWords: PageWords;
};

type Viewed = {
  readonly target: LinkTarget;
  readonly token: string;
  readonly acceptLanguage: string | undefined;
};

export async function viewInBrowser(
  { db, contentWorkers, linkTokens, pageWords }: ViewTools,
  { target: { accountId, sourceId, contactId }, token, acceptLanguage }: Viewed,
): Promise<PublicPage> {
  const mailed = await findMailed(db, accountId, sourceId, contactId);
  const account = await getAccount(db, accountId);
  const words = account
    ? await pageWords.forAccount(db, account, acceptLanguage)
    : pageWords.forVisitor(acceptLanguage);
  if (!mailed || isWave(sourceId, mailed)) return gone({ words, sender: null });
  const [revision, fields, subscriber] = await Promise.all([
    readRevision(db, accountId, mailed.revisionId) as Promise<Revision>,
    allFields(db, accountId),
    mailed.subscriberId ? findSubscriber(db, accountId, mailed.subscriberId) : undefined,
  ]);
  // Whoever is gone is nobody: their values are empty, and the template's own defaults show. So it is for whoever has another
  // address by now, since the mail is held by who had the former one.
  const isSame = subscriber?.contact_id === contactId;
  const values = subscriber && isSame ? mergeValuesOf(subscriber, fields) : NO_MERGE_VALUES;
  // Mail to somebody who is on no list has nobody who could refuse; a subscriber who is gone can't be asked any more.
  const consent =
    mailed.listId === null ? null : (subscriber?.tracking_consent ?? (subscriber ? null : false));
  const hitTokensFor = createHitTokens(revision, () => linkTokens.aggregateFor(accountId, sourceId));
  const tokens = { token, hitTokens: hitTokensFor(token, consent) };
  const rendered = await renderRevision(contentWorkers, accountId, revision, values, tokens);
  if (!rendered.ok) return gone({ words, sender: account ? senderOf(account, null) : null });
  const { subject, html, text } = rendered.message;
  return mailDocument({ words, html: html ?? toHtml(text), subject, isFramed: false, isIndexable: false });
}
