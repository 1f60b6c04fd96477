/** Reads the rows that failed from the file of them, so far as a page can show them. */
import { ofAccount } from "../../api/account.ts";
import { readProblem } from "../../api/problem.ts";
import { createCsvReader } from "./csv.ts";

type RowFault = {
  readonly row: number;
  readonly column: string;
  readonly code: string;
  readonly detail: string;
  /** What stands in that column; the address where the fault is of the whole row. */
  readonly cell: string;
};

export type RowFaults = {
  readonly rows: readonly RowFault[];
  /** How many there are of each code, the commonest first. */
  readonly codes: readonly (readonly [code: string, count: number])[];
  readonly isWhole: boolean;
};

/** More than this nobody reads on a page; the file has them all. */
const MOST_READ = 5_000;
const LEADING = 4;

export const faultsAddress = (id: string) => ofAccount(`/v1/imports/${encodeURIComponent(id)}/errors`);

export async function readFaults(id: string, signal: AbortSignal): Promise<RowFaults> {
  const over = new AbortController();
  const response = await fetch(faultsAddress(id), { signal: AbortSignal.any([signal, over.signal]) });
  if (!response.ok || !response.body) throw await readProblem(response);
  const rows: RowFault[] = [];
  let columns: readonly string[] | undefined;
  const reader = createCsvReader((cells) => {
    if (!columns) columns = cells.slice(LEADING);
    else rows.push(faultOf(cells, columns));
  });
  let isWhole = true;
  const stream = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await stream.read();
    if (done) break;
    reader.push(value);
    if (rows.length <= MOST_READ) continue;
    isWhole = false;
    await stream.cancel();
    over.abort();
    break;
  }
  reader.end();
  return { rows: rows.slice(0, MOST_READ), codes: countCodes(rows), isWhole };
}

function faultOf(cells: readonly string[], columns: readonly string[]): RowFault {
  const [row = "", column = "", code = "", detail = "", ...values] = cells;
  const at = columns.indexOf(column);
  return { row: Number(row), column, code, detail, cell: values[at] ?? values.join(", ") };
}

function countCodes(rows: readonly RowFault[]): RowFaults["codes"] {
  const counts = new Map<string, number>();
  for (const { code } of rows) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
