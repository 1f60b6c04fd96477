/** This file collects rows for a batch: good ones once for each address, bad ones apart. It is pure. */
import { PLAIN_NAMES } from "../../columns.ts";
import { answerFromFile } from "../../consent/consent.ts";
import type { ImportRow, RowFault, RowReader } from "../reading/reading.ts";

export type Collected = {
  readonly rows: readonly ImportRow[];
  readonly faults: readonly RowFault[];
  /** These rows repeat an address of this batch: they were left out, or merged where that brought something new. */
  readonly skipped: number;
  readonly merged: number;
  /** This is the last record that is in here, or was empty. */
  readonly lastRow: number;
};

export type Collector = {
  add(cells: readonly string[], row: number): void;
  /** Returns how many rows there are, good and bad together. */
  size(): number;
  /** Returns everything so far; the collector is empty after it. */
  take(): Collected;
};

export function createCollector(read: RowReader, onConflict: "skip" | "update"): Collector {
  let byKey = new Map<string, ImportRow>();
  let faults: RowFault[] = [];
  let skipped = 0;
  let merged = 0;
  let lastRow = 0;
  let size = 0;

  return {
    add(cells, row) {
      lastRow = row;
      size++;
      const made = read(cells, row);
      if ("code" in made) return void faults.push(made);
      const before = byKey.get(made.emailKey);
      if (!before) byKey.set(made.emailKey, made);
      else if (onConflict === "update" && mergeInto(before, made)) merged++;
      else skipped++;
    },
    size: () => size,
    take() {
      const taken = { rows: [...byKey.values()], faults, skipped, merged, lastRow };
      byKey = new Map();
      faults = [];
      [skipped, merged, size] = [0, 0, 0];
      return taken;
    },
  };
}

/** Merges as the database would: what is given goes in. It says whether anything was new. */
function mergeInto(before: ImportRow, row: ImportRow): boolean {
  let isChanged = false;
  for (const name of PLAIN_NAMES) {
    const given = row.profile[name];
    if (given === null || given === before.profile[name]) continue;
    before.profile[name] = given;
    isChanged = true;
  }
  const answer = answerFromFile(before.trackingConsent, row.trackingConsent);
  if (answer !== null) {
    before.trackingConsent = answer;
    isChanged = true;
  }
  for (const [slot, value] of Object.entries(row.slots)) {
    if (before.slots[slot] === value) continue;
    before.slots = { ...before.slots, [slot]: value };
    isChanged = true;
  }
  for (const [key, tag] of row.tags) {
    if (before.tags.has(key)) continue;
    before.tags.set(key, tag);
    isChanged = true;
  }
  return isChanged;
}
