/** The runner of an import asks this of the kind of rows that it imports: people of a list, or suppressions. */
import type { TxCtx } from "../../../platform/context.ts";
import type { ImportRowInDb } from "../import-store.ts";
import type { ReaderOptions, RowFault, RowReader } from "../reading/reading.ts";

/** What became of the rows of a batch, each of them in one of the first four; the others say more of some. */
export type BatchOutcome = {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly faults?: readonly RowFault[];
  readonly optedOut: number;
  readonly suppressed: number;
};

export type RowKind<R> = {
  createReader(options: ReaderOptions): RowReader<R>;
  /** Rows of one key are about one person. */
  keyOf(row: R): string;
  /** Returns null where the row names no address. */
  hashOf(row: R): Buffer | null;
  /** How to check whether mail would reach the rows' addresses; undefined where nobody is to be mailed. */
  readonly addresses?: {
    /** Returns the address in the form in which addresses are compared; null where the row's person isn't to be mailed. */
    of(row: R): string | null;
    /** Makes the row's fault, where it can't be imported. */
    faultOf(row: R, code: string, detail: string): RowFault;
  };
  /** Says that the row is good, and asks for nothing. */
  isLeftOut(row: R): boolean;
  /** Takes in a later row about the same person, and says whether it brought anything. */
  merge(before: R, row: R, onConflict: "skip" | "update"): boolean;
  /** Throws a `FileFault` where nothing may be imported any more. */
  check(ctx: TxCtx, run: ImportRowInDb): Promise<void>;
  /**
   * `contacts` maps hashes in hex to contacts. Of the rows in `against` it writes only that their people aren't to be mailed,
   * and counts nothing but that.
   */
  write(
    ctx: TxCtx,
    run: ImportRowInDb,
    rows: readonly R[],
    against: readonly R[],
    contacts: ReadonlyMap<string, string>,
  ): Promise<BatchOutcome>;
  /** Says what `write` would do, and changes nothing. */
  count(ctx: TxCtx, run: ImportRowInDb, rows: readonly R[], against: readonly R[]): Promise<BatchOutcome>;
};
