/**
 * Estimates what it takes to search a text or go through a list, not by their lengths but as V8 does it in the worst
 * case. The unit is half a nanosecond, about what copying a character takes.
 */

/** Moving on by one position in a search for more than one character takes 12 ns. */
const PLACE = 24;
/** Comparing an item of a list, or writing it as JSON, takes 500 ns. */
export const ITEM = 1_000;
/** Taking an item out of a text, or putting it into one, takes 20 ns and some memory. */
export const PART = 100;

/**
 * In the worst case a text of one letter is searched for a needle of that letter with another in its middle: half of
 * it is compared at each position. More than half of the text never counts as needle, because a longer one has fewer
 * positions.
 */
export function searchWork(haystack: number, needle: number): number {
  if (needle <= 1) return haystack;
  const compared = Math.min(needle, haystack / 2);
  return PLACE * haystack + (haystack - compared) * compared;
}

/** Returns the greatest number of parts that a text can be split into, by the length of the separator. */
export function mostParts(length: number, separator: number): number {
  return length / Math.max(1, separator) + 1;
}

/** The filters that search for their first argument, and whether they cut at every match or at one. */
export const searchingFilters: ReadonlyMap<string, "everywhere" | "once"> = new Map([
  ["split", "everywhere"],
  ["remove", "everywhere"],
  ["replace", "everywhere"],
  ["remove_first", "once"],
  ["remove_last", "once"],
  ["replace_first", "once"],
  ["replace_last", "once"],
]);

/**
 * Returns what a searching filter costs besides reading and writing. `shortest` is the least length of its first
 * argument.
 */
export function filterWork(name: string, length: number, needle: number, shortest: number): number {
  const cuts = searchingFilters.get(name);
  if (!cuts) return 0;
  return searchWork(length, needle) + (cuts === "everywhere" ? PART * mostParts(length, shortest) : 0);
}

/**
 * The measured cost of each character in the worst case: letters without a capital of their own, and signs that are
 * all escaped.
 */
const rewriting: Readonly<Record<string, number>> = {
  ...each(250, "slugify"),
  ...each(200, "escape xml_escape escape_once uri_escape cgi_escape url_encode"),
  ...each(110, "downcase upcase capitalize"),
  ...each(50, "date date_to_string date_to_long_string date_to_rfc822 date_to_xmlschema"),
  ...each(20, "url_decode strip_html newline_to_br"),
};

/** Returns the cost of each character for a filter that rewrites a text letter by letter, and 0 for any other. */
export function rewritingWork(name: string): number {
  return Object.hasOwn(rewriting, name) ? (rewriting[name] ?? 0) : 0;
}

function each(units: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(" ").map((name) => [name, units]));
}
