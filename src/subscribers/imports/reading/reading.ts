/** What reads an uploaded file: its format, its headings, its records, and each row as a subscriber or a suppression. */
export { readCell } from "./cells.ts";
export { columnsOf, isIdentified, type Plan, planColumns, showMapping } from "./column-mapping.ts";
export { FileFault } from "./file-fault.ts";
export {
  DELIMITERS,
  ENCODINGS,
  type Format,
  findFormat,
  parseSample,
  readSample,
  SAMPLE_BYTES,
  toAsciiSuperset,
} from "./format.ts";
export { type Column, GUESS_ORIGINS, type Guessed, guessColumns } from "./guessing.ts";
export { IMPORT_TARGETS, type ImportTarget, SUPPRESSION_TARGETS, TARGETS } from "./headings.ts";
export { FILE_KINDS, PRESETS, type PresetId } from "./presets.ts";
export { isBlank, readRecords } from "./records.ts";
export {
  createRowReader,
  type FaultyRow,
  type ImportRow,
  type ReaderOptions,
  type RowFault,
  type RowReader,
} from "./row.ts";
export { createSuppressionReader, type SuppressionImportRow } from "./suppression-row.ts";
