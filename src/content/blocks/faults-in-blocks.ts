/** Tells a fault of the block that it is in, by its id in words and by its number in the place of a line. */
import type { ContentFault } from "../faults.ts";

type Found = { readonly id: string; readonly number: number };

export function inBlock(fault: ContentFault, block: Found | undefined): ContentFault {
  const place = block ? { line: block.number, column: 1 } : { line: null, column: null };
  const where = block ? ` It is in the block ${block.id}.` : "";
  // What to do is the last sentence.
  const [, message = fault.detail, remedy = ""] = /^(.*\.) ([^.].*)$/s.exec(fault.detail) ?? [];
  return { ...fault, part: "blocks", ...place, detail: `${message}${where} ${remedy}`.trim() };
}
