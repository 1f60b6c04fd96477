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
import type { CompiledPart, Piece, Slot } from "./compiled.ts";
import { ContentError, type LineAndColumn } from "./faults.ts";
import { compileNode, LinkTag, liquidFault, PixelTag, parseLiquid, worstCost } from "./liquid/liquid.ts";

export type PartSource = {
  readonly part: CompiledPart;
  readonly engine: Liquid;
  readonly source: string;
  readonly placeOf: (offset: number) => LineAndColumn | null;
};

export type SplitPart = {
  readonly pieces: readonly Piece[];
  /** The worst cost of the part's slots for a recipient; Infinity where there is no bound. */
  readonly cost: number;
};

export function splitPart({ part, engine, source, placeOf }: PartSource, slots: Slot[]): SplitPart {
  const parsed = parseLiquid(engine, source);
  if (!parsed.ok) throw new ContentError([liquidFault(part, source, parsed)]);
  const { nodes } = parsed;
  if (endsEarly(nodes)) {
    slots.push({ kind: "liquid", part, source, place: null });
    return { pieces: [{ slot: slots.length - 1 }], cost: Number.POSITIVE_INFINITY };
  }
  const pieces: Piece[] = [];
  let linkBase: number | undefined;
  for (const [at, node] of nodes.entries()) {
    if (TypeGuards.isHTMLToken(node.token) && !(node instanceof Output)) {
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
    const text = source.slice(begin, nodes[at + 1]?.token.begin ?? source.length);
    const kind = compileNode(node, engine) ? "value" : "liquid";
    const slot: Slot = { kind, part, source: text, place: placeOf(begin) };
    pieces.push({ slot: slots.push(node instanceof PixelTag ? { kind: "pixel", part } : slot) - 1 });
  }
  const dynamic = nodes.filter((node) => node instanceof Output || !TypeGuards.isHTMLToken(node.token));
  return { pieces, cost: worstCost(dynamic) };
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
