/** Macros of SPF (RFC 7208 §7): texts such as `%{ir}.%{v}._spf.%{d2}`, parsed before anything is looked up. */
export type MacroLetter = "s" | "l" | "o" | "d" | "i" | "p" | "h" | "c" | "r" | "t" | "v";
export type MacroPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "macro";
      readonly letter: MacroLetter;
      /** How many labels are kept, from the right; 0 for all. */
      readonly keep: number;
      readonly isReversed: boolean;
      readonly delimiters: string;
      readonly isUrlEncoded: boolean;
    };

const EXPAND = /^%(?:([%_-])|\{([slodiphcrtv])(\d*)(r?)([.\-+,/_=]*)\})/i;
const ESCAPES: Readonly<Record<string, string>> = { "%": "%", _: " ", "-": "%20" };

/** Undefined is a syntax error. Only explanations may have blanks, and the letters c, r and t (§7.2). */
export function parseMacroString(text: string, isExplanation = false): MacroPart[] | undefined {
  const parts: MacroPart[] = [];
  for (let rest = text; rest !== ""; ) {
    const literal = (isExplanation ? /^[\x20-\x24\x26-\x7e]+/ : /^[\x21-\x24\x26-\x7e]+/).exec(rest)?.[0];
    if (literal !== undefined) {
      parts.push({ kind: "text", text: literal });
      rest = rest.slice(literal.length);
      continue;
    }
    const found = EXPAND.exec(rest);
    if (!found) return undefined;
    const [whole, escaped, letter = "", digits = "", reverse, delimiters = ""] = found;
    rest = rest.slice(whole.length);
    if (escaped !== undefined) {
      parts.push({ kind: "text", text: ESCAPES[escaped] ?? "" });
      continue;
    }
    if (!isExplanation && /[crt]/i.test(letter)) return undefined;
    if (digits !== "" && Number(digits) === 0) return undefined;
    parts.push({
      kind: "macro",
      letter: letter.toLowerCase() as MacroLetter,
      keep: Number(digits),
      isReversed: reverse !== "",
      delimiters: delimiters || ".",
      isUrlEncoded: letter !== letter.toLowerCase(),
    });
  }
  return parts;
}

/** A domain-spec ends in a macro, or in a label that could be a top-level domain (§7.1). */
export function parseDomainSpec(text: string): MacroPart[] | undefined {
  const endsWell =
    /%(?:[%_-]|\{[^{}]*\})$/.test(text) ||
    /\.(?:[a-z0-9]*[a-z][a-z0-9]*|[a-z0-9]+-[a-z0-9-]*[a-z0-9])\.?$/i.test(text);
  return endsWell ? parseMacroString(text) : undefined;
}

/** Values are given for every letter that occurs. */
export function expandMacros(
  parts: readonly MacroPart[],
  values: Readonly<Record<MacroLetter, string>>,
): string {
  return parts
    .map((part) => (part.kind === "text" ? part.text : expandOne(part, values[part.letter])))
    .join("");
}

function expandOne(macro: Extract<MacroPart, { kind: "macro" }>, value: string): string {
  const labels: string[] = [""];
  for (const character of value) {
    if (macro.delimiters.includes(character)) labels.push("");
    else labels[labels.length - 1] += character;
  }
  if (macro.isReversed) labels.reverse();
  const text = (macro.keep > 0 ? labels.slice(-macro.keep) : labels).join(".");
  if (!macro.isUrlEncoded) return text;
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Labels are dropped from the left until the name is at most 253 octets long (§7.3). */
export function shortenName(name: string): string {
  let short = name.replace(/\.$/, "");
  while (short.length > 253 && short.includes(".")) short = short.slice(short.indexOf(".") + 1);
  return short;
}
