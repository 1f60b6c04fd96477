/** These rules look at where the links of a mail lead and at what they show. */

import { dangerOf } from "../../link-safety.ts";
import type { RuleFault } from "../message.ts";
import type { Link, Reading } from "../reading/reading.ts";
import type { Rule } from "./rule.ts";

export const linkRules: readonly Rule[] = [
  {
    code: "empty_link",
    severity: "warning",
    remedy: "Give the link its address, or take the link away.",
    find: ({ links }) => faultsOf(links, ({ href }) => emptiness(href)),
  },
  {
    code: "unsafe_link",
    severity: "error",
    remedy: "Link to a plain https address.",
    find: ({ links }) => faultsOf(links, ({ href }) => dangerOf(href ?? "")),
  },
  {
    code: "placeholder_link",
    severity: "warning",
    remedy: "Put in the address that is meant.",
    find: (reading) =>
      faultsOf(foreignLinks(reading), ({ href }) =>
        isPlaceholder(href ?? "")
          ? `The link leads to ${quote(href)}, which only stands for an address.`
          : null,
      ),
  },
  {
    code: "relative_link",
    severity: "warning",
    remedy: "Give the whole address, beginning with https://.",
    find: ({ links }) =>
      faultsOf(links, ({ href }) =>
        href && relative.test(href) && !isPlaceholder(href)
          ? "The link's address isn't whole, and a mail has no site to complete it from."
          : null,
      ),
  },
  {
    code: "insecure_link",
    severity: "warning",
    remedy: "Write https:// where the site has it.",
    find: (reading) =>
      faultsOf(foreignLinks(reading), ({ href }) =>
        /^http:\/\/[^/]/i.test(href ?? "") && !isPlaceholder(href ?? "")
          ? "The link is http, not https: browsers warn of it and filters trust it less."
          : null,
      ),
  },
  {
    code: "short_link",
    severity: "warning",
    remedy: "Link to the page itself; clicks are counted anyway.",
    find: ({ links }) =>
      faultsOf(links, ({ href }) => {
        const host = hostOf(href ?? "");
        return host !== null && shorteners.has(host)
          ? `The link hides its target behind ${host}, as spam often does.`
          : null;
      }),
  },
  {
    code: "misleading_link",
    severity: "warning",
    remedy: "Show the address that the link leads to, or words instead of an address.",
    find: ({ links }) => faultsOf(links, misleads),
  },
  {
    code: "link_without_text",
    severity: "warning",
    remedy: "Write something into the link, or describe its picture in alt.",
    find: ({ links }) =>
      faultsOf(links, ({ href, label }) =>
        href && emptiness(href) === null && !/[\p{L}\p{N}\p{S}\p{P}]/u.test(label)
          ? "The link has neither text nor a described picture, so a screen reader can't say what it is."
          : null,
      ),
  },
];

function* faultsOf(links: Iterable<Link>, judge: (link: Link) => string | null): Iterable<RuleFault> {
  for (const link of links) {
    const message = judge(link);
    if (message !== null) yield { message, at: { part: "html", offset: link.offset } };
  }
}

/**
 * Yields the links that don't lead to our own pages. Those are the operator's concern: on a laptop they are http and
 * lead to localhost.
 */
function* foreignLinks({ links, message }: Reading): Iterable<Link> {
  const own = originOf(message.unsubscribeUrl ?? "");
  for (const link of links) if (own === null || originOf(link.href ?? "") !== own) yield link;
}

function emptiness(href: string | null): string | null {
  if (href === null || href === "") return "The link leads nowhere: it has no address.";
  if (href === "#") return "The link leads nowhere: its address is #.";
  return null;
}

/**
 * Matches an address that has neither a scheme nor an anchor. A merge tag doesn't match either, because another rule
 * reports it.
 */
const relative = /^(?![a-z][a-z\d+.-]*:|#|\{\{|\*\||%%|<%)/i;

/** These hosts are reserved by RFC 2606 §2 and §3, or left behind by templates and page builders. */
const placeholderHost =
  /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|localhost|test|yoursite\.com|yourdomain\.com|your-?website\.com|domain\.com|website\.com)$/;
const placeholderText =
  /^(?:https?:\/{0,2}|mailto:|tel:|url|link|to[-_ ]?do|tbd|x{3,}|your[-_ ]?(?:url|link).*|insert.*)$/i;

function isPlaceholder(href: string): boolean {
  if (href === "") return false;
  const host = hostOf(href);
  return host === null ? placeholderText.test(href) : placeholderHost.test(host) || isPrivateAddress(host);
}

/** No recipient can reach the addresses of RFC 1918 or of the loopback. */
function isPrivateAddress(host: string): boolean {
  return /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|\[::1\]$)/.test(host);
}

const shorteners = new Set(
  (
    "bit.ly tinyurl.com t.co goo.gl ow.ly is.gd v.gd buff.ly rebrand.ly cutt.ly t.ly rb.gy shorturl.at tiny.cc " +
    "lnkd.in s.id bl.ink adf.ly soo.gd snip.ly qr.ae tr.im x.co u.to clck.ru"
  ).split(" "),
);

/**
 * Matches a label that reads as a web address: one with a scheme, with www, or a bare name under a common top-level
 * domain.
 */
const shownAddress =
  /^(?:https?:\/\/\S+|www\.\S+|(?:[\p{L}\p{N}-]+\.)+(?:com|org|net|edu|gov)(?:[/?#]\S*)?)$/iu;

function misleads({ href, label }: Link): string | null {
  const shown = label.trim();
  if (href === null || !/^https?:/i.test(href) || !shownAddress.test(shown)) return null;
  const [shownHost, realHost] = [hostOf(/^https?:/i.test(shown) ? shown : `https://${shown}`), hostOf(href)];
  if (shownHost === null || realHost === null || siteOf(shownHost) === siteOf(realHost)) return null;
  return `The link shows ${shownHost} but leads to ${realHost}, as phishing does.`;
}

/**
 * Returns the part of a host that one owner holds, approximately: its last two labels, or three below suffixes such
 * as co.uk.
 */
function siteOf(host: string): string {
  const labels = host.split(".");
  const isDeep = /^(?:ac|co|com|edu|gov|net|ne|or|org)\.[a-z]{2}$/.test(labels.slice(-2).join("."));
  return labels.slice(isDeep ? -3 : -2).join(".");
}

function hostOf(href: string): string | null {
  if (!/^https?:\/\//i.test(href)) return null;
  return (
    URL.parse(href)
      ?.hostname.replace(/^www\./, "")
      .replace(/\.$/, "") || null
  );
}

function originOf(href: string): string | null {
  return URL.parse(href)?.origin ?? null;
}

function quote(href: string | null): string {
  return JSON.stringify((href ?? "").slice(0, 60));
}
