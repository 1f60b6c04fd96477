/**
 * The lines in which two texts differ. Lines that stand once in both texts hold the texts together (patience diff), and what
 * lies between two of them is compared by the shortest way (Myers, 1986). A stretch that would take too many steps is given as
 * replaced whole, so that two texts of half a megabyte take a moment, whatever is in them.
 */

export type DiffLine = {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
  /** The number of the line in the text before and in the text after, from 1; null where it isn't there. */
  readonly before: number | null;
  readonly after: number | null;
};

/** What the shortest way may cost in a stretch: its steps are kept, and their number grows with the square of this. */
const MOST_EDITS = 400;

type Range = { readonly from: number; readonly to: number };
type Pair = readonly [before: number, after: number];

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const one = linesOf(before);
  const other = linesOf(after);
  const pairs = matchLines(one, other);
  const lines: DiffLine[] = [];
  let at = 0;
  let there = 0;
  for (const [left, right] of [...pairs, [one.length, other.length] as const]) {
    for (; at < left; at++) lines.push(line("removed", one[at], at, null));
    for (; there < right; there++) lines.push(line("added", other[there], null, there));
    if (left < one.length) lines.push(line("same", one[at++], left, there++));
  }
  return lines;
}

/** An empty text has no line. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.split(/\r?\n/));

function line(
  kind: DiffLine["kind"],
  text: string | undefined,
  before: number | null,
  after: number | null,
): DiffLine {
  const numbered = (index: number | null) => (index === null ? null : index + 1);
  return { kind, text: text ?? "", before: numbered(before), after: numbered(after) };
}

/** Pairs lines that are the same, in ascending order. It keeps its own stack, since stretches may lie in stretches. */
function matchLines(one: readonly string[], other: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  const unread = [{ left: { from: 0, to: one.length }, right: { from: 0, to: other.length } }];
  for (let next = unread.pop(); next; next = unread.pop()) {
    const { left, right } = trimmed(one, other, next.left, next.right, pairs);
    if (left.from === left.to || right.from === right.to) continue;
    const anchors = findAnchors(one, other, left, right);
    if (anchors.length === 0) {
      for (const pair of shortestWay(one, other, left, right)) pairs.push(pair);
      continue;
    }
    for (const pair of anchors) pairs.push(pair);
    let from: Pair = [left.from, right.from];
    for (const [l, r] of [...anchors, [left.to, right.to] as const]) {
      unread.push({ left: { from: from[0], to: l }, right: { from: from[1], to: r } });
      from = [l + 1, r + 1];
    }
  }
  return pairs.sort((a, b) => a[0] - b[0]);
}

/** Pairs what is the same at both ends, and returns what lies between. */
function trimmed(
  one: readonly string[],
  other: readonly string[],
  left: Range,
  right: Range,
  pairs: Pair[],
): { readonly left: Range; readonly right: Range } {
  let [l, r] = [left.from, right.from];
  while (l < left.to && r < right.to && one[l] === other[r]) pairs.push([l++, r++]);
  let [lEnd, rEnd] = [left.to, right.to];
  while (lEnd > l && rEnd > r && one[lEnd - 1] === other[rEnd - 1]) pairs.push([--lEnd, --rEnd]);
  return { left: { from: l, to: lEnd }, right: { from: r, to: rEnd } };
}

/** The longest ascending row of lines that stand exactly once in both stretches. */
function findAnchors(
  one: readonly string[],
  other: readonly string[],
  left: Range,
  right: Range,
): readonly Pair[] {
  const inOther = placesOfUnique(other, right);
  const candidates: Pair[] = [];
  for (const [text, l] of placesOfUnique(one, left)) {
    const r = inOther.get(text);
    if (r !== undefined) candidates.push([l, r]);
  }
  candidates.sort((a, b) => a[0] - b[0]);
  return longestAscending(candidates);
}

function placesOfUnique(lines: readonly string[], { from, to }: Range): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (let at = from; at < to; at++) {
    const text = lines[at] as string;
    if (places.has(text)) repeated.add(text);
    places.set(text, at);
  }
  for (const text of repeated) places.delete(text);
  return places;
}

function longestAscending(pairs: readonly Pair[]): readonly Pair[] {
  /** The index of the pair that ends the shortest-reaching row of each length. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, [, right]] of pairs.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] as number] as Pair)[1] < right) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (ends[low - 1] as number);
    ends[low] = index;
  }
  const row: Pair[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] as number)
    row.push(pairs[index] as Pair);
  return row.reverse();
}

/** Myers' greedy way; nothing is paired where it would take too many edits. */
function shortestWay(
  one: readonly string[],
  other: readonly string[],
  left: Range,
  right: Range,
): readonly Pair[] {
  const [height, width] = [left.to - left.from, right.to - right.from];
  const most = Math.min(height + width, MOST_EDITS);
  const reached = new Int32Array(2 * most + 3);
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    steps.push(reached.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const index = diagonal + most + 1;
      const [below, above] = [reached[index - 1] as number, reached[index + 1] as number];
      let l = diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1;
      while (l < height && l - diagonal < width && one[left.from + l] === other[right.from + l - diagonal])
        l++;
      reached[index] = l;
      if (l >= height && l - diagonal >= width) return trace(steps, { height, width, most, left, right });
    }
  }
  return [];
}

type Traced = {
  readonly height: number;
  readonly width: number;
  readonly most: number;
  readonly left: Range;
  readonly right: Range;
};

/** Goes the way back, and pairs the lines at which it went straight on. */
function trace(steps: readonly Int32Array[], { height, width, most, left, right }: Traced): readonly Pair[] {
  const pairs: Pair[] = [];
  let [l, r] = [height, width];
  for (let edits = steps.length - 1; edits >= 0; edits--) {
    const reached = steps[edits] as Int32Array;
    const diagonal = l - r;
    const index = diagonal + most + 1;
    const isDown =
      diagonal === -edits ||
      (diagonal !== edits && (reached[index - 1] as number) < (reached[index + 1] as number));
    const from = diagonal + (isDown ? 1 : -1);
    const startLeft = edits === 0 ? 0 : (reached[from + most + 1] as number);
    const startRight = edits === 0 ? 0 : startLeft - from;
    while (l > startLeft && r > startRight) pairs.push([left.from + --l, right.from + --r]);
    [l, r] = [startLeft, startRight];
  }
  return pairs;
}
