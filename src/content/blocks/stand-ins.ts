/**
 * A newer version of the service may have stored what the schema of this one refuses, and whoever edits the words beside it sends it back.
 * So what is stored already is taken out of a document before the schema is asked again, and blocks that are valid stand in its place.
 */
import { isDeepStrictEqual } from "node:util";
import { listOf, membersOf } from "./loose.ts";
import { isOfThisVersion } from "./newer.ts";
import type { BlocksDocument } from "./schema.ts";

/** Every fault has the place that it would have without the stand-ins. */
export function withStandIns(document: BlocksDocument, stored: BlocksDocument): unknown {
  if (!isOfThisVersion(document) || !Array.isArray(document.blocks)) return document;
  const before = membersOf(stored);
  const head = Object.entries(document).filter(
    ([name, value]) => name === "version" || !isDeepStrictEqual(value, before[name]),
  );
  const known = new Set(blocksIn(stored).map(textOf));
  return { ...Object.fromEntries(head), blocks: document.blocks.map((block) => standInFor(block, known)) };
}

/** The id is another one where the block is copied, and is checked like any other. */
function standInFor(block: unknown, known: ReadonlySet<string>): unknown {
  const { id, columns } = membersOf(block);
  if (known.has(textOf(block))) return { id, type: "divider" };
  return Array.isArray(columns)
    ? { ...membersOf(block), columns: columns.map((one) => columnWith(one, known)) }
    : block;
}

/** Columns can't stand in columns, whatever is stored elsewhere. */
function columnWith(column: unknown, known: ReadonlySet<string>): unknown {
  const { blocks } = membersOf(column);
  if (!Array.isArray(blocks)) return column;
  const leaves = blocks.map((one) => (membersOf(one)["type"] === "columns" ? one : standInFor(one, known)));
  return { ...membersOf(column), blocks: leaves };
}

/** Also those in columns. */
function blocksIn({ blocks }: BlocksDocument): unknown[] {
  return listOf(blocks).flatMap((block) => [
    block,
    ...listOf(membersOf(block)["columns"]).flatMap((column) => listOf(membersOf(column)["blocks"])),
  ]);
}

/** Two blocks with the same text are the same but for their ids: the order of members means nothing. */
function textOf(block: unknown): string {
  return JSON.stringify({ ...membersOf(block), id: "" }, (_name, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
