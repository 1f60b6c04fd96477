/** Compiles MJML into HTML. Liquid passes through unchanged, `mj-include` reads nothing, and no web font is loaded. */
import { ContentError, type ContentFault, faultAt } from "../faults.ts";
import type { LiquidPiece } from "../liquid/liquid.ts";
import { marker, replaceByMarkers } from "./markers.ts";

export async function compileMjml(source: string, pieces: readonly LiquidPiece[]): Promise<string> {
  const { default: compile } = await import("mjml");
  const marked = replaceByMarkers(source, pieces);
  try {
    const { html, errors } = await compile(marked, {
      validationLevel: "soft",
      ignoreIncludes: true,
      fonts: {},
    });
    const faults = errors.filter(({ message }) => !/attribute/i.test(message)).map(toFault);
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
  const kept = new Set([...html.matchAll(marker)].map(([, index]) => Number(index)));
  const lost = pieces.filter(({ kind }, index) => kind === "tag" && !kept.has(index));
  const detail = "MJML drops Liquid that stands between its elements. Put it into <mj-raw>.";
  if (lost.length === 0) return;
  throw new ContentError(lost.map(({ begin }) => faultAt("invalid_mjml", "mjml", source, begin, detail)));
}

function toFault({ line, message }: { line: number; message: string }): ContentFault {
  const detail = `MJML can't read this: ${message.replace(/\.?\s*$/, "").slice(0, 300)}.`;
  return { code: "invalid_mjml", part: "mjml", line, column: 1, detail };
}
