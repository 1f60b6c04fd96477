/** A preview says what the start of a file would become, so that a person can put it right before anything is imported. */
import { createHash } from "node:crypto";
import type { Ctx } from "../../platform/context.ts";
import { AppError, bodyTooLarge, invalid } from "../../platform/problems.ts";
import { allFields, type FieldRow } from "../fields/fields.ts";
import type { ImportPreview, PreviewOptions } from "./preview-schema.ts";
import {
  columnsOf,
  FileFault,
  type Format,
  findFormat,
  type Guessed,
  guessColumns,
  isBlank,
  isIdentified,
  readCell,
  readSample,
  SAMPLE_BYTES,
  showMapping,
  toAsciiSuperset,
} from "./reading/reading.ts";
import {
  createStandingReader,
  fieldKeyOf,
  flattenAttributes,
  isAmbiguous,
  plainHeading,
  proposeField,
  type Standing,
} from "./values/values.ts";

/** So many rows are shown; more are looked at. */
const SHOWN_ROWS = 20;
const LONGEST_SHOWN_CELL = 500;
const MOST_STATUS_VALUES = 100;
const MOST_ATTRIBUTES = 100;

export async function previewFile(
  ctx: Ctx,
  options: PreviewOptions,
  file: { name: string; chunks: AsyncIterable<Buffer> },
): Promise<{ preview: ImportPreview; sha256: string }> {
  const sample = await readStart(file.chunks);
  const fields = await allFields(ctx.sql, ctx.accountId);
  const sha256 = createHash("sha256").update(sample).digest("hex");
  try {
    return { preview: preview(sample, file.name, fields, options, ctx.clock.now()), sha256 };
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    throw invalid({ pointer: "/file", code: error.code, detail: error.message });
  }
}

async function readStart(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > SAMPLE_BYTES) throw new AppError(bodyTooLarge, "send the first 256 KB of the file alone");
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function preview(
  sample: Buffer,
  fileName: string,
  fields: readonly FieldRow[],
  options: PreviewOptions,
  now: Date,
): ImportPreview {
  const { encoding, delimiter, has_header: hasHeader, target = "subscribers" } = options;
  const format = findFormat(sample, { encoding, delimiter });
  const isWhole = (options.file_bytes ?? sample.length) <= sample.length;
  const text = toAsciiSuperset(sample.subarray(format.skipBytes), format.encoding);
  const { records, isTorn } = readSample(text, format.delimiter, isWhole);
  const guessed = guessColumns(records, format, fields, { target, fileName, hasHeader, now });
  const { columns, body, recognised, order } = guessed;
  const cellsOf = (index: number) => body.map((cells) => cells[index] ?? "").filter((cell) => cell !== "");
  const taken = new Set(fields.map(({ key }) => key));
  const statusValues = statusValuesOf(guessed, cellsOf);
  return {
    object: "import_preview",
    target,
    file_name: fileName.slice(0, 255),
    format: { delimiter: format.delimiter, encoding: format.encoding, has_header: guessed.hasHeader },
    preset: recognised ? { id: recognised.id, name: recognised.name, kind: recognised.kind } : null,
    columns: columns.map(({ name, target: becomes, from, fieldId }, index) => {
      const cells = cellsOf(index);
      const field =
        target === "subscribers" && becomes === "ignore" && from === "nothing" && guessed.hasHeader
          ? proposeField(name, cells, order, taken)
          : undefined;
      if (field) taken.add(field.key);
      const shown = fieldId ? showMapping([{ name, target: becomes, fieldId }], fields)[name] : becomes;
      return {
        name,
        target: shown ?? "ignore",
        guessed_from: from,
        filled: cells.length,
        field: field ?? null,
      };
    }),
    mapping: showMapping(columnsOf(guessed), fields),
    default_status: recognised?.standing ?? "active",
    status_values: statusValues,
    date_order: order,
    attributes: attributesOf(guessed, fields, cellsOf),
    warnings: [
      ...fileWarnings(records, format, isTorn && isWhole),
      ...columnWarnings(guessed, records[0] ?? [], cellsOf),
      ...unknownStatuses(statusValues),
    ],
    rows_sampled: body.length,
    rows: body
      .slice(0, SHOWN_ROWS)
      .map((cells) =>
        columns.map((_, index) => (cells[index] ?? "").slice(0, LONGEST_SHOWN_CELL).toWellFormed()),
      ),
  };
}

