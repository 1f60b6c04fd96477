/** Finds what is wrong with a document of blocks that somebody gives. What is stored so already is taken back as it is. */
import { isDeepStrictEqual } from "node:util";
import { type Check, createValidation } from "../platform/http/bodies/validation.ts";
import type { Fault } from "../platform/problems.ts";
import { BlocksDocument, findWholeFaults, withStandIns } from "./blocks/blocks.ts";

/** Pointers are within what holds the document as `blocks`. */
export function findBlockFaults(document: BlocksDocument, stored: BlocksDocument | null): Fault[] {
  const ofWhole = findWholeFaults(document);
  const faults = ofWhole.length > 0 ? ofWhole : schemaFaults(document, stored);
  return faults.map((fault) => ({ ...fault, pointer: `/blocks${fault.pointer ?? ""}` }));
}

let check: Check | undefined;

function schemaFaults(document: BlocksDocument, stored: BlocksDocument | null): readonly Fault[] {
  check ??= createValidation().body(BlocksDocument);
  const faults = check(document);
  if (faults.length === 0 || stored === null) return faults;
  return isDeepStrictEqual(document, stored) ? [] : check(withStandIns(document, stored));
}
