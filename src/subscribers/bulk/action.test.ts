import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import { isUndoable, showAction } from "./action.ts";
import type { BulkRow } from "./bulk-store.ts";
import { undoUntil } from "./job-kinds.ts";

const ID = newId(systemClock);
const at = new Date("2026-11-14T09:30:00.000Z");
const row = (change: Partial<BulkRow>): BulkRow => ({
  account_id: ID,
  id: ID,
  status: "completed",
  filter: {},
  action: { type: "add_tags", tag_ids: [ID] },
  tag_names: {},
  total: 1,
  position: ID,
  changed: 1,
  skipped: 0,
  failed: 0,
  undone: 0,
  error_code: null,
  error_detail: null,
  actor_kind: "system",
  actor_id: null,
  created_at: at,
  updated_at: at,
  started_at: at,
  finished_at: at,
  ...change,
});

describe("a bulk change", () => {
  it("can be undone for 30 days after its end, if it changed anybody in a way that can be put back", () => {
    const cases: readonly [Partial<BulkRow>, string | undefined][] = [
      [{}, "2026-12-14T09:30:00.000Z"],
      [{ status: "canceled" }, "2026-12-14T09:30:00.000Z"],
      [{ status: "failed" }, "2026-12-14T09:30:00.000Z"],
      [{ changed: 0 }, undefined],
      [{ status: "running", finished_at: null }, undefined],
      [{ status: "undone" }, undefined],
      [{ action: { type: "unsubscribe" } }, undefined],
      [{ action: { type: "delete" } }, undefined],
    ];
    for (const [change, until] of cases)
      assert.equal(undoUntil(row(change))?.toISOString(), until, JSON.stringify(change));
    assert.ok(isUndoable("add_to_list"));
  });

  it("names tags and fields as they are called now, and leaves out what is gone", () => {
    const tags = { type: "add_tags", tag_ids: [ID, newId(systemClock)] } as const;
    assert.deepEqual(showAction(tags, [], { [ID]: "spring" }), { type: "add_tags", tags: ["spring"] });
    const field = { type: "set_field", field_id: ID, value: 7 } as const;
    const shown = { type: "set_field", field: "fields.(deleted)", value: 7 };
    assert.deepEqual(showAction(field, [], {}), shown);
  });
});
