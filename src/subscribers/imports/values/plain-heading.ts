/** Headings and words are compared without case, accents, blanks and punctuation. */
export function plainHeading(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}
