/**
 * Blocks are mail made without code: a document of headings, texts, pictures and the like. It is compiled to MJML and then goes
 * through the same compiler as what is written by hand.
 */
export { compileBlocks } from "./compile.ts";
export { findWholeFaults } from "./document-faults.ts";
export { inBlock } from "./faults-in-blocks.ts";
export { findGaps } from "./gaps.ts";
export { BlocksDocument } from "./schema.ts";
export { withStandIns } from "./stand-ins.ts";
export { inStyleOf } from "./style.ts";
