/** Writes the words of a block, with their emphasis, colours, links and variables, as HTML. */
import { address, literal, variable } from "./liquid-text.ts";
import type { Inline, Paragraph } from "./schema.ts";
import { darkClass, type Looks } from "./style.ts";

type Word = Exclude<Inline, { type: "break" }>;

type Written = Pick<Looks, "linkColour" | "start">;

export function inlineHtml(content: readonly Inline[], { linkColour }: Written): string {
  return groupByLink(content)
    .map(({ link, words }) => {
      const html = words.map(wordHtml).join("");
      return link === undefined ? html : `<a href="${address(link)}" style="color:${linkColour}">${html}</a>`;
    })
    .join("");
}

type Group = { readonly link: string | undefined; readonly words: Inline[] };

/** Neighbours that lead to the same address are one link, or a bold word in it would be counted as another. */
function groupByLink(content: readonly Inline[]): Group[] {
  const groups: Group[] = [];
  for (const one of content) {
    const link = one.type === "break" ? undefined : one.link;
    const last = groups.at(-1);
    if (last && last.link === link) last.words.push(one);
    else groups.push({ link, words: [one] });
  }
  return groups;
}

function wordHtml(inline: Inline): string {
  if (inline.type === "break") return "<br />";
  const text = inline.type === "text" ? literal(inline.text) : variable(inline.name, inline.fallback);
  return emphasise(text, inline);
}

function emphasise(text: string, { bold, italic, underline, strike, colour }: Word): string {
  let html = text;
  if (colour) html = `<span class="${darkClass(colour)}" style="color:${colour}">${html}</span>`;
  if (strike) html = `<s>${html}</s>`;
  if (underline) html = `<u>${html}</u>`;
  if (italic) html = `<em>${html}</em>`;
  if (bold) html = `<strong>${html}</strong>`;
  return html;
}

export function paragraphHtml(paragraph: Paragraph, looks: Written, isLast: boolean): string {
  const below = isLast ? "0" : "0.75em";
  if (paragraph.type === "list") return listHtml(paragraph, looks, below);
  const align = paragraph.align ? `;text-align:${paragraph.align}` : "";
  // An empty paragraph is a blank line that its author wants to see.
  const words = inlineHtml(paragraph.content, looks) || "&nbsp;";
  return `<p style="margin:0 0 ${below}${align}">${words}</p>`;
}

type List = Extract<Paragraph, { type: "list" }>;

/** Lists within lists are told by levels; a level may only be one deeper than that of the item above. */
function listHtml({ ordered, items }: List, looks: Written, below: string): string {
  const tag = ordered ? "ol" : "ul";
  const open = (margin: string) => `<${tag} style="margin:${margin};padding-${looks.start}:1.5em">`;
  const parts: string[] = [];
  let depth = 0;
  for (const { content, level = 1 } of items) {
    const wanted = Math.min(level, depth + 1);
    if (wanted > depth) parts.push(open(depth === 0 ? `0 0 ${below}` : "0"));
    else parts.push("</li>", `</${tag}></li>`.repeat(depth - wanted));
    depth = wanted;
    parts.push(`<li style="margin:0 0 4px">${inlineHtml(content, looks)}`);
  }
  parts.push(`</li></${tag}>`.repeat(depth));
  return parts.join("");
}
