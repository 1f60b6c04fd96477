/** Compiles random documents of blocks, and looks whether their mails have all words and links and run nothing. */
import fc from "fast-check";
import { anyDocument } from "../src/content/blocks/documents.fixture.ts";
import { assertKept } from "../src/content/blocks/kept.fixture.ts";
import type { BlocksDocument } from "../src/content/blocks/schema.ts";
import { compileContent } from "../src/content/compile-content.ts";
import { bare, joinMail, type Mail, recipientWith } from "../src/content/support.fixture.ts";
import { percentFigure, type Score, type Scorer } from "./figures.ts";

export const blocksScorer: Scorer = {
  name: "blocks",
  summary:
    "10,000 random documents of blocks: compiled, with all their words and links, and nothing that runs",
  score: scoreBlocks,
};

const DOCUMENTS = 10_000;
const MOST_SHOWN = 5;
const zoe = recipientWith({ city: "Köln", list: [{ name: "one" }, { name: "two" }] });

/** SEED repeats a run. */
async function scoreBlocks(): Promise<Score> {
  const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
  const begunMs = performance.now();
  const details: string[] = [];
  let [compiled, kept, blocks, longest] = [0, 0, 0, 0];
  const tell = (at: number, error: unknown) => {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
    if (details.length < MOST_SHOWN) details.push(`document ${at + 1}: ${line.slice(0, 300)}`);
  };
  for (const [at, document] of fc.sample(anyDocument, { seed, numRuns: DOCUMENTS }).entries()) {
    const mail = await compile(document).catch((error: unknown) => tell(at, error));
    if (!mail) continue;
    compiled++;
    blocks += document.blocks.length;
    longest = Math.max(longest, mail.html.length);
    try {
      assertKept(document, mail, zoe);
      kept++;
    } catch (error) {
      tell(at, error);
    }
  }
  const seconds = ((performance.now() - begunMs) / 1_000).toFixed(0);
  return {
    figures: [
      percentFigure("blocks.compiled", compiled, DOCUMENTS, 100),
      percentFigure("blocks.kept_and_harmless", kept, DOCUMENTS, 100),
    ],
    details: [
      `${DOCUMENTS} documents with ${blocks} blocks in ${seconds} s; the longest mail has ${Math.round(longest / 1_024)} KB; SEED=${seed} repeats it`,
      ...details,
    ],
  };
}

async function compile(blocks: BlocksDocument): Promise<Mail> {
  return joinMail(await compileContent({ ...bare, blocks }), zoe);
}
