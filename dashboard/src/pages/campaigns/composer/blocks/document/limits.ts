/** How much the service takes of each, so that the editor says at once what couldn't be saved. A test holds the two together. */
import type { BlocksDocument } from "../../../../../api/openapi.ts";
import type { Block, Inline } from "./types.ts";

export const LIMITS = {
  blocks: 300,
  /** Blocks in one column. */
  inColumn: 30,
  /** Stretches of one look, variables and line breaks, in one paragraph. */
  pieces: 500,
  /** Paragraphs and lists in one text. */
  paragraphs: 200,
  /** Items of one list. */
  items: 200,
  rows: 100,
  links: 12,
  /** Characters of one HTML block. */
  html: 100_000,
} as const;

export type Limit = keyof typeof LIMITS;
/** `line` is the number of the block in the order of reading. */
export type Exceeded = { readonly limit: Limit; readonly count: number; readonly line: number };

/** The first thing of which there is too much. */
export function findExceeded({ blocks }: Pick<BlocksDocument, "blocks">): Exceeded | undefined {
  if (blocks.length > LIMITS.blocks)
    return { limit: "blocks", count: blocks.length, line: LIMITS.blocks + 1 + inColumns(blocks) };
  let line = 1;
  for (const block of blocks) {
    const found = inBlock(block);
    if (found) return { ...found, line: line + found.line };
    line += 1 + inColumns([block]);
  }
  return undefined;
}

const inColumns = (blocks: readonly Block[]): number =>
  blocks
    .slice(0, LIMITS.blocks)
    .flatMap((block) => (block.type === "columns" ? block.columns : []))
    .reduce((sum, column) => sum + column.blocks.length, 0);

/** Most blocks are the very same objects as before a key, and aren't looked through again. Here `line` counts from the block. */
const known = new WeakMap<Block, Exceeded | null>();

function inBlock(block: Block): Exceeded | undefined {
  const before = known.get(block);
  if (before !== undefined) return before ?? undefined;
  const found = block.type === "columns" ? inColumnsOf(block) : look(block);
  known.set(block, found ?? null);
  return found;
}

function inColumnsOf({ columns }: Extract<Block, { type: "columns" }>): Exceeded | undefined {
  let line = 1;
  for (const { blocks } of columns) {
    if (blocks.length > LIMITS.inColumn)
      return { limit: "inColumn", count: blocks.length, line: line + LIMITS.inColumn };
    for (const leaf of blocks) {
      const found = inBlock(leaf);
      if (found) return { ...found, line };
      line++;
    }
  }
  return undefined;
}

function look(block: Block): Exceeded | undefined {
  for (const [limit, count] of counts(block)) if (count > LIMITS[limit]) return { limit, count, line: 0 };
  return undefined;
}

function counts(block: Block): (readonly [Limit, number])[] {
  const pieces = (...words: readonly (readonly Inline[] | undefined)[]) =>
    words.map((one) => ["pieces", one?.length ?? 0] as const);
  switch (block.type) {
    case "text":
      return [
        ["paragraphs", block.content.length],
        ...block.content.flatMap((one): (readonly [Limit, number])[] =>
          one.type === "list"
            ? [["items", one.items.length], ...pieces(...one.items.map(({ content }) => content))]
            : pieces(one.content),
        ),
      ];
    case "heading":
    case "footer":
      return pieces(block.content);
    case "quote":
      return pieces(block.content, block.source);
    case "button":
      return pieces(block.label);
    case "product":
      return pieces(block.title, block.description, block.price);
    case "table":
      return [["rows", block.rows.length], ...pieces(...block.rows.flat())];
    case "social":
      return [["links", block.links.length]];
    case "html":
      return [["html", block.html.length]];
    default:
      return [];
  }
}
