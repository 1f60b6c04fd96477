/** Describes what is wrong with a content as a value: where it is, and a sentence that says what to do. */
export type ContentPart = "subject" | "preheader" | "html" | "mjml" | "blocks" | "text";

export type FaultCode =
  | "liquid_syntax"
  | "liquid_failed"
  | "unsafe_place"
  | "invalid_mjml"
  | "too_large"
  | "too_slow"
  | "too_much_memory"
  | "nested_too_deeply"
  | "unknown_block"
  | "broken_unicode"
  | "control_character"
  | "empty"
  | "worker_failed";

export type ContentFault = {
  readonly code: FaultCode;
  readonly part: ContentPart | null;
  /**
   * Line and column count from 1 in what the author wrote; both are null where the fault has no place. In `blocks` the line is
   * the number of the block.
   */
  readonly line: number | null;
  readonly column: number | null;
  readonly detail: string;
};

/** Tells whether a content took more time or memory than anything reasonable, and would again. */
export function isRunaway({ code }: ContentFault): boolean {
  return code === "too_slow" || code === "too_much_memory";
}

/** This error is thrown inside the folder only; every function of the folder's face turns it into a value. */
export class ContentError extends Error {
  readonly faults: readonly ContentFault[];
  constructor(faults: readonly ContentFault[]) {
    super(faults[0]?.detail ?? "no fault");
    this.faults = faults;
  }
}

export function faultAt(
  code: FaultCode,
  part: ContentPart,
  source: string,
  offset: number,
  detail: string,
): ContentFault {
  return { code, part, ...placeOf(source, offset), detail };
}

export function faultWithoutPlace(code: FaultCode, part: ContentPart | null, detail: string): ContentFault {
  return { code, part, line: null, column: null, detail };
}

export type LineAndColumn = { readonly line: number; readonly column: number };

function placeOf(source: string, offset: number): LineAndColumn {
  return createLineFinder(source)(offset);
}

/** Creates a function that finds line and column of many offsets in one text, whose line breaks are searched once. */
export function createLineFinder(source: string): (offset: number) => LineAndColumn {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return { line: low, column: offset - (starts[low - 1] ?? 0) + 1 };
  };
}
