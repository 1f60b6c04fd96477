/**
 * What looking for a text in another takes, and going through a list: not as long as they are, but as V8 does it at the worst.
 * The unit is half a nanosecond, about what a character takes that is only copied.
 */

/** Between two places of a search for more than one character: 12 ns. */
const PLACE = 24;
/** To compare an item of a list with something, or to write it as JSON: 500 ns. */
export const ITEM = 1_000;
/** To take an item out of a text, or to put it into one: 20 ns and some memory. */
export const PART = 100;

/**
 * A text of one letter, and a needle of the same letter with another in its middle: each place is compared to the half. A needle
 * is never longer than half of where it is sought, because a longer one has fewer places.
 */
export function searchWork(haystack: number, needle: number): number {
  if (needle <= 1) return haystack;
  const compared = Math.min(needle, haystack / 2);
  return PLACE * haystack + (haystack - compared) * compared;
}

/** So many parts a text can have at the most, by its separator. */
export function mostParts(length: number, separator: number): number {
  return length / Math.max(1, separator) + 1;
}

/** Those that look for their first argument, and how they cut there. */
export const searchingFilters: ReadonlyMap<string, "everywhere" | "once"> = new Map([
  ["split", "everywhere"],
  ["remove", "everywhere"],
  ["replace", "everywhere"],
  ["remove_first", "once"],
  ["remove_last", "once"],
  ["replace_first", "once"],
  ["replace_last", "once"],
]);

/** What a filter of these takes, beside reading and writing. `shortest` is how short its first argument may be. */
export function filterWork(name: string, length: number, needle: number, shortest: number): number {
  const cuts = searchingFilters.get(name);
  if (!cuts) return 0;
  return searchWork(length, needle) + (cuts === "everywhere" ? PART * mostParts(length, shortest) : 0);
}

/** What each character takes at the worst, measured: letters that have no capital of their own, and signs that are all escaped. */
const rewriting: Readonly<Record<string, number>> = {
  ...each(250, "slugify"),
  ...each(200, "escape xml_escape escape_once uri_escape cgi_escape url_encode"),
  ...each(110, "downcase upcase capitalize"),
  ...each(50, "date date_to_string date_to_long_string date_to_rfc822 date_to_xmlschema"),
  ...each(20, "url_decode strip_html newline_to_br"),
};

/** Of a filter that rewrites a text letter by letter. */
export function rewritingWork(name: string): number {
  return Object.hasOwn(rewriting, name) ? (rewriting[name] ?? 0) : 0;
}

function each(units: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(" ").map((name) => [name, units]));
}
