/** This file reads a file as records in constant memory: no chunk is read before the last one's records are taken care of. */
import { createReadStream } from "node:fs";
import { type Info, parse } from "csv-parse";
import { FileFault } from "./file-fault.ts";
import { type Format, lineTooLong, MOST_COLUMNS, parserOptions, tooManyColumns } from "./format.ts";

export type RecordSink = {
  /** `row` is the record's number in the file, from 1, with the header and empty lines counted as spreadsheets do. */
  readonly onRecord: (cells: string[], row: number) => void;
  /** This is called after each chunk; false stops the reading. */
  readonly afterChunk: () => Promise<boolean>;
};

const CHUNK_BYTES = 64 * 1_024;

/** Returns false when the sink stopped it. Cells are bytes as characters: `decodeCell` makes text of them. */
export async function readRecords(path: string, format: Format, sink: RecordSink): Promise<boolean> {
  let row = 0;
  let fault: FileFault | undefined;
  const parser = parse({
    ...parserOptions(format.delimiter),
    on_record: (cells: string[], _context: Info) => {
      row++;
      if (cells.length > MOST_COLUMNS) fault ??= tooManyColumns(row, cells.length);
      else if (!fault) sink.onRecord(cells, row);
      return null;
    },
  });
  const failed = new Promise<never>((_resolve, reject) => parser.on("error", reject));
  failed.catch(() => undefined);
  const ended = new Promise<void>((resolve) => parser.on("end", resolve));
  // Nothing is ever pushed to its readable side, but only a side that flows can end.
  parser.resume();
  const file = createReadStream(path, { start: format.skipBytes, highWaterMark: CHUNK_BYTES });
  const decode = chunkDecoder(format);
  try {
    for await (const chunk of file) {
      await Promise.race([written(parser, decode(chunk as Buffer)), failed]);
      if (fault) throw fault;
      if (!(await sink.afterChunk())) return false;
    }
    parser.end();
    await Promise.race([ended, failed]);
    if (fault) throw fault;
    return await sink.afterChunk();
  } catch (error) {
    throw explain(error, row);
  } finally {
    file.destroy();
    parser.destroy();
  }
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

function written(parser: ReturnType<typeof parse>, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

function chunkDecoder({ encoding }: Format): (chunk: Buffer) => Buffer {
  if (encoding !== "utf-16le" && encoding !== "utf-16be") return (chunk) => chunk;
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (chunk) => Buffer.from(decoder.decode(chunk, { stream: true }), "utf8");
}

function explain(error: unknown, row: number): unknown {
  switch ((error as { code?: string }).code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return new FileFault(
        "quote_not_closed",
        `A quotation mark in row ${row + 1} is never closed. Close it, or double it where it is part of the text.`,
      );
    case "CSV_MAX_RECORD_SIZE":
      return lineTooLong(row + 1);
    default:
      return error;
  }
}
