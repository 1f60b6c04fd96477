/** The archive as RSS 2.0 and Atom (RFC 4287). Entries carry the preview text, not the mail: readers run what they are given. */
import type { PublicPage } from "../document/document.ts";
import { fillText, type Html, html, ownMarkup, toText } from "../document/html.ts";
import { plainName } from "../document/names.ts";
import type { Words } from "../locales/words.ts";

export type ArchiveFeed = {
  readonly words: Words;
  /** Stays the same when the archive moves to another address (RFC 4287 §4.2.6), and so do those of its mails. */
  readonly id: string;
  readonly senderName: string;
  readonly listName: string;
  /** All addresses are whole ones, for feeds are read elsewhere. */
  readonly archiveUrl: string;
  readonly feedUrl: string;
  /** Newest first. */
  readonly mails: readonly FeedMail[];
  /** When the archive itself was made: what an empty feed says it was last changed at. */
  readonly createdAt: Date;
  readonly isIndexable: boolean;
};

type FeedMail = {
  readonly id: string;
  readonly url: string;
  readonly subject: string;
  readonly summary: string | null;
  readonly sentAt: Date;
};

export function rssFeed(feed: ArchiveFeed): PublicPage {
  const { words } = feed;
  const title = xmlText(feed.listName, words.thisList);
  const items = feed.mails.map(
    ({ id, url, subject, summary, sentAt }) => html`<item>
<title>${xmlText(subject, words.noSubject)}</title>
<link>${url}</link>
<guid isPermaLink="false">${id}</guid>
<pubDate>${rfc822Date(sentAt)}</pubDate>
${optional("description", summary)}
</item>
`,
  );
  return answer(
    feed,
    "application/rss+xml",
    html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${title}</title>
<link>${feed.archiveUrl}</link>
<atom:link href="${feed.feedUrl}" rel="self" type="application/rss+xml"/>
<description>${descriptionOf(feed)}</description>
<language>${words.lang.toLowerCase()}</language>
<lastBuildDate>${rfc822Date(updatedAt(feed))}</lastBuildDate>
${items}</channel></rss>
`,
  );
}

export function atomFeed(feed: ArchiveFeed): PublicPage {
  const { words } = feed;
  const entries = feed.mails.map(
    ({ id, url, subject, summary, sentAt }) => html`<entry>
<id>${id}</id>
<title>${xmlText(subject, words.noSubject)}</title>
<link rel="alternate" type="text/html" href="${url}"/>
<published>${sentAt.toISOString()}</published>
<updated>${sentAt.toISOString()}</updated>
${optional("summary", summary)}
</entry>
`,
  );
  return answer(
    feed,
    "application/atom+xml",
    html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${words.lang}">
<id>${feed.id}</id>
<title>${xmlText(feed.listName, words.thisList)}</title>
<subtitle>${descriptionOf(feed)}</subtitle>
<author><name>${xmlText(feed.senderName, words.thisSender)}</name></author>
<link rel="self" type="application/atom+xml" href="${feed.feedUrl}"/>
<link rel="alternate" type="text/html" href="${feed.archiveUrl}"/>
<updated>${updatedAt(feed).toISOString()}</updated>
${entries}</feed>
`,
  );
}

function answer({ isIndexable }: ArchiveFeed, type: string, body: Html): PublicPage {
  return {
    status: 200,
    headers: { "content-type": `${type}; charset=utf-8`, ...(!isIndexable && { "x-robots-tag": "noindex" }) },
    body: `<?xml version="1.0" encoding="utf-8"?>\n${toText(body)}`,
  };
}

function optional(name: "description" | "summary", text: string | null): Html | null {
  const shown = xmlText(text ?? "", "");
  return shown ? html`<${ownMarkup(name)}>${shown}</${ownMarkup(name)}>` : null;
}

function descriptionOf({ words, senderName }: ArchiveFeed): string {
  return fillText(words.archive.lead, { sender: xmlText(senderName, words.thisSender) });
}

/** XML 1.0 has no place for U+FFFE and U+FFFF, not even escaped; control characters are gone from a plain name already. */
function xmlText(text: string, instead: string): string {
  return plainName(text.replaceAll(/[\uFFFE\uFFFF]/g, ""), instead);
}

function updatedAt({ mails, createdAt }: ArchiveFeed): Date {
  return new Date(
    mails.reduce((latest, { sentAt }) => Math.max(latest, sentAt.getTime()), createdAt.getTime()),
  );
}

/** RSS wants RFC 822 dates; "GMT" is one of its zones. */
function rfc822Date(at: Date): string {
  return at.toUTCString();
}
