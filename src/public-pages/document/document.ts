/** What all public pages have in common: the document around them, the sender's name, the foot, and the headers. */
import { createHash } from "node:crypto";
import type { Words } from "../locales/words.ts";
import { type Html, html, ownMarkup, toText } from "./html.ts";
import { plainName, showName } from "./names.ts";
import { styleFor } from "./style.ts";

export type PublicPage = {
  readonly status: number;
  /** These replace the server's own, name by name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Sender = {
  readonly name: string;
  readonly postalAddress: string | null;
  readonly branding: {
    /** #rgb or #rrggbb. Buttons and marks are made of it, adjusted until they can be read. */
    readonly colour: string | null;
    /** A path on this host, such as /files/fil_…, or an https address. Anything else shows the name. */
    readonly logoUrl: string | null;
  };
};

export type PageParts = {
  readonly words: Words;
  readonly title: string;
  /** Null where nobody can be named: a bad token, or the database is away. */
  readonly sender: Sender | null;
  readonly main: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Search engines are kept out unless this says otherwise. */
  readonly isIndexable?: boolean;
  readonly links?: Html | null;
  /** Where a form of the page may lead beside this host, since browsers hold redirects against the policy too. */
  readonly formAction?: string | null;
  /** Whether the page has a script of ours. */
  readonly hasScript?: boolean;
  /** A sheet for sentences, a wider one for lists, or the whole window for a mail in a frame. */
  readonly layout?: "sheet" | "wide" | "reader";
};

export function renderPage(parts: PageParts): PublicPage {
  const { words, sender, layout = "sheet", isIndexable = false } = parts;
  const style = styleFor(sender?.branding.colour ?? null);
  const logo = readLogo(sender?.branding.logoUrl ?? null);
  const robots = isIndexable ? null : html`<meta name="robots" content="noindex">`;
  const page = html`<!doctype html>
<html lang="${words.lang}" dir="${words.direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(parts)}</title>${robots}${parts.links}
<style>${ownMarkup(style)}</style></head>
${layout === "reader" ? html`<body class="reader"><main>${parts.main}</main>` : sheet(parts, logo)}
${foot(parts)}</body></html>
`;
  return {
    status: parts.status ?? 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyFor({ ...parts, style, logo, hasFrame: layout === "reader" }),
      vary: "accept-language",
      ...(!isIndexable && { "x-robots-tag": "noindex" }),
      ...parts.headers,
    },
    body: toText(page),
  };
}

/** The same page in a frame of ours, as where a mail can't be shown: a page that refuses frames would leave it blank. */
export function inFrame(page: PublicPage): PublicPage {
  const policy = page.headers["content-security-policy"] ?? "";
  const framed = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'");
  const headers = { "content-security-policy": framed, "x-frame-options": "SAMEORIGIN" };
  return { ...page, headers: { ...page.headers, ...headers } };
}

type Logo = { readonly url: string; readonly source: string };

/**
 * Nothing runs but a script of ours where there is one, nothing is fetched but the logo, and forms go nowhere else than where we lead
 * them. The hash names the one style sheet.
 */
function policyFor(
  page: Pick<PageParts, "formAction" | "hasScript"> & { style: string; logo: Logo | null; hasFrame: boolean },
): string {
  const hash = createHash("sha256").update(page.style).digest("base64");
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    ...(page.logo ? [`img-src ${page.logo.source}`] : []),
    ...(page.hasFrame ? ["frame-src 'self'"] : []),
    ...(page.hasScript ? ["script-src 'self'", "connect-src 'self'"] : []),
    ["form-action 'self'", ...originsOf(page.formAction)].join(" "),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The host stands in the policy, where a ";" or a "'" of a strange host name would begin another directive. */
function isSafeOrigin(origin: string): boolean {
  return /^https?:\/\/[a-z\d.-]+(?::\d+)?$/.test(origin);
}

function originsOf(address: string | null | undefined): readonly string[] {
  const origin = address && URL.canParse(address) ? new URL(address).origin : "";
  return isSafeOrigin(origin) ? [origin] : [];
}

function readLogo(address: string | null): Logo | null {
  if (address === null) return null;
  if (/^\/(?![/\\])[!-~]*$/.test(address)) return { url: address, source: "'self'" };
  if (!URL.canParse(address)) return null;
  const { origin, href } = new URL(address);
  return /^https:/.test(origin) && isSafeOrigin(origin) ? { url: href, source: origin } : null;
}

function titleOf({ title, sender, words }: PageParts): string {
  return `${title} · ${sender ? plainName(sender.name, words.postrider) : words.postrider}`;
}

function sheet({ sender, main, layout }: PageParts, logo: Logo | null): Html {
  const classes = layout === "wide" ? "sheet wide" : "sheet";
  return html`<body><main class="${classes}">${sender && nameOf(sender, logo)}${main}</main>`;
}

function nameOf({ name }: Sender, logo: Logo | null): Html | null {
  const plain = plainName(name, "");
  if (logo) return html`<div class="sender"><img class="logo" src="${logo.url}" alt="${plain}"></div>`;
  if (!plain) return null;
  return html`<div class="sender"><div${isSetInCapitals(plain) && html` class="caps"`}>${showName(name, "")}</div></div>`;
}

/** Spaced capitals suit short names; long ones are hard to read in them, and scripts that join letters fall apart. */
function isSetInCapitals(name: string): boolean {
  return (
    name.length <= 32 &&
    /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]+$/u.test(
      name,
    )
  );
}

function foot({ sender, words }: PageParts): Html {
  const address = sender?.postalAddress ? html`<span>${showName(sender.postalAddress, "")}</span>` : null;
  return html`<footer class="by">${address}<span>${MARK} ${sender ? words.sentWith : words.postrider}</span></footer>`;
}

const MARK = html`<svg viewBox="0 0 22 24" fill="none" aria-hidden="true"><path d="M3.2 21.5V3.1h8a6.2 6.2 0 0 1 0 12.4H8.8" stroke="currentColor" stroke-width="4.3" stroke-linejoin="round" stroke-linecap="round"/><g class="hole"><circle cx="10.6" cy="3.1" r=".95"/><circle cx="15.1" cy="4.7" r=".95"/><circle cx="17.4" cy="9.3" r=".95"/><circle cx="15.1" cy="13.9" r=".95"/><circle cx="10.6" cy="15.5" r=".95"/></g></svg>`;

export const CHECK_ICON = html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="m16 9-5.5 5.5L8 12"/></svg>`;
export const CHEVRON_ICON = html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><path d="m9 6 6 6-6 6"/></svg>`;
export const CLOCK_ICON = html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="M12 7v5l3 2"/></svg>`;
