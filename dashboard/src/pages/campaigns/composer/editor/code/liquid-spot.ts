/** Finds out what of Liquid is being typed, from the text in front of the cursor. Subjects and bodies are read alike. */
export type LiquidSpot = {
  readonly kind: "variable" | "filter" | "tag";
  readonly typed: string;
  /** What is typed stands directly behind the braces, without a blank. */
  readonly isTight: boolean;
};

/** No expression that somebody types by hand is longer. */
export const MOST_BEFORE = 300;

export function liquidSpot(before: string): LiquidSpot | null {
  const open = Math.max(before.lastIndexOf("{{"), before.lastIndexOf("{%"));
  const close = Math.max(before.lastIndexOf("}}"), before.lastIndexOf("%}"));
  if (open < 0 || close > open) return null;
  const inner = before.slice(open + 2).replace(/^-/, "");
  if (isInText(inner)) return null;
  const typed = /[\w.]*$/.exec(inner)?.[0] ?? "";
  const rest = inner.slice(0, inner.length - typed.length);
  const isTight = rest === "";
  if (/\|\s*$/.test(rest)) return { kind: "filter", typed, isTight };
  const isTag = before[open + 1] === "%" && rest.trim() === "";
  return { kind: isTag ? "tag" : "variable", typed, isTight };
}

/** Between quotes stands a text of the author's. */
function isInText(inner: string): boolean {
  let quote = "";
  for (const char of inner) {
    if (quote === "" && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = "";
  }
  return quote !== "";
}
