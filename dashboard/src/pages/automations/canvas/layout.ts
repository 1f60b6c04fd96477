/**
 * Where the steps of an outline stand on the canvas. Every step has a layer below all that lead to it, the ways out of a step stand side by
 * side, and where they meet again what follows stands below the middle of them. These functions are pure; all numbers are pixels.
 */
import { type Graph, type Slot, slotsTo, waysOf } from "../graph/draft.ts";
import type { Gap, Outline, Placed, Sequence } from "../graph/outline.ts";

export const CARD_WIDTH = 248;
/** Between two cards, one below the other. */
const GAP = 48;
/** Below a step with several ways there is room for what each way is called. */
const WAY_GAP = 92;
const JOIN_GAP = 36;
const SIDE_GAP = 48;
/** Ways leave a card beside each other, no further apart than this. */
const SPREAD = 72;
const LANE_GAP = 14;
const CORNER = 10;

type Point = { readonly x: number; readonly y: number };

/** `x` is the middle of the card, and `y` its top. */
type Card = Point & { readonly id: string; readonly height: number };

/** Where a step can be put in: the middle of a button. With `way` it also says what the way is called. */
export type Spot = Point & {
  readonly gap: Gap;
  readonly way: Slot | undefined;
  readonly after: string | undefined;
  readonly leadsNowhere: boolean;
};

type Line = { readonly path: string; readonly slots: readonly Slot[]; readonly isLink: boolean };

export type Drawing = {
  /** In the order of reading, as the outline has them; the first stands for where everybody begins. */
  readonly items: readonly (({ readonly kind: "card" } & Card) | ({ readonly kind: "spot" } & Spot))[];
  readonly lines: readonly Line[];
  /** The middles of what no way leads to. */
  readonly apart: readonly Point[];
  readonly width: number;
  readonly height: number;
};

/** Stands for where everybody begins; no step has this name. */
export const ENTRY = "";

/** A way that goes on below: the points that its line has passed. */
type Tail = { readonly points: readonly Point[]; readonly slots: readonly Slot[] };
type Drawn = { readonly tail: Tail | undefined; readonly bottom: number };
type Link = Tail & { readonly to: string };

export function layOut({ main, apart }: Outline, heightOf: (id: string) => number): Drawing {
  const items: Drawing["items"][number][] = [];
  const lines: Line[] = [];
  const links: Link[] = [];
  const cards = new Map<string, Card>();
  const addCard = (card: Card) => {
    cards.set(card.id, card);
    items.push({ kind: "card", ...card });
  };
  const addLine = (points: readonly Point[], slots: readonly Slot[]) =>
    lines.push({ path: curve(points), slots, isLink: false });

  const mainWidth = widthOf(main);
  const middle = mainWidth / 2;
  addCard({ id: ENTRY, x: middle, y: 0, height: heightOf(ENTRY) });
  const first = { points: [{ x: middle, y: heightOf(ENTRY) }], slots: main.gaps[0]?.slots ?? [] };
  let bottom = drawSequence(main, middle, first, undefined).bottom;
  let right = mainWidth;
  const apartAt: Point[] = [];
  for (const sequence of apart) {
    const width = widthOf(sequence);
    const at = { x: right + SIDE_GAP * 2 + width / 2, y: heightOf(ENTRY) };
    apartAt.push(at);
    bottom = Math.max(bottom, drawSequence(sequence, at.x, { points: [at], slots: [] }, undefined).bottom);
    right += SIDE_GAP * 2 + width;
  }
  for (const [at, link] of links.entries()) {
    const target = cards.get(link.to);
    if (target) lines.push(linkLine(link, target, right + LANE_GAP * (at + 1)));
  }
  const width = right + (links.length > 0 ? LANE_GAP * (links.length + 1) : 0);
  return { items, lines, apart: apartAt, width, height: bottom };

  function drawSequence(sequence: Sequence, x: number, start: Tail, way: Slot | undefined): Drawn {
    let tail = start;
    for (const [at, step] of sequence.steps.entries()) {
      const y = drawGap(sequence, at, x, tail, way);
      addLine([...tail.points, { x, y }], tail.slots);
      const height = heightOf(step.id);
      addCard({ id: step.id, x, y, height });
      const below = { x, y: y + height };
      const slots = sequence.gaps[at + 1]?.slots ?? [];
      if (step.ways.length === 0) tail = { points: [below], slots };
      else {
        const drawn = drawWays(step, x, below.y);
        if (slots.length === 0) return { tail: undefined, bottom: drawn.bottom };
        const join = { x, y: drawn.bottom + JOIN_GAP };
        for (const one of drawn.tails)
          addLine([...one.points, { x: at0(one).x, y: drawn.bottom }, join], one.slots);
        tail = { points: [join], slots };
      }
    }
    const { end } = sequence;
    const last = at0(tail).y;
    if (end.kind === "over") return { tail: undefined, bottom: last };
    const y = drawGap(sequence, sequence.steps.length, x, tail, way);
    const below = { points: [...tail.points, { x, y }], slots: tail.slots };
    if (end.kind === "joins") return { tail: below, bottom: y };
    if (end.kind === "link") links.push({ ...below, to: end.to });
    else if (tail.slots.length > 0) addLine(below.points, tail.slots);
    return { tail: undefined, bottom: y };
  }

  /** The button between what has been drawn and what comes; the answer is where that begins. */
  function drawGap(sequence: Sequence, at: number, x: number, tail: Tail, way: Slot | undefined): number {
    const gap = sequence.gaps[at];
    const named = at === 0 ? way : undefined;
    const top = at0(tail).y;
    const y = top + (named ? WAY_GAP : GAP);
    const isEnd = at === sequence.steps.length;
    if (gap && gap.slots.length > 0)
      items.push({
        kind: "spot",
        gap,
        way: named,
        after: sequence.steps[at - 1]?.id,
        leadsNowhere: isEnd && sequence.end.kind === "nowhere",
        x,
        y: named ? top + WAY_GAP / 2 + 4 : y - GAP / 2,
      });
    return y;
  }

  function drawWays(step: Placed, x: number, y: number): { tails: readonly Tail[]; bottom: number } {
    const count = step.ways.length;
    let left = x - waysWidth(step) / 2;
    let lowest = y;
    const tails: Tail[] = [];
    for (const [at, { key, sequence }] of step.ways.entries()) {
      const width = widthOf(sequence);
      const slot = { node: step.id, key };
      const beside = (at - (count - 1) / 2) * Math.min(SPREAD, (CARD_WIDTH - SPREAD) / count);
      const start = { points: [{ x: x + beside, y }], slots: [slot] };
      const drawn = drawSequence(sequence, left + width / 2, start, slot);
      if (drawn.tail) tails.push(drawn.tail);
      lowest = Math.max(lowest, drawn.bottom);
      left += width + SIDE_GAP;
    }
    return { tails, bottom: lowest };
  }
}

