/** How what stands in the DNS differs from what should: by the terms of SPF, and by the tags of DMARC. */
import type { DomainRecord } from "../../../api/openapi.ts";

export type Part = { readonly text: string; readonly isChanged: boolean };
export type Difference = { readonly now: readonly Part[]; readonly wanted: readonly Part[] };

/** A term with the blank or semicolon after it, so that the parts joined are the whole value. */
const TERMS: Partial<Record<DomainRecord["kind"], RegExp>> = {
  spf: /\s*\S+\s*/g,
  dmarc: /[^;]*;\s*|[^;]+/g,
};

/** The parts of both that the other lacks are marked. A value of another kind is compared as a whole. */
export function differenceOf(kind: DomainRecord["kind"], now: string, wanted: string): Difference {
  const [nowTerms, wantedTerms] = [termsOf(kind, now), termsOf(kind, wanted)];
  return { now: marked(nowTerms, wantedTerms), wanted: marked(wantedTerms, nowTerms) };
}

function termsOf(kind: DomainRecord["kind"], value: string): readonly string[] {
  const terms = TERMS[kind];
  return (terms && value.match(terms)) ?? [value];
}

function marked(own: readonly string[], other: readonly string[]): readonly Part[] {
  const known = new Set(other.map(plain));
  const parts: Part[] = [];
  for (const text of own) {
    const isChanged = !known.has(plain(text));
    const last = parts.at(-1);
    if (last?.isChanged === isChanged) parts[parts.length - 1] = { text: last.text + text, isChanged };
    else parts.push({ text, isChanged });
  }
  return parts;
}

/** Blanks and the case of letters make no difference between two terms; neither does the semicolon at the end. */
const plain = (term: string) => term.replaceAll(/[\s;]+/g, "").toLowerCase();
