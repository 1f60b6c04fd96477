/**
 * A mail as a page. The author's HTML is a document of its own, and its response carries the isolation: `sandbox` gives it an
 * origin that shares nothing with ours, without scripts, forms or refreshes, however it is opened. A `srcdoc` frame would
 * inherit our page's policy, so that page would have to allow the author's styles and images too.
 */
import { placeInHead } from "../../content/content.ts";
import type { PublicPage } from "../document/document.ts";
import { html, toText } from "../document/html.ts";
import { plainName } from "../document/names.ts";
import type { Words } from "../locales/words.ts";

export type MailDocument = {
  readonly words: Words;
  /** As it was rendered for the reader, without the pixel. */
  readonly html: string;
  /** The title of the window: what the author put into the HTML is often nothing, or a template's name. */
  readonly subject: string;
  /** True for a mail of the archive, which stands in a frame of ours. */
  readonly isFramed: boolean;
  readonly isIndexable: boolean;
};

export function mailDocument(mail: MailDocument): PublicPage {
  const { isFramed, isIndexable } = mail;
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyFor(isFramed),
      "x-frame-options": isFramed ? "SAMEORIGIN" : "DENY",
      // By the HTML standard (7.4.5) a sandboxed document that also has an opener policy is a network error.
      "cross-origin-opener-policy": "unsafe-none",
      ...(!isIndexable && { "x-robots-tag": "noindex" }),
    },
    body: addToHead(mail),
  };
}

/** Images are `'self'` as well, because /files/ of an instance without TLS isn't https. */
function policyFor(isFramed: boolean): string {
  return [
    "sandbox allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    "img-src https: data: 'self'",
    "style-src 'unsafe-inline'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
  ].join("; ");
}

/** Other sites refuse to be shown in our frame, so a mail's links open beside it. The first title and `<base>` count. */
function addToHead({ words, html: given, subject, isFramed }: MailDocument): string {
  const source = given.toWellFormed();
  const at = placeInHead(source);
  const title = html`<title>${plainName(subject, words.noSubject)}</title>`;
  const added = isFramed ? html`${title}<base target="_blank">` : title;
  return source.slice(0, at) + toText(added) + source.slice(at);
}

/** The document of a mail that has no HTML. */
export function toHtml(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html><html><head><meta charset="utf-8"></head><body><pre style="white-space:pre-wrap">${escaped}</pre></body></html>`;
}
