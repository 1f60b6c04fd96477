/** Finds what the author of a document has still to say. The mail can be made without it, and nothing in its HTML tells that it is missing. */
import { allOf, isOfThisVersion } from "./newer.ts";
import type { Block, BlocksDocument } from "./schema.ts";

/** The number of a block is the one in the order of reading. */
type Gap = { readonly code: "missing_alt" | "empty_link"; readonly number: number };

export function findGaps(document: BlocksDocument): Gap[] {
  if (!isOfThisVersion(document)) return [];
  return allOf(document.blocks).flatMap((block, at) =>
    codesOf(block).map((code) => ({ code, number: at + 1 })),
  );
}

function codesOf(block: Block): Gap["code"][] {
  if (block.type === "image") return block.alt === null ? ["missing_alt"] : [];
  if (block.type !== "product") return [];
  const { image, link, label } = block;
  return [
    ...(image?.alt === null ? ["missing_alt" as const] : []),
    ...(label !== undefined && link === undefined ? ["empty_link" as const] : []),
  ];
}
