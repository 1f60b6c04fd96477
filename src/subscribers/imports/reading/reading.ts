/** What reads an uploaded file: its format, its headings, its records, and each row as a subscriber. */
export { type Column, type Plan, planColumns, showMapping } from "./column-mapping.ts";
export { FileFault } from "./file-fault.ts";
export {
  DELIMITERS,
  ENCODINGS,
  type Format,
  findFormat,
  parseSample,
  SAMPLE_BYTES,
  toAsciiSuperset,
} from "./format.ts";
export { TARGETS } from "./headings.ts";
export { isBlank, readRecords } from "./records.ts";
export { createRowReader, type ImportRow, type RowFault, type RowReader } from "./row.ts";
