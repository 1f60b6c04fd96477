import { Readable } from "node:stream";
import type { Ctx } from "../../platform/context.ts";
import { csvLine } from "../../platform/csv.ts";
import { type ImportRowInDb, listRowFaults } from "./import-store.ts";

const AT_ONCE = 1_000;

/** Yields what failed and why, with the row as it stood in the file, so that it can be mended and sent again. */
export function streamErrors(ctx: Ctx, row: ImportRowInDb): Readable {
  const lines = async function* () {
    const columns = row.columns.map(({ name }) => name);
    yield csvLine(["row", "column", "code", "detail", ...columns]);
    for (let after = -1; ; ) {
      const faults = await listRowFaults(ctx.sql, ctx.accountId, row.id, after, AT_ONCE);
      yield faults
        .map(({ row_number, column_name, code, detail, cells }) =>
          csvLine([String(row_number), column_name ?? "", code, detail, ...(cells ?? [])]),
        )
        .join("");
      const last = faults.at(-1);
      if (!last || faults.length < AT_ONCE) return;
      after = last.row_number;
    }
  };
  return Readable.from(lines(), { objectMode: false });
}
