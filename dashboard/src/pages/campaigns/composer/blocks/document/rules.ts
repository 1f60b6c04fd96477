/** What the service takes for links, colours and names, so that a field says at once what would be refused. A test holds the two together. */

export const LINK =
  /^(?:https?:\/\/[^\s"'<>\\{}/?#]+(?:[/?#](?:[^\s"<>\\{}]|\{\{[^{}<>]*\}\})*)?|mailto:[^\s"'<>\\{}]+|tel:[+0-9()./-]+|\{\{ ?[a-z_.]+_url ?\}\})$/;
export const SOURCE = /^https?:\/\/[^\s"'<>\\{}]+$/;
export const COLOUR = /^#[0-9a-fA-F]{6}$/;
export const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*){0,4}$/;
export const LIQUID_TEXT = /^(?:[^"{}\r\n]*|[^'{}\r\n]*)$/;

const LONGEST_LINK = 2_000;

export const isLink = (text: string) => text.length <= LONGEST_LINK && LINK.test(text);

/** Adds what people leave out: `shop.example/new` and `ada@shop.example` are links too. */
export function linkFrom(typed: string): string {
  const text = typed.trim();
  if (isLink(text) || text === "") return text;
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(text)) return `mailto:${text}`;
  return /^[\w-]+(\.[\w-]+)+([/?#].*)?$/.test(text) ? `https://${text}` : text;
}
