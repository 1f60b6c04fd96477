import type { Clock } from "../../platform/clock.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { FieldRow } from "../fields/fields.ts";
import { showAction } from "./action.ts";
import type { BulkRow } from "./bulk-store.ts";
import { showFilter } from "./filter.ts";
import { undoUntil } from "./job-kinds.ts";
import type { BulkChange } from "./schema.ts";

export function shapeBulkChange(row: BulkRow, fields: readonly FieldRow[], clock: Clock): BulkChange {
  const time = (at: Date | null | undefined) => at?.toISOString() ?? null;
  const tagNames = row.tag_names ?? {};
  const until = undoUntil(row);
  return {
    object: "bulk_change",
    id: toPublicId("blk", row.id),
    status: row.status,
    filter: row.filter && showFilter(row.filter, tagNames),
    action: showAction(row.action, fields, tagNames),
    counts: { ...countsOf(row), undone: row.undone },
    progress: progressOf(row, clock),
    undo_until: until && until > clock.now() ? until.toISOString() : null,
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? "" },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    started_at: time(row.started_at),
    finished_at: time(row.finished_at),
  };
}

export function countsOf({ total, changed, skipped, failed }: BulkRow) {
  return { total, processed: changed + skipped + failed, changed, skipped, failed };
}

function progressOf(row: BulkRow, clock: Clock): BulkChange["progress"] {
  const { total, processed } = countsOf(row);
  const isOver = row.status === "completed" || row.status === "undoing" || row.status === "undone";
  const percent = isOver ? 100 : total ? Math.floor((processed / total) * 1_000) / 10 : 0;
  if (row.status !== "running" || total === null || !row.started_at || processed === 0)
    return { percent, per_second: null, eta: null };
  const now = clock.now().getTime();
  const rate = processed / Math.max(0.001, (now - row.started_at.getTime()) / 1_000);
  const eta = new Date(now + ((total - processed) / rate) * 1_000);
  return { percent, per_second: Math.round(rate), eta: eta.toISOString() };
}
