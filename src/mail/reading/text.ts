/** Decodes bytes to text in any charset or none, and reduces HTML to its text. It never fails. */

/** Drops carriage returns and NULs, because all later code works on lines. */
export function decodeText(bytes: Buffer, charset: string | undefined): string {
  return decodeBytes(bytes, charset).replace(/[\r\0]/g, "");
}

function decodeBytes(bytes: Buffer, charset: string | undefined): string {
  const label = (charset ?? "").trim().toLowerCase();
  if (label !== "" && !/^(?:us-)?ascii$|^utf-?8$/.test(label)) {
    const decoder = makeDecoder(label);
    if (decoder) return decoder.decode(bytes);
  }
  // ISO-2022-JP (RFC 1468) is seven bits, so it would pass for UTF-8; carriers send it without a label.
  if (bytes.includes("\x1b$", 0, "latin1")) return new TextDecoder("iso-2022-jp").decode(bytes);
  return (
    decodeUtf8(bytes) ?? decodeUtf8(trimBrokenEnd(bytes)) ?? new TextDecoder("windows-1252").decode(bytes)
  );
}

function decodeUtf8(bytes: Buffer | null): string | null {
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function makeDecoder(label: string): TextDecoder | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null; // The label is x-unknown, utf-7, unknown-8bit or the like.
  }
}

/** Text that was cut to a limit may end inside a character. Returns null where the other bytes give no sign of UTF-8. */
function trimBrokenEnd(bytes: Buffer): Buffer | null {
  const lead = bytes.subarray(-3).findLastIndex((byte) => byte >= 0xc0);
  if (lead < 0) return null;
  const rest = bytes.subarray(0, Math.max(0, bytes.length - 3) + lead);
  return rest.some((byte) => byte >= 0x80) ? rest : null;
}

const blocks = /^\/?(?:p|br|div|tr|td|li|ul|ol|table|h[1-6]|blockquote|pre|hr|body|html|title)\b/i;
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  "#39": "'",
};

/** Reads in one pass from tag to tag. `<ada@example.org>` is no tag: bounces often forget to escape it. */
export function htmlToText(html: string): string {
  const out: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    const close = open < 0 ? -1 : html.indexOf(">", open);
    if (close < 0) break;
    out.push(html.slice(at, open));
    const tag = html.slice(open + 1, Math.min(close, open + 300));
    at = close + 1;
    const hidden = /^(style|script|!--)/i.exec(tag)?.[1];
    if (hidden) at = skipHidden(html, open, hidden.toLowerCase());
    else if (/^[^\s=/]{1,64}@[^\s=/]+$/.test(tag)) out.push(`<${tag}>`);
    else out.push(blocks.test(tag) ? "\n" : " ");
  }
  out.push(html.slice(at));
  return decodeEntities(out.join(""));
}

function skipHidden(html: string, from: number, tag: string): number {
  const end = tag === "!--" ? html.indexOf("-->", from) : findClosing(html, from, `</${tag}`);
  return end < 0 ? html.length : end + (tag === "!--" ? 3 : tag.length + 3);
}

function findClosing(html: string, from: number, closing: string): number {
  for (let at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2))
    if (html.slice(at, at + closing.length).toLowerCase() === closing) return at;
  return -1;
}

function decodeEntities(text: string): string {
  return text.replace(/&(#?\w{1,8});/g, (whole, name: string) => {
    const known = entities[name.toLowerCase()];
    if (known) return known;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return name.startsWith("#") && code > 0 && code < 0x110000 ? String.fromCodePoint(code) : whole;
  });
}
