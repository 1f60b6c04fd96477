/** The routes by which owners and admins read the audit log, and take it away as a file. */
import { Readable } from "node:stream";
import { type Static, Type } from "typebox";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { auditLines } from "./export-lines.ts";
import { AuditExportQuery, type AuditFilters, AuditPage, AuditQuery } from "./schema.ts";
import { type ActorNames, shapeEntries } from "./shape.ts";
import { type AuditFilter, countAudit, listAudit } from "./store.ts";

const scope = "audit:read";
const tag = "Audit";
const MEDIA_TYPES = { csv: "text/csv; charset=utf-8", jsonl: "application/jsonl; charset=utf-8" } as const;

export function auditRoutes({ readNames }: { readonly readNames: ActorNames }): readonly Route[] {
  return [
    readRoute({
      path: "/v1/audit",
      scope,
      tag,
      summary: "List what was done",
      description:
        "Who changed what, and from where, newest first and for 24 months. It holds ids and names of fields, and nothing of subscribers. What " +
        "programs do to single subscribers and mails is in the log of events instead; what people do is here.",
      query: AuditQuery,
      success: { status: 200, schema: AuditPage, description: "A page of what was done." },
      handler: (call) => answerPage(call, readNames),
    }),
    readRoute({
      path: "/v1/instance/audit",
      ofInstance: true,
      scope: "operator",
      tag: "Instance",
      summary: "List what operators did",
      description:
        "To accounts and to the instance itself, here and at the command line; newest first and for 24 months.",
      query: AuditQuery,
      success: { status: 200, schema: AuditPage, description: "A page of what was done." },
      handler: (call) => answerPage(call, readNames),
    }),
    readRoute({
      path: "/v1/audit/export",
      scope,
      tag,
      summary: "Export what was done",
      description: "The same, whole, as a file: newest first, as a table or as one JSON object a line.",
      query: AuditExportQuery,
      success: { status: 200, schema: Type.String(), contentType: "text/csv", description: "The file." },
      async handler({ ctx, query, signal }) {
        const { format } = query;
        const lines = auditLines(
          { db: ctx.sql, accountId: ctx.accountId, readNames, signal },
          filterOf(query),
          format,
        );
        const day = ctx.clock.now().toISOString().slice(0, 10);
        const headers = {
          "content-type": MEDIA_TYPES[format],
          "content-disposition": `attachment; filename="audit-${day}.${format}"`,
        };
        return { status: 200, headers, stream: Readable.from(lines, { objectMode: false }) };
      },
    }),
  ];
}

function filterOf(query: AuditFilters): AuditFilter {
  const { actor, action, target, created_after: createdAfter, created_before: createdBefore } = query;
  return { actor, action, target, createdAfter, createdBefore };
}

type PageCall = Parameters<typeof pageByAge>[0] & { readonly query: Static<typeof AuditQuery> };

async function answerPage(call: PageCall, readNames: ActorNames) {
  const { ctx, query } = call;
  const filter = filterOf(query);
  const { body, ...answer } = await pageByAge(call, {
    list: (db, accountId, page) => listAudit(db, accountId, filter, page),
    count: (db, accountId) => countAudit(db, accountId, filter),
    shape: (row) => row,
  });
  if (!body) throw new Error("a page has a body");
  const data = await shapeEntries(ctx.sql, ctx.accountId, readNames, body.data);
  return { ...answer, body: { ...body, data } };
}
