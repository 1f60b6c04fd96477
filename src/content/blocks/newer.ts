/**
 * A newer version of the service may have stored blocks that this one doesn't know, before somebody went back to this one. They are kept
 * and returned as they are, but can't be made into mail.
 */
import { ContentError, type ContentFault, faultWithoutPlace } from "../faults.ts";
import { inBlock } from "./faults-in-blocks.ts";
import type { Block, BlocksDocument } from "./schema.ts";

type Stored = { readonly version: number; readonly blocks: BlocksDocument["blocks"] };

/** Whether this version can say anything about what is in the document. */
export function isOfThisVersion({ version }: Stored): boolean {
  return version === 1;
}

export function refuseNewer(document: Stored, kinds: ReadonlySet<string>): void {
  if (!isOfThisVersion(document)) {
    const detail = `The blocks were written by a newer version of the service, in version ${document.version} of the document. Update the service.`;
    throw new ContentError([faultWithoutPlace("unknown_block", "blocks", detail)]);
  }
  const faults = allOf(document.blocks)
    .map((block, at) => ({ block, number: at + 1 }))
    .filter(({ block }) => !kinds.has(block.type))
    .map(({ block, number }) => inBlock(unknown(block), { id: block.id, number }));
  if (faults.length > 0) throw new ContentError(faults);
}

function unknown({ type }: Block): ContentFault {
  const detail = `This version of the service knows no block of the kind ${String(type).slice(0, 60)}. Update the service, or take the block out.`;
  return faultWithoutPlace("unknown_block", "blocks", detail);
}

/** In the order of reading. */
export function allOf(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) =>
    block.type === "columns" ? [block, ...block.columns.flatMap((column) => column.blocks)] : [block],
  );
}
