/** How names that others chose, and addresses, are shown: isolated, bounded, and never empty. */
import { type Html, html } from "./html.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Longer names push what the page is about off a telephone's screen. */
const MOST_SHOWN = 120;
const MOST_UNITS = 4_000;

/** A name among our own words; `<bdi>` keeps a right-to-left script from turning them around. */
export function showName(name: string | null, instead: string): Html {
  return html`<bdi>${plainName(name, instead)}</bdi>`;
}

/**
 * A name as text, also for titles, attributes and feeds. Embeddings, overrides and isolates go: one that is never closed
 * takes the end of a `<bdi>` for its own and turns around what follows (seen in Chromium 156).
 */
export function plainName(name: string | null, instead: string): string {
  return shorten(withoutTurns(name ?? "")) || instead;
}

/** Somebody's own words, of any length, without what turns around the words after them, and without NUL. */
export function withoutTurns(text: string): string {
  return text.replaceAll(/[\u0000\u202A-\u202E\u2066-\u2069]/g, "");
}

/**
 * Mails get forwarded, and whoever holds the link sees the page: the first letter and the domain tell a reader with several
 * mailboxes which one is meant, and tell a stranger no address. The dots hide the length too.
 */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf("@");
  if (at < 0) return "…";
  const first = graphemes.segment(address.slice(0, at).slice(0, 40))[Symbol.iterator]().next();
  return `${first.done ? "" : first.value.segment}…${address.slice(at)}`;
}

function shorten(name: string): string {
  const line = name
    .slice(0, MOST_UNITS)
    // Letters need two or three marks; a hundred of them would be drawn over the lines above and below.
    .replaceAll(/(\p{M}{3})\p{M}+/gu, "$1")
    .replaceAll(/[\s\u0000-\u001F\u007F-\u009F\u2028\u2029]+/g, " ")
    .trim();
  if (!/[^\s\p{Cf}\p{Mn}\p{Zs}\u115F\u1160\u2800\u3164\uFFA0]/u.test(line)) return "";
  if (line.length <= MOST_SHOWN) return line;
  const shown = Array.from(graphemes.segment(line), ({ segment }) => segment);
  return shown.length <= MOST_SHOWN ? line : `${shown.slice(0, MOST_SHOWN).join("").trimEnd()}…`;
}
