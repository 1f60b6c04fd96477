import type { Clock } from "../../platform/clock.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { FieldRow } from "../fields/fields.ts";
import { type ImportRowInDb, optionsOf } from "./import-store.ts";
import { showMapping } from "./reading/reading.ts";
import { countsOf, NOTHING_CHECKED } from "./running/running.ts";
import type { Import } from "./schema.ts";

export function shapeImport(row: ImportRowInDb, fields: readonly FieldRow[], clock: Clock): Import {
  const { on_conflict, tags, consent, has_header, format, ...more } = optionsOf(row);
  const time = (at: Date | null) => at?.toISOString() ?? null;
  return {
    object: "import",
    id: toPublicId("imp", row.id),
    status: row.status,
    target: more.target,
    preset: more.preset,
    list_id: row.list_id && toPublicId("lst", row.list_id),
    file_name: row.file_name,
    file_bytes: row.file_bytes,
    dry_run: row.dry_run,
    mapping: showMapping(row.columns, fields),
    options: {
      on_conflict,
      tags: [...tags],
      consent,
      trigger_automations: more.trigger_automations,
      has_header,
      delimiter: format.delimiter,
      encoding: format.encoding,
      default_status: more.default_status,
      status_values: more.status_values,
      date_order: more.date_order,
      checks: more.checks,
    },
    checks: more.checks === "off" ? null : { ...(row.checked ?? NOTHING_CHECKED) },
    effects: { opted_out: row.opted_out, suppressed: row.suppressed },
    counts: { ...countsOf(row), removed: row.removed },
    progress: progressOf(row, clock),
    warnings: row.warnings.map((one) => ({ ...one })),
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? "" },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    started_at: time(row.started_at),
    finished_at: time(row.finished_at),
  };
}

function progressOf(row: ImportRowInDb, clock: Clock): Import["progress"] {
  const { total, processed } = countsOf(row);
  const isOver = row.status === "completed" || row.status === "undoing" || row.status === "undone";
  const share = total ? processed / total : 0;
  const percent = isOver ? 100 : Math.floor(share * 1_000) / 10;
  const rate = row.rows_per_second;
  const isMoving = row.status === "running" && total !== null && rate !== null && rate > 0;
  const eta = isMoving ? new Date(clock.now().getTime() + ((total - processed) / rate) * 1_000) : null;
  return {
    percent,
    rows_per_second: rate === null ? null : Math.round(rate),
    eta: eta?.toISOString() ?? null,
  };
}
