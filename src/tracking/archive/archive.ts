/**
 * The public archive of a list: its sent campaigns that are marked for it, as pages and as feeds. Anybody may read them, and
 * nothing in them is anybody's own.
 */
import { type AccountRow, getAccount } from "../../accounts/accounts.ts";
import type { ContentWorkers } from "../../content/content.ts";
import type { Db } from "../../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import {
  archivedMailPage,
  archivePage,
  atomFeed,
  COME_BACK_AFTER_SECONDS,
  gone,
  mailDocument,
  notInArchive,
  type PageWords,
  type PublicPage,
  rssFeed,
  senderOf,
  unavailable,
  type Words,
} from "../../public-pages/public-pages.ts";
import { findArchivedList, type ListRow } from "../../subscribers/subscribers.ts";
import type { ArchivedMail, ArchivedMails, Place } from "./archived-mails.ts";
import { createDocuments } from "./documents.ts";
import { createHeadings } from "./headings.ts";

export type { ArchivedMail, ArchivedMails } from "./archived-mails.ts";

export type ArchiveTools = {
  readonly db: Db;
  readonly contentWorkers: Pick<ContentWorkers, "compile" | "render">;
  readonly publicUrl: () => string;
  readonly mails: ArchivedMails;
  readonly pageWords: PageWords;
};

/** All are in the visitor's language but the feeds, which programs fetch for many readers: those are in the account's. */
export type Archive = {
  /** `cursor` is a mail's public id, and the page what is older or newer than it. */
  showList(
    slug: string,
    cursor: { readonly before: string | null; readonly after: string | null },
    acceptLanguage: string | undefined,
  ): Promise<PublicPage>;
  showFeed(slug: string, format: "rss" | "atom", acceptLanguage: string | undefined): Promise<PublicPage>;
  /** The page around a mail. */
  showMail(slug: string, mailId: string, acceptLanguage: string | undefined): Promise<PublicPage>;
  /** The mail itself, for the frame of that page. */
  showDocument(slug: string, mailId: string, acceptLanguage: string | undefined): Promise<PublicPage>;
};

const PAGE = 20;

type Found = { readonly account: AccountRow; readonly list: ListRow; readonly path: string };
type FoundMail = Found & { readonly mail: ArchivedMail };

