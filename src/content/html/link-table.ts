/** Numbers links, so that a mail carries numbers and one MAC instead of 20 signed addresses. */
import type { NumberedLink } from "../compiled.ts";

export type LinkTable = {
  readonly links: NumberedLink[];
  /** The first link of each address. */
  readonly byUrl: Map<string, NumberedLink>;
  /** The links with Liquid, by what their addresses become in a text that is made from the HTML. */
  readonly byMadeText: Map<string, NumberedLink>;
  /** The addresses that stay in the HTML, with what was added to them. */
  readonly added: Map<string, string>;
};

export function createLinkTable(): LinkTable {
  return { links: [], byUrl: new Map(), byMadeText: new Map(), added: new Map() };
}

/** Gives a link the next number. */
export function addLink(
  { links, byUrl }: LinkTable,
  { url, target = url, liquid }: Pick<NumberedLink, "url" | "target" | "liquid">,
): NumberedLink {
  const first = byUrl.get(url);
  const link: NumberedLink = {
    index: links.length,
    url,
    isDynamic: liquid !== undefined,
    ...(first && { group: first.index }),
    ...(target !== url && { target }),
    ...(liquid && { liquid }),
  };
  links.push(link);
  if (!first) byUrl.set(url, link);
  return link;
}

/** The honeypot has no address: it is known by its number alone. */
export function addHoneypot({ links }: LinkTable): NumberedLink {
  const link: NumberedLink = { index: links.length, url: "", isDynamic: false, isHoneypot: true };
  links.push(link);
  return link;
}
