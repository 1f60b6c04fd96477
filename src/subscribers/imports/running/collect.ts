/** This file collects rows for a batch: good ones once for each person, bad ones apart. It is pure. */
import type { CheckCounts, CheckedRow } from "../import-store.ts";
import type { FaultyRow, RowFault, RowReader } from "../reading/reading.ts";
import type { RowKind } from "./row-kind.ts";

export type Collected<R> = {
  readonly rows: readonly R[];
  readonly faults: readonly RowFault[];
  /** These rows have a fault, and count as such; only that their people aren't to be mailed is taken from them. */
  readonly against: readonly R[];
  /** These rows ask for nothing, or repeat a person of this batch: then they were left out, or merged where they had something new. */
  readonly skipped: number;
  readonly merged: number;
  /** This is the last record that is in here, or was empty. */
  readonly lastRow: number;
  /** What is known of the rows' addresses, where somebody asked. */
  readonly checked?: { readonly counts: CheckCounts; readonly listed: readonly CheckedRow[] };
};

export type Collector<R> = {
  add(cells: readonly string[], row: number): void;
  /** Returns how many rows there are, good and bad together. */
  size(): number;
  /** Returns everything so far; the collector is empty after it. */
  take(): Collected<R>;
};

export function createCollector<R extends object>(
  kind: Pick<RowKind<R>, "keyOf" | "isLeftOut" | "merge">,
  read: RowReader<R>,
  onConflict: "skip" | "update",
): Collector<R> {
  let byKey = new Map<string, R>();
  let faults: RowFault[] = [];
  let against: R[] = [];
  let skipped = 0;
  let merged = 0;
  let lastRow = 0;
  let size = 0;

  return {
    add(cells, row) {
      lastRow = row;
      size++;
      const made = read(cells, row);
      if (isFault(made)) return void faults.push(made);
      if (isFaulty(made)) {
        faults.push(made.faulty);
        return void against.push(made.against);
      }
      if (kind.isLeftOut(made)) return void skipped++;
      const key = kind.keyOf(made);
      const before = byKey.get(key);
      if (!before) byKey.set(key, made);
      else if (kind.merge(before, made, onConflict)) merged++;
      else skipped++;
    },
    size: () => size,
    take() {
      const taken = { rows: [...byKey.values()], faults, against, skipped, merged, lastRow };
      byKey = new Map();
      faults = [];
      against = [];
      [skipped, merged, size] = [0, 0, 0];
      return taken;
    },
  };
}

function isFault(made: object): made is RowFault {
  return "code" in made;
}

function isFaulty<R>(made: object): made is FaultyRow<R> {
  return "faulty" in made;
}
