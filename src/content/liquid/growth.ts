/**
 * Says how long a filter's result can be, and what it costs besides being written, from the lengths of what it is
 * given.
 */

export type Growth = { readonly length: number; readonly cost: number };
type Argument = { readonly length: number; readonly literal: unknown };

/** The greatest length of a number as text. */
const NUMBER = 32;
/**
 * The greatest length of one conversion of a date format, such as a month's name or a time zone, and its cost, for
 * which the calendar is consulted.
 */
const DATE_PLACE = 40;
const DATE_COST = 20_000;
const DEFAULT_FORMAT = "%A, %B %-e, %Y at %-l:%M %P %z";

/** The number of UTF-16 units that one unit becomes at most. */
const times: Readonly<Record<string, number>> = {
  ...each(1, "strip lstrip rstrip squish normalize_whitespace strip_html strip_newlines remove"),
  ...each(1, "remove_first remove_last url_decode base64_decode first last slice compact uniq reverse raw"),
  ...each(1, "_css _header _plain_url"),
  // "ΐ" becomes three capitals, and "İ" two small letters.
  ...each(3, "downcase upcase capitalize slugify"),
  ...each(5, "escape xml_escape escape_once _html _url"),
  ...each(7, "newline_to_br"),
  // A character of three bytes becomes three times %XX.
  ...each(9, "url_encode cgi_escape uri_escape _url_path _url_query _plain_url_path _plain_url_query"),
  ...each(4, "base64_encode"),
  // A character may become "\u0000", or an item of a list with quotes, comma and indentation.
  ...each(16, "json jsonify inspect"),
};

const toNumber: ReadonlySet<string> = new Set(
  "abs at_least at_most ceil divided_by floor minus modulo number_of_words plus round size times to_integer".split(
    " ",
  ),
);

/** Returns undefined where nothing is known of the filter. */
export function growthOf(name: string, length: number, given: readonly Argument[]): Growth | undefined {
  const [first = 0, second = 0] = given.map((argument) => argument.length);
  const touched = length + first + second;
  const to = (grown: number): Growth => ({ length: grown, cost: 2 * touched });
  if (toNumber.has(name)) return to(NUMBER);
  const factor = times[name];
  if (factor !== undefined) return to(factor * length + 4);
  switch (name) {
    // LiquidJS gives this name to the engine's own escaping of HTML.
    case "[object Function]":
      return to(5 * length);
    case "sha256":
    case "hmac_sha256":
      return { length: 64, cost: 20 * touched };
    case "append":
    case "prepend":
    case "default":
    case "truncatewords":
      return to(length + Math.max(first, second) + 16);
    case "truncate":
    case "replace_first":
    case "replace_last":
      return to(touched + 16);
    case "split":
      return to(length + 1);
    case "join":
    case "array_to_sentence_string":
      return to((length + 1) * (first + 3));
    case "replace":
      return to((length + 1) * (second + 1));
    case "date":
      return given.length > 1 ? undefined : dateGrowth(length, given[0]);
    case "date_to_string":
    case "date_to_long_string":
    case "date_to_rfc822":
    case "date_to_xmlschema":
      return dateGrowth(length, undefined);
    default:
      return undefined;
  }
}

/** A width such as %1000d is filled up with blanks, so it has no bound here. A value that is no date stays as it is. */
function dateGrowth(length: number, format: Argument | undefined): Growth | undefined {
  const text = format ? format.literal : DEFAULT_FORMAT;
  if (typeof text !== "string" || /%[^a-zA-Z%]*\d{2}/.test(text)) return undefined;
  const places = text.split("%").length - 1;
  const written = text.length + places * DATE_PLACE;
  return { length: Math.max(length, written), cost: 2 * length + places * DATE_COST };
}

function each(factor: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(" ").map((name) => [name, factor]));
}
