/** Makes one SPF record of several, and of what is still to be allowed. */
import { parseSpf, spfTerms } from "./parse.ts";

const ALL = /^[+\-~?]?all$/i;
const REDIRECT = /^redirect=(.+)$/i;
/** From mild to strict. Where records disagree about everybody else, the mildest loses nobody's mail. */
const MILDEST_FIRST = ["+all", "all", "?all", "~all", "-all"];

/**
 * Terms stay in their order, each once. New ones go before `all`, because nothing behind that is read (RFC 7208 §5.1). Terms
 * that can't be read are left out, since one of them makes the whole record void.
 */
export function mergeSpf(records: readonly string[], needed: readonly string[]): string {
  const terms = records.flatMap(spfTerms).filter(isReadable);
  const all = MILDEST_FIRST.find((one) => terms.some((term) => term.toLowerCase() === one));
  const ending = all ?? (records.length === 0 ? "~all" : undefined);
  const isRedirected = ending === undefined && terms.filter((term) => REDIRECT.test(term)).length === 1;
  const mechanisms: string[] = [];
  const modifiers: string[] = [];
  for (const term of terms.filter((one) => !ALL.test(one))) {
    const [, target] = REDIRECT.exec(term) ?? [];
    // `all` would hide a redirect, and there can be only one: included, it still allows the same.
    if (target !== undefined)
      (isRedirected ? modifiers : mechanisms).push(isRedirected ? term : `include:${target}`);
    else if (/^[a-z][a-z0-9\-_.]*=/i.test(term)) modifiers.push(term);
    else mechanisms.push(term);
  }
  const ends = ending === undefined ? [] : [ending];
  return ["v=spf1", ...unique([...mechanisms, ...needed]), ...ends, ...uniqueModifiers(modifiers)].join(" ");
}

function isReadable(term: string): boolean {
  return parseSpf(`v=spf1 ${term}`).kind === "record";
}

function unique(terms: readonly string[]): string[] {
  const plain = terms.map((term) => term.toLowerCase().replace(/^\+/, ""));
  return terms.filter((_, at) => plain.indexOf(plain[at] ?? "") === at);
}

/** Each name may be there once (RFC 7208 §6). */
function uniqueModifiers(modifiers: readonly string[]): string[] {
  const names = modifiers.map((one) => one.slice(0, one.indexOf("=")).toLowerCase());
  return modifiers.filter((_, at) => names.indexOf(names[at] ?? "") === at);
}
