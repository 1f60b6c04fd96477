/** Finds what is wrong with a whole document that no schema of its parts can tell. */
import type { Fault } from "../../platform/problems.ts";
import { listOf, membersOf } from "./loose.ts";
import { isOfThisVersion } from "./newer.ts";
import type { BlocksDocument } from "./schema.ts";

const MOST_BYTES = 512 * 1_024;

/** Pointers are within the document, which may be anything yet. */
export function findWholeFaults(document: BlocksDocument): Fault[] {
  if (Buffer.byteLength(JSON.stringify(document)) > MOST_BYTES) {
    return [{ pointer: "", code: "too_long", detail: "must have at most 512 KB" }];
  }
  if (!isOfThisVersion(document)) return [];
  const seen = new Set<unknown>();
  const faults: Fault[] = [];
  const see = (block: unknown, pointer: string) => {
    const id = membersOf(block)["id"];
    const detail = "is the id of another block too; each needs its own";
    if (id !== undefined && seen.has(id))
      faults.push({ pointer: `${pointer}/id`, code: "duplicate", detail });
    seen.add(id);
  };
  for (const [at, block] of listOf(document.blocks).entries()) {
    see(block, `/blocks/${at}`);
    for (const [column, { blocks }] of listOf(membersOf(block)["columns"]).map(membersOf).entries()) {
      for (const [inner, leaf] of listOf(blocks).entries()) {
        see(leaf, `/blocks/${at}/columns/${column}/blocks/${inner}`);
      }
    }
  }
  return faults;
}
