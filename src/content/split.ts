/** Splits a part at its Liquid into pieces and slots. */
import {
  BreakTag,
  ContinueTag,
  ForTag,
  type Liquid,
  Output,
  TablerowTag,
  type Template,
  TypeGuards,
  toValueSync,
} from "liquidjs";
import type { BlockMark } from "./block-marks.ts";
import type { BlockStart, CompiledPart, Piece, Slot } from "./compiled.ts";
import { ContentError, type LineAndColumn } from "./faults.ts";
import { compileNode, LinkTag, liquidFault, PixelTag, parseLiquid, worstCost } from "./liquid/liquid.ts";

export type PartSource = {
  readonly part: CompiledPart;
  readonly engine: Liquid;
  readonly source: string;
  readonly placeOf: (offset: number) => LineAndColumn | null;
  /** Where blocks begin in the source. */
  readonly marks?: readonly BlockMark[];
};

export type SplitPart = {
  readonly pieces: readonly Piece[];
  /** The worst cost of the part's slots for a recipient; Infinity where there is no bound. */
  readonly cost: number;
  /** Where blocks begin in the pieces. What is within a condition or a loop counts to the block that this stands around. */
  readonly blocks: readonly BlockStart[];
};

export function splitPart(
  { part, engine, source, placeOf, marks = [] }: PartSource,
  slots: Slot[],
): SplitPart {
  const parsed = parseLiquid(engine, source);
  if (!parsed.ok) throw new ContentError([liquidFault(part, source, parsed)]);
  const { nodes } = parsed;
  if (endsEarly(nodes)) {
    slots.push({ kind: "liquid", part, source, place: null });
    return { pieces: [{ slot: slots.length - 1 }], cost: Number.POSITIVE_INFINITY, blocks: [] };
  }
  const pieces: Piece[] = [];
  const blocks: BlockStart[] = [];
  let mark = 0;
  const takeBlocks = (begin: number, end: number) => {
    for (let next = marks[mark]; next && next.offset < end; next = marks[++mark]) {
      // A mark within a piece of Liquid is of no use: nobody knows how long it becomes.
      if (next.offset >= begin) blocks.push({ ...endOf(pieces, next.offset - begin), number: next.number });
    }
  };
  let linkBase: number | undefined;
  for (const [at, node] of nodes.entries()) {
    if (TypeGuards.isHTMLToken(node.token) && !(node instanceof Output)) {
      takeBlocks(node.token.begin, node.token.end);
      addText(pieces, node.token.getContent());
      continue;
    }
    if (node instanceof LinkTag) {
      linkBase ??= slots.push({ kind: "link_base", part }) - 1;
      pieces.push({ slot: linkBase });
      addText(pieces, String(node.index));
      continue;
    }
    const { begin } = node.token;
    takeBlocks(begin, begin + 1);
    const text = source.slice(begin, nodes[at + 1]?.token.begin ?? source.length);
    const kind = compileNode(node, engine) ? "value" : "liquid";
    const slot: Slot = { kind, part, source: text, place: placeOf(begin) };
    pieces.push({ slot: slots.push(node instanceof PixelTag ? { kind: "pixel", part } : slot) - 1 });
  }
  const dynamic = nodes.filter((node) => node instanceof Output || !TypeGuards.isHTMLToken(node.token));
  return { pieces, cost: worstCost(dynamic), blocks };
}

/** The place so many characters behind the end of the pieces, once the next is there. */
function endOf(pieces: readonly Piece[], further: number): Pick<BlockStart, "piece" | "offset"> {
  const last = pieces.at(-1);
  return typeof last === "string"
    ? { piece: pieces.length - 1, offset: last.length + further }
    : { piece: pieces.length, offset: further };
}

function addText(pieces: Piece[], text: string): void {
  const last = pieces.length - 1;
  if (text === "") return;
  if (typeof pieces[last] === "string") pieces[last] += text;
  else pieces.push(text);
}

/** A `break` outside a loop ends the whole part, static text included, so the part can't be cut into pieces. */
function endsEarly(nodes: readonly Template[]): boolean {
  return nodes.some((node) => {
    if (node instanceof BreakTag || node instanceof ContinueTag) return true;
    if (node instanceof ForTag || node instanceof TablerowTag || !node.children) return false;
    return endsEarly(toValueSync(node.children(false, true) as IterableIterator<unknown>) as Template[]);
  });
}
