/** What the address of the page of own words holds. */
export type WordsSearch = {
  readonly locale?: string | undefined;
  readonly own?: true | undefined;
  readonly q?: string | undefined;
};

export function readWordsSearch({ locale, own, q }: Record<string, unknown>): WordsSearch {
  return {
    locale: typeof locale === "string" && /^[A-Za-z0-9-]{2,35}$/.test(locale) ? locale : undefined,
    own: own === true ? true : undefined,
    q: typeof q === "string" && q !== "" ? q : undefined,
  };
}
