/**
 * Marks say where each block begins in the HTML that is made of a document, so that what is found there is told of its block. They
 * are taken out before anything else is done with the HTML.
 */

/** The number of a block, in the order of reading, and where it begins; 0 stands for what is behind the last. */
export type BlockMark = { readonly offset: number; readonly number: number };

const MARK = /\uE0F3(\d+)\uE0F4/g;
/** What markers of all kinds are made of. */
const RESERVED = /[\uE0F0-\uE0F4]/;

export function markOf(number: number): string {
  return `\uE0F3${number}\uE0F4`;
}

export function hasMarks(text: string): boolean {
  return RESERVED.test(text);
}

export function takeMarks(html: string): { readonly html: string; readonly marks: readonly BlockMark[] } {
  const marks: BlockMark[] = [];
  const parts: string[] = [];
  let [read, length] = [0, 0];
  for (const { 0: found, 1: number, index } of html.matchAll(MARK)) {
    parts.push(html.slice(read, index));
    length += index - read;
    marks.push({ offset: length, number: Number(number) });
    read = index + found.length;
  }
  parts.push(html.slice(read));
  return { html: parts.join(""), marks };
}

/** Returns the number of the block that an offset is in; undefined where that is none. The marks ascend. */
export function blockNumberAt(marks: readonly BlockMark[], offset: number): number | undefined {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.offset ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return marks[low - 1]?.number || undefined;
}