export function createArchive(tools: ArchiveTools): Archive {
  const { db, contentWorkers, publicUrl, mails, pageWords } = tools;
  const headings = createHeadings(contentWorkers);
  const documents = createDocuments(db, contentWorkers);

  async function find(slug: string): Promise<Found | undefined> {
    const list = SLUG.test(slug) ? await findArchivedList(db, slug) : undefined;
    const account = list && (await getAccount(db, list.account_id));
    return account && { account, list, path: `/archive/${slug}` };
  }

  async function findMail(slug: string, mailId: string): Promise<FoundMail | undefined> {
    const id = fromPublicId("cmp", mailId);
    const found = id === undefined ? undefined : await find(slug);
    if (!found || id === undefined) return undefined;
    const mail = await mails.find(db, found.account.account_id, found.list.id, id);
    return mail && { ...found, mail };
  }

  /** What is asked for as newer, where there isn't a page of it, is the first page: it begins with the newest. */
  async function readPage({ account, list }: Found, place: Place | null): Promise<ArchivedMail[]> {
    const read = (at: Place | null) =>
      mails.list(db, account.account_id, list.id, { limit: PAGE, place: at });
    const page = await read(place);
    return place?.direction === "newer" && page.length > 0 && page.length < PAGE ? read(null) : page;
  }

  const wordsOf = ({ account }: Found, acceptLanguage: string | undefined) =>
    pageWords.forAccount(db, account, acceptLanguage);
  const nothing = (acceptLanguage: string | undefined) => notInArchive(pageWords.forVisitor(acceptLanguage));

  function readDocument({ account, path, mail }: FoundMail) {
    const archive = publicUrl() + path;
    const urls = { archive, mail: `${archive}/${toPublicId("cmp", mail.id)}` };
    return documents.read(account.account_id, mail.id, urls);
  }

  return {
    async showList(slug, cursor, acceptLanguage) {
      const place = readPlace(cursor);
      const found = place === undefined ? undefined : await find(slug);
      if (!found || place === undefined) return nothing(acceptLanguage);
      const page = await readPage(found, place);
      const [newest, oldest] = [page.at(0), page.at(-1)];
      if (place && !newest) return nothing(acceptLanguage);
      const { account, list, path } = found;
      const [words, shown, beyond] = await Promise.all([
        wordsOf(found, acceptLanguage),
        headings.of(list, page),
        newest && oldest && mails.neighbours(db, account.account_id, list.id, { newest, oldest }),
      ]);
      return archivePage({
        ...partsOf(found),
        words,
        mails: page.map(({ id, sentAt }, at) => ({
          path: `${path}/${toPublicId("cmp", id)}`,
          subject: shown[at]?.subject ?? "",
          summary: shown[at]?.summary ?? null,
          sentAt,
        })),
        newerPath: newest && beyond?.newer ? `${path}?after=${toPublicId("cmp", newest.id)}` : null,
        olderPath: oldest && beyond?.older ? `${path}?before=${toPublicId("cmp", oldest.id)}` : null,
        subscribePath: null,
      });
    },

    async showFeed(slug, format, acceptLanguage) {
      const found = await find(slug);
      if (!found) return nothing(acceptLanguage);
      const { account, list, path } = found;
      const page = await readPage(found, null);
      const [words, shown] = await Promise.all([wordsOf(found, undefined), headings.of(list, page)]);
      const archiveUrl = publicUrl() + path;
      const feed = {
        words,
        id: `urn:uuid:${list.id}`,
        senderName: account.name,
        listName: list.name,
        archiveUrl,
        createdAt: list.created_at,
        isIndexable: list.archive_indexed,
        mails: page.map(({ id, sentAt }, at) => ({
          id: `urn:uuid:${id}`,
          url: `${archiveUrl}/${toPublicId("cmp", id)}`,
          subject: shown[at]?.subject ?? "",
          summary: shown[at]?.summary ?? null,
          sentAt,
        })),
      };
      return format === "rss"
        ? rssFeed({ ...feed, feedUrl: `${archiveUrl}/feed.xml` })
        : atomFeed({ ...feed, feedUrl: `${archiveUrl}/atom.xml` });
    },

    async showMail(slug, mailId, acceptLanguage) {
      const found = await findMail(slug, mailId);
      if (!found) return nothing(acceptLanguage);
      const { account, list, path, mail } = found;
      const [words, [heading], beyond, document] = await Promise.all([
        wordsOf(found, acceptLanguage),
        headings.of(list, [mail]),
        mails.neighbours(db, account.account_id, list.id, { newest: mail, oldest: mail }),
        readDocument(found),
      ]);
      // Without the mail there is nothing to frame, so the whole page says so.
      if (document.kind !== "rendered") return whyNot(found, words, document.kind, `${path}/${mailId}`);
      const pathOf = (id: string | null) => id && `${path}/${toPublicId("cmp", id)}`;
      return archivedMailPage({
        ...partsOf(found),
        words,
        subject: heading?.subject ?? "",
        sentAt: mail.sentAt,
        documentPath: `${path}/${mailId}/mail`,
        archivePath: path,
        newerPath: pathOf(beyond.newer),
        olderPath: pathOf(beyond.older),
      });
    },

    async showDocument(slug, mailId, acceptLanguage) {
      const found = await findMail(slug, mailId);
      if (!found) return nothing(acceptLanguage);
      const { list, path, mail } = found;
      const [words, [heading], document] = await Promise.all([
        wordsOf(found, acceptLanguage),
        headings.of(list, [mail]),
        readDocument(found),
      ]);
      if (document.kind !== "rendered") return whyNot(found, words, document.kind, `${path}/${mailId}/mail`);
      return mailDocument({
        words,
        html: document.content.toString(),
        subject: heading?.subject ?? "",
        isFramed: true,
        isIndexable: list.archive_indexed,
      });
    },
  };
}

/** As lists take them; anything else needn't be looked up. */
const SLUG = /^[a-z0-9-]{1,63}$/;

/** Answers undefined for a cursor that is none. */
function readPlace(cursor: {
  readonly before: string | null;
  readonly after: string | null;
}): Place | null | undefined {
  const { before, after } = cursor;
  const id = before ?? after;
  if (id === null) return null;
  const than = fromPublicId("cmp", id);
  return than === undefined ? undefined : { direction: before === null ? "newer" : "older", than };
}

function whyNot(
  { account, list }: Found,
  words: Words,
  kind: "busy" | "failed",
  retryPath: string,
): PublicPage {
  if (kind === "failed") return gone({ words, sender: senderOf(account, list) });
  return unavailable({ words, retryAfterSeconds: COME_BACK_AFTER_SECONDS, unsubscribePath: null, retryPath });
}

function partsOf({ account, list, path }: Found) {
  return {
    sender: senderOf(account, list),
    listName: list.name,
    isIndexable: list.archive_indexed,
    timeZone: account.time_zone,
    rssPath: `${path}/feed.xml`,
    atomPath: `${path}/atom.xml`,
  };
}
