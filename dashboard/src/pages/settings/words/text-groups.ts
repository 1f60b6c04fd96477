/** The texts of public pages by the page on which they stand, as their keys begin. */
import type { PageWords } from "../../../api/openapi.ts";

/** In the order in which a reader meets them. */
const GROUPS = [
  "form",
  "confirm",
  "preferences",
  "ask",
  "unsubscribed",
  "archive",
  "wait",
  "testMail",
  "nothingToSee",
  "notFound",
  "gone",
  "tooMany",
  "recorded",
  "unavailable",
  "general",
] as const;
type Group = (typeof GROUPS)[number];

export type PageText = { readonly key: string; readonly standard: string; readonly own: string | undefined };
export type TextGroup = { readonly group: Group; readonly texts: readonly PageText[] };

type Asked = { readonly typed: string; readonly isOwnOnly: boolean };

/** Those that have what was typed in their text or in their key, whatever the case. */
export function groupTexts(
  { texts, standard }: PageWords,
  { typed, isOwnOnly }: Asked,
): readonly TextGroup[] {
  const sought = typed.trim().toLowerCase();
  const found = Object.keys(standard)
    .map((key): PageText => ({ key, standard: standard[key] ?? "", own: texts[key] }))
    .filter(({ own }) => !isOwnOnly || own !== undefined)
    .filter((text) => wordsIn(text).includes(sought));
  return GROUPS.map((group) => ({ group, texts: found.filter(({ key }) => groupOf(key) === group) })).filter(
    (one) => one.texts.length > 0,
  );
}

const wordsIn = ({ key, standard, own = "" }: PageText) => `${key} ${standard} ${own}`.toLowerCase();

/** What stands on several pages, or on one that came since, is general. */
function groupOf(key: string): Group {
  const [first = ""] = key.split(".");
  return GROUPS.find((group) => group === first) ?? "general";
}
