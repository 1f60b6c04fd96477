/** Compiles MJML into HTML. Liquid passes through unchanged, `mj-include` reads nothing, and no web font is loaded. */
import { ContentError, type ContentFault, faultAt } from "../faults.ts";
import type { LiquidPiece } from "../liquid/liquid.ts";
import { findLostTags } from "./lost-tags.ts";
import { marker, replaceByMarkers } from "./markers.ts";
import { compileBySections } from "./mjml-sections.ts";

const OPTIONS = { validationLevel: "soft", ignoreIncludes: true, fonts: {} } as const;

/** A sketch for an account may be put together from sections that were compiled for it before. */
export async function compileMjml(
  source: string,
  pieces: readonly LiquidPiece[],
  sketchFor?: string,
): Promise<string> {
  const { default: compile } = await import("mjml");
  const marked = replaceByMarkers(source, pieces);
  const read = async (mjml: string) => {
    const { html, errors } = await compile(mjml, OPTIONS);
    return { html, faults: errors.filter(({ message }) => !/attribute/i.test(message)).map(toFault) };
  };
  const readSection = async (mjml: string) => {
    const { html, faults } = await read(mjml);
    return faults.length > 0 ? undefined : html;
  };
  try {
    const known =
      sketchFor === undefined ? undefined : await compileBySections(sketchFor, marked, readSection);
    const { html, faults } = known === undefined ? await read(marked) : { html: known, faults: [] };
    if (faults.length > 0) throw new ContentError(faults);
    refuseLostTags(source, pieces, html);
    return html.replaceAll(marker, (_, index: string) => {
      const piece = pieces[Number(index)];
      return piece ? source.slice(piece.begin, piece.end) : "";
    });
  } catch (error) {
    if (error instanceof ContentError) throw error;
    throw new ContentError([
      toFault({ line: 1, message: error instanceof Error ? error.message : String(error) }),
    ]);
  }
}

/** MJML drops text between its elements: a condition there would vanish, and everybody would see what it guards. */
function refuseLostTags(source: string, pieces: readonly LiquidPiece[], html: string): void {
  const lost = findLostTags(pieces, html);
  const detail = "MJML drops Liquid that stands between its elements. Put it into <mj-raw>.";
  if (lost.length === 0) return;
  throw new ContentError(lost.map(({ begin }) => faultAt("invalid_mjml", "mjml", source, begin, detail)));
}

function toFault({ line, message }: { line: number; message: string }): ContentFault {
  const detail = `MJML can't read this: ${message.replace(/\.?\s*$/, "").slice(0, 300)}.`;
  return { code: "invalid_mjml", part: "mjml", line, column: 1, detail };
}
