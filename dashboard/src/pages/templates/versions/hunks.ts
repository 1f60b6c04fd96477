/** What of a difference is shown: the lines that differ with some around them, and of long lines the part that differs. */
import type { DiffLine } from "./line-diff.ts";

const AROUND = 3;

export type Hunk = {
  readonly lines: readonly DiffLine[] /** How many lines before it are the same. */;
  readonly skipped: number;
};

/** Puts lines together that differ, each with three around them. What follows the last is counted in `rest`. */
export function hunksOf(lines: readonly DiffLine[]): {
  readonly hunks: readonly Hunk[];
  readonly rest: number;
} {
  const hunks: Hunk[] = [];
  let shownUntil = 0;
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.kind === "same") {
      at++;
      continue;
    }
    const from = Math.max(shownUntil, at - AROUND);
    let to = at + 1;
    // The next difference belongs to this one where their surroundings meet.
    for (let next = to; next < lines.length && next <= to + 2 * AROUND; next++)
      if (lines[next]?.kind !== "same") to = next + 1;
    const end = Math.min(lines.length, to + AROUND);
    hunks.push({ lines: lines.slice(from, end), skipped: from - shownUntil });
    shownUntil = end;
    at = end;
  }
  return { hunks, rest: lines.length - shownUntil };
}

/** The part of a line that is shown: what is the same, what differs, and what is the same again. */
export type Cut = { readonly start: string; readonly changed: string; readonly end: string };

const MOST_SAME = 80;
const MOST_CHANGED = 600;

/** Cuts a long line down to where it differs from the one that stands against it. */
export function cutLine(text: string, against: string | undefined): Cut {
  const most = Math.min(text.length, against?.length ?? 0);
  let start = 0;
  while (start < most && text[start] === against?.[start]) start++;
  let end = 0;
  while (end < most - start && text.at(-1 - end) === against?.at(-1 - end)) end++;
  const isAlike = against !== undefined && start + end > 0;
  if (!isAlike) return { start: "", changed: shorten(text, MOST_CHANGED), end: "" };
  const before = text.slice(0, start);
  const after = end === 0 ? "" : text.slice(-end);
  return {
    start: before.length > MOST_SAME ? `…${before.slice(-MOST_SAME)}` : before,
    changed: shorten(text.slice(start, text.length - end), MOST_CHANGED),
    end: shorten(after, MOST_SAME),
  };
}

export const shorten = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most)}…` : text;

/** The line that stands against each removed or added one: the first removed against the first added, and so on. */
export function partners(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, DiffLine> {
  const found = new Map<DiffLine, DiffLine>();
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const pair = () => {
    for (const [nth, line] of removed.entries()) {
      const other = added[nth];
      if (!other) break;
      found.set(line, other);
      found.set(other, line);
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "same") pair();
    else (line.kind === "removed" ? removed : added).push(line);
  }
  pair();
  return found;
}
