/** Lists the blocks of a mail with the words by which people know them. A kind from a newer version is listed like any other. */
import type { BlocksDocument } from "../../../../api/openapi.ts";

export type OutlineLine = {
  readonly id: string;
  readonly type: string;
  readonly words: string;
  readonly isInColumn: boolean;
};

const MOST_WORDS = 120;

export function outlineOf(document: BlocksDocument): OutlineLine[] {
  return document.blocks.flatMap((block) => {
    if (block.type !== "columns") return [lineOf(block, false)];
    const inner = block.columns.flatMap(({ blocks }) => blocks.map((one) => lineOf(one, true)));
    return [{ id: block.id, type: block.type, words: "", isInColumn: false }, ...inner];
  });
}

function lineOf(block: { readonly id: string; readonly type: string }, isInColumn: boolean): OutlineLine {
  const words = wordsIn(block).join("").replaceAll(/\s+/g, " ").trim();
  return { id: block.id, type: block.type, words: words.slice(0, MOST_WORDS), isInColumn };
}

const SAID: ReadonlySet<string> = new Set(["text", "alt", "label", "unsubscribe"]);

function wordsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  if (typeof value !== "object" || value === null) return [];
  const { type, name, fallback } = value as Record<string, unknown>;
  if (type === "variable" && typeof name === "string") return [`{${String(fallback ?? name)}}`];
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === "string" ? (SAID.has(key) ? [`${one} `] : []) : wordsIn(one),
  );
}
