/** What carries an import out in batches, each in a transaction of its own, and takes it back. */

export { IMPORTS_CHANNEL } from "./batch.ts";
export { removeDryRows } from "./batch-store.ts";
export { countsOf, failImport, runImport } from "./run.ts";
export { undoBatches } from "./undo.ts";