type CellsOf = (index: number) => readonly string[];

/** A word that says the same in another spelling is listed once, in the spelling that comes first. */
function statusValuesOf({ columns }: Guessed, cellsOf: CellsOf): Record<string, Standing | null> {
  const index = columns.findIndex(({ target }) => target === "status" || target === "reason");
  const read = createStandingReader({});
  const found = new Map<string, string>();
  for (const cell of index < 0 ? [] : cellsOf(index)) {
    const key = plainHeading(cell) || cell;
    if (!found.has(key) && found.size < MOST_STATUS_VALUES) found.set(key, cell.slice(0, 100));
  }
  return Object.fromEntries([...found.values()].map((word) => [word, read(word) ?? null]));
}

function attributesOf(
  { columns, order }: Guessed,
  fields: readonly FieldRow[],
  cellsOf: CellsOf,
): ImportPreview["attributes"] {
  const index = columns.findIndex(({ target }) => target === "attributes");
  const values = new Map<string, string[]>();
  for (const cell of index < 0 ? [] : cellsOf(index))
    for (const [path, value] of flattenAttributes(cell) ?? []) {
      if (values.size >= MOST_ATTRIBUTES && !values.has(path)) continue;
      values.set(path, [...(values.get(path) ?? []), value]);
    }
  const keys = new Set(fields.map(({ key }) => key));
  return [...values].flatMap(([path, cells]) => {
    const exists = keys.has(fieldKeyOf(path));
    const field = proposeField(path.replaceAll(".", " "), cells, order, new Set());
    return field ? [{ path: path.slice(0, 200), field, exists }] : [];
  });
}

type Warning = ImportPreview["warnings"][number];

function unknownStatuses(values: Record<string, Standing | null>): Warning[] {
  const unknown = Object.keys(values).filter((word) => values[word] === null);
  const detail = `We don't know what ${unknown.slice(0, 5).join(", ")} means. Say it in \`status_values\`; else these rows fail.`;
  return unknown.length > 0 ? [{ code: "unknown_status", column: null, detail }] : [];
}

function fileWarnings(records: readonly string[][], format: Format, isTorn: boolean): Warning[] {
  const torn =
    "A quotation mark is never closed. An import of this file would fail: close it, or double it within the text.";
  const uneven =
    "The rows don't all have the same number of cells: a delimiter or a quotation mark may be wrong.";
  const widths = new Set(records.filter((cells) => !isBlank(cells)).map((cells) => cells.length));
  const isUnreadable = records.some((cells) => cells.some((cell) => readCell(cell, format) === undefined));
  return [
    ...(isTorn ? [{ code: "unclosed_quote", column: null, detail: torn }] : []),
    ...(widths.size > 1 ? [{ code: "uneven_rows", column: null, detail: uneven }] : []),
    ...(isUnreadable
      ? [
          {
            code: "unreadable_text",
            column: null,
            detail: "Some text can't be read: choose another encoding.",
          },
        ]
      : []),
  ];
}

function columnWarnings(guessed: Guessed, header: readonly string[], cellsOf: CellsOf): Warning[] {
  const { columns, body, recognised } = guessed;
  const warnings: Warning[] = [];
  const warn = (code: string, detail: string, column: string | null = null) =>
    void warnings.push({ code, column, detail });
  if (recognised?.warning) warn("incomplete_export", recognised.warning);
  if (!isIdentified(columns))
    warn("no_email_column", "No column looks like e-mail addresses. Choose the one that has them.");
  if (body.length === 0) warn("no_rows", "The file has a header and no row below it.");
  const headings = guessed.hasHeader ? header.map((one) => one.trim()).filter(Boolean) : [];
  for (const heading of new Set(headings.filter((one, index) => headings.indexOf(one) < index)))
    warn("duplicate_heading", "More than one column has this heading.", heading.slice(0, 200));
  columns.forEach(({ name, target, isUnreadStatus }, index) => {
    if (isUnreadStatus)
      warn(
        "unread_status",
        "This is headed like a status and can't be read as one, so it would say of nobody that they left. Say what it is, and what its words mean.",
        name,
      );
    const cells = target.endsWith("_at") ? cellsOf(index) : [];
    if (!guessed.isOrderKnown && cells.some(isAmbiguous))
      warn("ambiguous_dates", "Nothing says whether the day or the month comes first: choose.", name);
  });
  return warnings;
}
