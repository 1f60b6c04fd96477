/** Compiles a document of blocks into MJML, from which the content compiler makes mail as from any other. */
import { hasMarks, markOf } from "../block-marks.ts";
import { ContentError, faultWithoutPlace } from "../faults.ts";
import { inBlock } from "./faults-in-blocks.ts";
import { commonAttributes, element, LEAF_KINDS, leafMjml } from "./leaves.ts";
import { wrapping } from "./liquid-text.ts";
import { allOf, refuseNewer } from "./newer.ts";
import type { Block, BlocksDocument, Columns, Leaf } from "./schema.ts";
import { darkColours, type Looks, looksOf, NARROW_INSET, sheetOf } from "./style.ts";

type CompiledBlocks = {
  readonly mjml: string;
  /** The block that a line of the MJML is from, by its id and its number in the order of reading; undefined for those of none. */
  readonly blockAt: (line: number) => FoundBlock | undefined;
  readonly blockOf: (number: number) => FoundBlock | undefined;
};
type FoundBlock = { readonly id: string; readonly number: number };

/** It is also the most that is compiled of MJML. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Throws a ContentError where the HTML of a block has Liquid that can't be read, a block isn't known, or the whole becomes too long. With
 * marks, what is made of the MJML says where each block begins.
 */
export function compileBlocks(document: BlocksDocument, isMarked = false): CompiledBlocks {
  refuseNewer(document, KINDS);
  const looks = looksOf(document);
  const all = allOf(document.blocks);
  const numbers = new Map(all.map(({ id }, at) => [id, at + 1]));
  const mark = (id: string | null) => (isMarked ? raw(markOf(id === null ? 0 : (numbers.get(id) ?? 0))) : "");
  const lines: Line[] = [];
  let length = 0;
  const write = (line: Line) => {
    lines.push(line);
    length += line.mjml.length + 1;
    if (length > MOST_CHARACTERS) throw new ContentError([TOO_LARGE]);
  };
  for (const line of head(document, looks)) write(ofNoBlock(line));
  for (const section of sections(document.blocks)) {
    for (const line of sectionLines(section, { looks, numbers, mark })) write(line);
  }
  for (const line of [mark(null) + GAP, "</mj-body>", "</mjml>"]) write(ofNoBlock(line));
  const mjml = lines.map((line) => line.mjml).join("\n");
  const lineAt = createLineIndex(lines);
  return {
    mjml,
    blockAt(line) {
      const id = lineAt(line)?.block;
      return id === undefined ? undefined : { id, number: numbers.get(id) ?? 1 };
    },
    blockOf(number) {
      const block = all[number - 1];
      return block && { id: block.id, number };
    },
  };
}

/** HTML by hand has lines of its own, so that a line of ours may be several of the MJML. */
function createLineIndex(lines: readonly Line[]): (line: number) => Line | undefined {
  const byLine = lines.flatMap((line) => line.mjml.split("\n").map(() => line));
  return (line) => byLine[line - 1];
}

const KINDS = new Set(["columns", ...LEAF_KINDS]);
const TOO_LARGE = faultWithoutPlace("too_large", "blocks", "The mail grew too long. Take some blocks out.");

type Numbers = ReadonlyMap<string, number>;
type Writing = {
  readonly looks: Looks;
  readonly numbers: Numbers;
  /** Marks where a block begins; null ends the last. */
  readonly mark: (id: string | null) => string;
};

/** No two blocks share a line, so that a fault in the MJML can be told of its block. */
type Line = { readonly mjml: string; readonly block: string | undefined };
const ofNoBlock = (mjml: string): Line => ({ mjml, block: undefined });

function head({ language, direction, blocks }: BlocksDocument, looks: Looks): string[] {
  const lang = language ? ` lang="${language}"` : "";
  return [
    `<mjml${lang}${direction ? ` dir="${direction}"` : ""}>`,
    "<mj-head>",
    '<mj-raw><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></mj-raw>',
    `<mj-attributes>${commonAttributes(looks)}</mj-attributes>`,
    `<mj-style>${sheetOf(looks).replaceAll(/\s+/g, " ")}${darkColours(wordColours(blocks))}</mj-style>`,
    "</mj-head>",
    `<mj-body background-color="${looks.background}" width="${looks.width}px" css-class="page">`,
    GAP,
  ];
}

