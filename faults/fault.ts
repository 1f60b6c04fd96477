/** The types that every fault is made of. `run.ts` lists all faults. */
import type { Result } from "../bench/harness/bench.ts";

export type Fault = {
  readonly name: string;
  readonly summary: string;
  /** Runs the long version; tests run the same code with less of everything. */
  readonly run: (setting: Setting) => AsyncIterable<Result>;
};

export type Setting = {
  /** True for five times as much of everything. */
  readonly full: boolean;
  /** The seed of all that is drawn at random. What the machine does in between isn't reproducible. */
  readonly seed: number;
  /** The factor by which things may take longer where the machine does much else; 1 where it doesn't. */
  readonly slack: number;
  /** How many processes are killed, where that was said. */
  readonly kills?: number | undefined;
  /** Prints progress for the person who waits. */
  readonly note: (text: string) => void;
};

/** Makes a result for a number that must not be larger than what was asked. */
export function atMost(
  name: string,
  ours: number,
  asked: number,
  unit: string,
  details: readonly string[] = [],
): Result {
  return resultOf({ name, ours, asked, ok: ours <= asked }, unit, `≤ ${inWords(asked)}`, details);
}

/** Makes a result for a number that must be exactly what was asked. */
export function exactly(
  name: string,
  ours: number,
  asked: number,
  unit: string,
  details: readonly string[] = [],
): Result {
  return resultOf({ name, ours, asked, ok: ours === asked }, unit, inWords(asked), details);
}

function resultOf(
  figure: Pick<Result["figure"], "name" | "ours" | "asked" | "ok">,
  unit: string,
  asked: string,
  details: readonly string[],
): Result {
  const headline = `${inWords(figure.ours)} ${unit}, asked ${asked}`;
  return { figure: { ...figure, reference: null, ratio: null }, unit, headline, details };
}

function inWords(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 1 });
}
