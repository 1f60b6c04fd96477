import { Readable } from "node:stream";
import type { Ctx } from "../../platform/context.ts";
import { csvLine } from "../../platform/csv.ts";
import { type ImportRowInDb, listCheckedRows, listRowFaults } from "./import-store.ts";

const AT_ONCE = 1_000;

/** Yields what failed and why, with the row as it stood in the file, so that it can be mended and sent again. */
export function streamErrors(ctx: Ctx, row: ImportRowInDb): Readable {
  return streamRows(
    ["row", "column", "code", "detail", ...row.columns.map(({ name }) => name)],
    (after) => listRowFaults(ctx.sql, ctx.accountId, row.id, after, AT_ONCE),
    ({ row_number, column_name, code, detail, cells }) => [
      String(row_number),
      column_name ?? "",
      code,
      detail,
      ...(cells ?? []),
    ],
  );
}

/** Yields the rows that were imported though mail may not reach them, with the reasons and what may have been meant. */
export function streamChecked(ctx: Ctx, row: ImportRowInDb): Readable {
  return streamRows(
    ["row", "result", "reasons", "suggestion", ...row.columns.map(({ name }) => name)],
    (after) => listCheckedRows(ctx.sql, ctx.accountId, row.id, after, AT_ONCE),
    ({ row_number, result, reasons, suggestion, cells }) => [
      String(row_number),
      result,
      reasons.join(" "),
      suggestion ?? "",
      ...(cells ?? []),
    ],
  );
}

function streamRows<R extends { row_number: number }>(
  heading: string[],
  list: (after: number) => Promise<R[]>,
  cellsOf: (row: R) => string[],
): Readable {
  const lines = async function* () {
    yield csvLine(heading);
    for (let after = -1; ; ) {
      const rows = await list(after);
      yield rows.map((row) => csvLine(cellsOf(row))).join("");
      const last = rows.at(-1);
      if (!last || rows.length < AT_ONCE) return;
      after = last.row_number;
    }
  };
  return Readable.from(lines(), { objectMode: false });
}
