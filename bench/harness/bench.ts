/** What every bench is made of. `run.ts` lists them all. */
import type { BenchPostgres } from "./postgres.ts";

/** How much to measure: the defaults keep a bench well below 10 minutes on 2 cores. */
export type Sizes = {
  /** How often each side is measured. */
  readonly rounds: number;
  /** How long a timed run lasts. */
  readonly seconds: number;
  /** How large a table is, where that is what matters. */
  readonly rows: number;
  /** For a quiet machine and a patient reader: larger amounts of work. */
  readonly full: boolean;
};

export type Bench = {
  readonly name: string;
  readonly summary: string;
  /** What `--part` may name, where it can be measured in parts. */
  readonly parts?: readonly string[];
  readonly run: (setting: Setting) => AsyncIterable<Result>;
};

export type Setting = {
  readonly sizes: Sizes;
  /** Nothing else is measured. */
  readonly part: string | undefined;
  readonly postgres: BenchPostgres;
  /** A folder that is removed after the run. */
  readonly folder: string;
  /** Progress, for the person who waits. */
  readonly note: (text: string) => void;
};

/** What `--json` prints. `asked` is of the ratio where there is a reference, else of `ours`. */
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
  /** What is counted: "request", "job", "ms". */
  readonly unit: string;
  /** Ours, the reference, the ratio and what was asked, in words; needed where the figure is no rate. */
  readonly headline?: string;
  /** The lines below it: the spread, and what a unit cost. */
  readonly details: readonly string[];
};
