/** What every fault is made of. `run.ts` lists them all. */
import type { Result } from "../bench/harness/bench.ts";

export type Fault = {
  readonly name: string;
  readonly summary: string;
  /** The long version; tests run the same code with less of everything. */
  readonly run: (setting: Setting) => AsyncIterable<Result>;
};

export type Setting = {
  /** Five times as much. */
  readonly full: boolean;
  /** Of everything that is drawn. What the machine does in between isn't. */
  readonly seed: number;
  /** How much longer things may take where the machine does much else: 1 where it doesn't. */
  readonly slack: number;
  /** Progress, for the person who waits. */
  readonly note: (text: string) => void;
};

/** A number that must not be larger than what was asked. */
export function atMost(
  name: string,
  ours: number,
  asked: number,
  unit: string,
  details: readonly string[] = [],
): Result {
  return resultOf({ name, ours, asked, ok: ours <= asked }, unit, `≤ ${inWords(asked)}`, details);
}

/** A number that must be this one and no other. */
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
