import { Type } from "typebox";
import type { Ctx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { oneOf, PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { allFields } from "../fields/fields.ts";
import { invalidState } from "../problems.ts";
import { cancelBulkChange, createBulkChange, requestUndo } from "./bulk-life.ts";
import { BULK_STATUSES } from "./bulk-status.ts";
import { type BulkRow, countBulkChanges, findBulkChange, findNamed, listBulkChanges } from "./bulk-store.ts";
import { BulkChange, BulkChangeCreate, BulkChangePage } from "./schema.ts";
import { shapeBulkChange } from "./shape.ts";

const Params = Strict({ id: PublicId("blk") });
const tag = "Bulk changes";
const read = "subscribers:read";
const write = "subscribers:write";

export const bulkRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/bulk_changes",
    scope: read,
    tag,
    summary: "List bulk changes",
    description: "Newest first.",
    query: PageQuery({ status: Type.Optional(oneOf(BULK_STATUSES)) }),
    success: { status: 200, schema: BulkChangePage, description: "A page of bulk changes." },
    async handler(call) {
      const { status } = call.query;
      const { ctx } = call;
      return pageByAge(call, {
        list: (db, accountId, page) => listBulkChanges(db, accountId, status, page),
        count: (db, accountId) => countBulkChanges(db, accountId, status),
        shape: allFields(ctx.sql, ctx.accountId).then(
          (fields) => (row: BulkRow) => shapeBulkChange(row, fields, ctx.clock),
        ),
      });
    },
  }),
  writeRoute({
    method: "POST",
    path: "/v1/bulk_changes",
    scope: write,
    audit: { action: "bulk_change.created", of: "answer" },
    tag,
    summary: "Change many subscribers",
    description:
      "All whom a filter leaves when the change begins, or up to 1,000 that are named. It runs in the background: ask for it to " +
      "see how far it is. `add_to_list` copies whoever is active, with names, fields and tags; others are skipped, and an address " +
      "that opted out of that list stays out. `unsubscribe` is from the list of each. Each subscriber that is changed has its " +
      "event, as if it were changed alone; at the end comes `bulk_change.completed` or `bulk_change.failed`.",
    body: BulkChangeCreate,
    success: { status: 202, schema: BulkChange, description: "The bulk change, about to run." },
    async handler({ ctx, body, baseUrl }) {
      const made = await answerWith(ctx, await createBulkChange(ctx, body), 202);
      return { ...made, headers: { location: `${baseUrl}/v1/bulk_changes/${made.body?.id}` } };
    },
  }),
  readRoute({
    path: "/v1/bulk_changes/:id",
    scope: read,
    tag,
    summary: "Get a bulk change",
    description: "How far it is, what it has done so far, and until when it can be undone.",
    params: Params,
    success: { status: 200, schema: BulkChange, description: "The bulk change as it stands." },
    async handler({ ctx, params }) {
      const row = await findBulkChange(ctx.sql, ctx.accountId, idOf(params.id));
      if (!row) throw missing("bulk change");
      return { status: 200, body: await shape(ctx, row) };
    },
  }),
  writeRoute({
    method: "POST",
    path: "/v1/bulk_changes/:id/cancel",
    scope: write,
    audit: { action: "bulk_change.canceled", of: "path" },
    tag,
    summary: "Cancel a bulk change",
    description:
      "Stops after the slice in progress. Who is changed by then stays changed; `undo` puts it back.",
    params: Params,
    success: { status: 200, schema: BulkChange, description: "The bulk change, canceled." },
    problems: [invalidState],
    async handler({ ctx, params }) {
      return answerWith(ctx, await cancelBulkChange(ctx, idOf(params.id)), 200);
    },
  }),
  writeRoute({
    method: "POST",
    path: "/v1/bulk_changes/:id/undo",
    scope: write,
    audit: { action: "bulk_change.undone", of: "path" },
    tag,
    summary: "Undo a bulk change",
    description:
      "Within 30 days. Tags that it added are taken off and tags that it took off are put back; a field gets its former value " +
      "unless it was changed since; copies go unless somebody has touched them. Nobody who was unsubscribed or deleted comes back.",
    params: Params,
    success: { status: 202, schema: BulkChange, description: "The bulk change, being undone." },
    problems: [invalidState],
    async handler({ ctx, params }) {
      return answerWith(ctx, await requestUndo(ctx, idOf(params.id)), 202);
    },
  }),
];

function idOf(text: string): string {
  return requireId("blk", text, "bulk change");
}

/** A kept answer goes with the people it names: it may hold a value that is theirs. */
async function answerWith(ctx: Ctx, row: BulkRow, status: number): Promise<Answer<BulkChange>> {
  return { status, body: await shape(ctx, row), subjects: await findNamed(ctx.sql, row) };
}

async function shape(ctx: Ctx, row: BulkRow): Promise<BulkChange> {
  return shapeBulkChange(row, await allFields(ctx.sql, ctx.accountId), ctx.clock);
}
