/**
 * Says where Liquid may stand in a declaration of a style. Whatever its tags leave out for somebody, the declaration must be the one
 * that was looked at, or none: `posi{% if … %}` could become the beginning of another name.
 */
const MARK = String.raw`\uE0F0\d+\uE0F1`;
const INDEX = /\uE0F0(\d+)\uE0F1/g;
const DECLARATION = new RegExp(String.raw`^((?:${MARK}\s*)*)(?:[\w-]+\s*:(.*))?$`, "s");
/** What an output may become, or stand beside, within a value that depends on conditions. */
const WORDS = new RegExp(String.raw`^(?:${MARK}|[\w\s#%.,!-])*$`);
/** A value could be the name of a function. */
const CALL = new RegExp(String.raw`${MARK}[\w-]*\s*\(`);

/** What is known of the Liquid behind the markers. */
export type StyleLiquid = {
  readonly isTag: (index: number) => boolean;
  /** Whether the tags open and close each other. */
  readonly areWhole: (indexes: readonly number[]) => boolean;
};

export const NO_LIQUID: StyleLiquid = { isTag: () => false, areWhole: () => true };

export function withoutLiquid(declaration: string): string {
  return declaration.replaceAll(INDEX, "").trim();
}

export function isLiquidInPlace(declaration: string, { isTag, areWhole }: StyleLiquid): boolean {
  const [found, leading = "", value = ""] = DECLARATION.exec(declaration) ?? [];
  if (found === undefined || CALL.test(declaration)) return false;
  if (!indexesIn(leading).every(isTag)) return false;
  const indexes = indexesIn(value);
  const lastWords = value.split(new RegExp(MARK)).findLastIndex((words) => words.trim() !== "");
  // An `if` around the whole declaration closes behind it.
  if (!indexes.slice(0, Math.max(lastWords, 0)).some(isTag)) return true;
  return WORDS.test(value) && areWhole(indexes.filter(isTag));
}

function indexesIn(text: string): number[] {
  return [...text.matchAll(INDEX)].map(([, index]) => Number(index));
}

/** Whether a tag stands at an offset, or within a span of the text. */
export function hasTag(text: string, { isTag }: StyleLiquid): boolean {
  return indexesIn(text).some(isTag);
}
