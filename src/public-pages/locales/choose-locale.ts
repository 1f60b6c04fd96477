/** Which of the locales that there are somebody gets to read. */

/**
 * The visitor's languages come first, in the order of their wishes (RFC 9110 §12.5.4), then the account's. Each is looked up as it
 * is, then with fewer parts (RFC 4647 §3.4), then as the same language elsewhere: pt finds pt-BR.
 */
export function chooseLocale(
  acceptLanguage: string | undefined,
  preferred: string | null,
  available: readonly string[],
): string {
  for (const wish of wishesOf(acceptLanguage)) {
    if (wish === "*") break;
    const found = find(wish, available);
    if (found !== undefined) return found;
  }
  return (preferred === null ? undefined : find(preferred, available)) ?? "en";
}

const MOST_HEADER = 1_000;

function wishesOf(header: string | undefined): string[] {
  const wishes = (header ?? "")
    .slice(0, MOST_HEADER)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const weight = parameters.find((piece) => /^q=/i.test(piece))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== "" && weight > 0 && weight <= 1);
  return wishes.sort((one, other) => other.weight - one.weight).map(({ tag }) => tag);
}

function find(tag: string, available: readonly string[]): string | undefined {
  const parts = tag.toLowerCase().split("-");
  for (let length = parts.length; length > 0; length--) {
    const shorter = parts.slice(0, length).join("-");
    const found = available.find((one) => one.toLowerCase() === shorter);
    if (found !== undefined) return found;
  }
  return available.find((one) => one.toLowerCase().split("-")[0] === parts[0]);
}
