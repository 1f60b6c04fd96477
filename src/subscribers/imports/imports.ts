/** An import makes a file of people into subscribers of a list. */
export { type FileImport, importFile } from "./from-disk.ts";
export { forgetInImports } from "./import-life.ts";
export { importJobs } from "./jobs.ts";
export { createProgressHints } from "./progress.ts";