const at0 = ({ points }: Tail): Point => points.at(-1) ?? { x: 0, y: 0 };

function widthOf({ steps }: Sequence): number {
  return Math.max(CARD_WIDTH, ...steps.map(waysWidth));
}

function waysWidth({ ways }: Placed): number {
  const widths = ways.map(({ sequence }) => widthOf(sequence));
  return widths.reduce((sum, one) => sum + one, 0) + SIDE_GAP * Math.max(0, ways.length - 1);
}

/** Through all points, upright at each of them. */
function curve([first, ...rest]: readonly Point[]): string {
  if (!first) return "";
  let path = `M${first.x} ${first.y}`;
  let last = first;
  for (const next of rest) {
    const half = (last.y + next.y) / 2;
    path +=
      last.x === next.x ? `L${next.x} ${next.y}` : `C${last.x} ${half} ${next.x} ${half} ${next.x} ${next.y}`;
    last = next;
  }
  return path;
}

/** To a step that stands elsewhere: by a lane to the right of everything, and from the side into its card. */
function linkLine({ points, slots }: Link, target: Card, lane: number): Line {
  const end = points.at(-1) ?? { x: 0, y: 0 };
  const into = { x: target.x + CARD_WIDTH / 2, y: target.y + target.height / 2 };
  const up = into.y < end.y ? -1 : 1;
  const path =
    `${curve(points)}Q${end.x} ${end.y + CORNER} ${end.x + CORNER} ${end.y + CORNER}` +
    `L${lane - CORNER} ${end.y + CORNER}Q${lane} ${end.y + CORNER} ${lane} ${end.y + CORNER + up * CORNER}` +
    `L${lane} ${into.y - up * CORNER}Q${lane} ${into.y} ${lane - CORNER} ${into.y}L${into.x} ${into.y}`;
  return { path, slots, isLink: true };
}

const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"] as const;
export type Arrow = (typeof ARROWS)[number];
export const isArrow = (key: string): key is Arrow => ARROWS.some((one) => one === key);

/** The card to which an arrow leads: up and down by the ways, to the sides to what is nearest; what stands lower or higher counts double. */
export function neighbourOf(graph: Graph, { items }: Drawing, id: string, arrow: Arrow): string | undefined {
  if (arrow === "ArrowDown") return id === ENTRY ? graph.start : waysOf(graph.nodes[id] ?? {})[0]?.to;
  if (arrow === "ArrowUp") {
    const [slot] = id === ENTRY ? [] : slotsTo(graph, id);
    return slot && (slot.node ?? ENTRY);
  }
  const cards = items.filter((one) => one.kind === "card");
  const from = cards.find((one) => one.id === id);
  if (!from) return undefined;
  const far = cards.flatMap((one) => {
    const ahead = (one.x - from.x) * (arrow === "ArrowLeft" ? -1 : 1);
    return ahead > 0 ? [{ id: one.id, by: ahead + 2 * Math.abs(one.y - from.y) }] : [];
  });
  return far.toSorted((a, b) => a.by - b.by)[0]?.id;
}