/** Finds the colours of words. Those of buttons and lines stay in the dark. */
function* wordColours(part: unknown): Generator<string> {
  if (typeof part !== "object" || part === null) return;
  if ("type" in part && (part.type === "text" || part.type === "variable") && "colour" in part) {
    yield String(part.colour);
  }
  for (const inner of Object.values(part)) yield* wordColours(inner);
}

/** The page shows above and below the mail, as beside it. It is no section, which would cost 1.5 KB. */
const GAP = raw('<div style="height:16px;font-size:16px;line-height:16px">&nbsp;</div>');

type Section = { readonly columns: Columns } | { readonly leaves: Leaf[] };

/** Neighbours share a section: each costs 1.5 KB, and Gmail cuts a mail of 102 KB. */
function sections(blocks: readonly Block[]): Section[] {
  const made: Section[] = [];
  for (const block of blocks) {
    const last = made.at(-1);
    if (block.type === "columns") made.push({ columns: block });
    else if (last && "leaves" in last) last.leaves.push(block);
    else made.push({ leaves: [block] });
  }
  return made;
}

function* sectionLines(section: Section, writing: Writing): Generator<Line> {
  const open = "<mj-section>";
  if ("leaves" in section) {
    yield ofNoBlock(`${open}<mj-column>`);
    for (const leaf of section.leaves) yield leafLine(leaf, writing);
    yield ofNoBlock("</mj-column></mj-section>");
    return;
  }
  const { columns } = section;
  const { id: block } = columns;
  const around = wrapping(columns);
  const widths = widthsOf(columns);
  const isNarrow = columns.columns.length > 2;
  const inner = isNarrow ? { ...writing, looks: { ...writing.looks, inset: NARROW_INSET } } : writing;
  const begin = isNarrow ? '<mj-section padding="16px 20px 8px" css-class="card narrow">' : open;
  // A mark between two sections would keep MJML from joining what it writes for Outlook, but Liquid does so anyway.
  yield { mjml: (around ? writing.mark(block) + raw(around.begin) : "") + begin, block };
  for (const [at, { blocks }] of columns.columns.entries()) {
    const mark = at === 0 && !around ? writing.mark(block) : "";
    yield { mjml: `<mj-column width="${widths[at]}%">${mark}`, block };
    for (const leaf of blocks) yield leafLine(leaf, inner);
    yield { mjml: "</mj-column>", block };
  }
  yield { mjml: `</mj-section>${around ? raw(around.end) : ""}`, block };
}

function leafLine(leaf: Leaf, { looks, numbers, mark }: Writing): Line {
  const around = wrapping(leaf);
  const mjml = tellingBlock(leaf, numbers, () => {
    const written = leafMjml(leaf, looks);
    if (hasMarks(written) || (leaf.type === "html" && hasMarks(leaf.html)))
      throw new ContentError([RESERVED]);
    return leaf.type === "html" ? written.replaceAll(/\r\n?/g, "\n") : written.replaceAll(/\r\n?|\n/g, " ");
  });
  return {
    mjml: mark(leaf.id) + (around ? raw(around.begin) + mjml + raw(around.end) : mjml),
    block: leaf.id,
  };
}

const RESERVED = faultWithoutPlace(
  "control_character",
  "blocks",
  "It holds one of the characters U+E0F0 to U+E0F4, which the service needs for itself. Take it out.",
);

/** Says of a fault in a block which one that is. */
function tellingBlock<T>({ id }: Leaf, numbers: Numbers, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ContentError)) throw error;
    throw new ContentError(error.faults.map((fault) => inBlock(fault, { id, number: numbers.get(id) ?? 1 })));
  }
}

function raw(liquid: string): string {
  return element("mj-raw", {}, liquid);
}

/** Columns without a width share what the others leave; where they leave too little, all are made to fit. */
function widthsOf({ columns }: Columns): number[] {
  const given = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  const open = columns.filter(({ width }) => width === undefined).length;
  const share = open > 0 ? Math.max(10, (100 - given) / open) : 0;
  const wanted = columns.map(({ width }) => width ?? share);
  const total = wanted.reduce((sum, width) => sum + width, 0);
  return wanted.map((width) => Math.floor((width / total) * 10_000) / 100);
}
