/** What carries an import out in batches, each in a transaction of its own, and takes it back. */

export { IMPORTS_CHANNEL } from "./batch.ts";
export { removeDryRows } from "./batch-store.ts";
export { NOTHING_CHECKED } from "./check-addresses.ts";
export { countsOf, failImport, runImport } from "./run.ts";
export { undoBatches } from "./undo.ts";
