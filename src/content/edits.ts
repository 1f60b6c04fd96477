/** Applies edits to a text, each at an offset of the original. Every byte outside them stays as the author wrote it. */
export type Edit = { readonly begin: number; readonly end: number; readonly text: string };

export type Edited = {
  readonly text: string;
  /** Maps an offset in the new text to one in the original. */
  readonly toOriginal: (offset: number) => number;
  /** Maps an offset in the original to the first one in the new text that isn't before it. */
  readonly toEdited: (offset: number) => number;
};

/** Applies edits that must not overlap. Several at one offset keep their order. */
export function applyEdits(source: string, edits: readonly Edit[]): Edited {
  const sorted = edits.toSorted((one, other) => one.begin - other.begin || one.end - other.end);
  const parts: string[] = [];
  const joints: {
    readonly at: number;
    readonly shift: number;
    readonly until: number;
    readonly from: number;
  }[] = [];
  let read = 0;
  let written = 0;
  for (const { begin, end, text } of sorted) {
    parts.push(source.slice(read, begin), text);
    written += begin - read;
    joints.push({
      at: written,
      until: written + text.length,
      from: begin,
      shift: end - written - text.length,
    });
    written += text.length;
    read = end;
  }
  parts.push(source.slice(read));
  const toOriginal = (offset: number) => {
    let [low, high] = [0, joints.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((joints[middle]?.at ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    const joint = joints[low - 1];
    if (!joint) return offset;
    return offset < joint.until ? joint.from : offset + joint.shift;
  };
  const text = parts.join("");
  const toEdited = (offset: number) => {
    let [low, high] = [0, text.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (toOriginal(middle) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { text, toOriginal, toEdited };
}
