/** The types that every bench is made of. `run.ts` lists all benches. */
import type { BenchPostgres } from "./postgres.ts";

/** Says how much to measure. The defaults keep a bench well below 10 minutes on 2 cores. */
export type Sizes = {
  /** The number of times that each side is measured. */
  readonly rounds: number;
  /** The duration of a timed run. */
  readonly seconds: number;
  /** The number of rows in a table, where its size is what matters. */
  readonly rows: number;
  /** The share of a promised amount, such as 10 million, that a bench fills in; 1 for all of it. */
  readonly scale: number;
  /** True for larger amounts of work, on a quiet machine and with more time. */
  readonly full: boolean;
};

export type Bench = {
  readonly name: string;
  readonly summary: string;
  /** The names that `--part` may give, where a bench can be measured in parts. */
  readonly parts?: readonly string[];
  readonly run: (setting: Setting) => AsyncIterable<Result>;
};

export type Setting = {
  readonly sizes: Sizes;
  /** The only part to measure; undefined for all of them. */
  readonly part: string | undefined;
  readonly postgres: BenchPostgres;
  /** A folder that is removed after the run. */
  readonly folder: string;
  /** Prints progress for the person who waits. */
  readonly note: (text: string) => void;
};

/**
 * A figure as `--json` prints it. `asked` is the least ratio where there is a reference, and otherwise the least
 * `ours`.
 */
export type Figure = {
  readonly name: string;
  readonly ours: number;
  readonly reference: number | null;
  readonly ratio: number | null;
  readonly asked: number;
  readonly ok: boolean;
};

export type Result = {
  readonly figure: Figure;
  /** The name of one unit, such as "request", "job" or "ms". */
  readonly unit: string;
  /** The figure in words: ours, the reference, the ratio and what was asked. It is needed where the figure is no rate. */
  readonly headline?: string;
  /** The lines below the figure, with the spread and the cost of a unit. */
  readonly details: readonly string[];
};
