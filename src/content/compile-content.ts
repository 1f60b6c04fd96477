/** Compiles a content whichever way it is written. What is found in the MJML of blocks is told of the block that it is from. */
import { compileBlocks, inBlock } from "./blocks/blocks.ts";
import { type ContentSource, compileSource } from "./compile.ts";
import type { CompiledContent } from "./compiled.ts";
import { ContentError, type ContentFault } from "./faults.ts";

export async function compileContent(source: ContentSource): Promise<CompiledContent> {
  if (!source.blocks) return compileSource(source);
  // Whoever types gets sections that were made before, which marks with numbers would make others of.
  const isMarked = source.sketchFor === undefined;
  const { mjml, blockAt, blockOf } = compileBlocks(source.blocks, isMarked);
  try {
    const compiled = await compileSource({ ...source, html: null, mjml });
    return {
      ...compiled,
      variables: compiled.variables.map((used) =>
        used.part === "mjml"
          ? { ...used, part: "blocks", line: blockAt(used.line)?.number ?? 1, column: 1 }
          : used,
      ),
    };
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    const lineOf = (fault: ContentFault) => fault.line ?? 0;
    throw new ContentError(
      error.faults.map((fault) => {
        if (fault.part === "mjml") return inBlock(fault, blockAt(lineOf(fault)));
        return fault.part === "blocks" ? inBlock(fault, blockOf(lineOf(fault))) : fault;
      }),
    );
  }
}
